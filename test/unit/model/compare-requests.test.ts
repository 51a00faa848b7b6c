import { describe, expect, it } from 'vitest';
import { buildBody, contentLength } from '../../../src/model/anthropic/body.js';
import { freezePrefix } from '../../../src/model/anthropic/prefix.js';
import { compareRequests } from '../../../src/model/compare-requests.js';
import type { PrefixContent } from '../../../src/model/prefix.js';
import type { ModelRequest } from '../../../src/model/request.js';
import { freezeBlock } from '../../../src/protocol/frozen-block.js';
import { History } from '../../../src/protocol/history.js';

const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' as const } });
const base: PrefixContent = {
  model: 'm',
  tools: [tool('A', 'first'), tool('B', 'second tool')],
  system: ['You are one.'],
};

function request(words: readonly string[], prefix: PrefixContent = base, maxTokens = 100): ModelRequest {
  const messages = words.map((text, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    blocks: [freezeBlock({ type: 'text', text })],
  }));
  return {
    prefix: freezePrefix(prefix),
    history: History.of(messages),
    maxTokens,
    cacheLifetime: '5m',
    breakpoints: [],
  };
}

const compare = (earlier: ModelRequest, later: ModelRequest) => compareRequests(earlier, later, contentLength);

/** The length of the bytes, without our markers. */
function length(parts: ModelRequest): number {
  const text = buildBody(parts).toString('utf8').replaceAll(',"cache_control":{"type":"ephemeral"}', '');
  return Buffer.byteLength(text) - 2;
}

describe('compareRequests', () => {
  it('FK-13: a request that only adds repeats all of the earlier one', () => {
    const earlier = request(['hello', 'hi']);
    expect(compare(earlier, request(['hello', 'hi', 'more']))).toEqual({
      of: length(earlier),
      bytes: length(earlier),
    });
  });

  it.each<[string, ModelRequest, RegExp]>([
    [
      'a tool’s text',
      request(['x'], { ...base, tools: [tool('A', 'first'), tool('B', 'second fool')] }),
      /^tools\[1\]\.description differs at character 7: "second tool" and "second fool"/,
    ],
    [
      'a missing tool',
      request(['x'], { ...base, tools: [tool('A', 'first')] }),
      /^tools\[1\] is only in the earlier one/,
    ],
    [
      'the system prompt',
      request(['x'], { ...base, system: ['You are two.'] }),
      /^system\[0\]\.text differs at character 8/,
    ],
    ['another model', request(['x'], { ...base, model: 'n' }), /^model differs/],
    ['another effort', request(['x'], { ...base, effort: 'high' }), /^output_config is only in the later one/],
    ['another limit', request(['x'], base, 200), /^max_tokens differs: 100 and 200/],
    ['a message', request(['y', 'x']), /^messages\[0\]\.content\[0\] differs at character/],
  ])('FK-13: names the first difference: %s', (_name, later, words) => {
    const found = compare(request(['x']), later);
    expect(found.difference).toMatch(words);
    expect(found.bytes).toBeLessThan(found.of);
  });

  it('FK-13: missing messages at the end are named, and earlier ones are counted as shared', () => {
    const found = compare(request(['a', 'b', 'c']), request(['a', 'b']));
    expect(found).toMatchObject({ bytes: length(request(['a', 'b'])), difference: 'messages[2] is missing' });
  });
});
