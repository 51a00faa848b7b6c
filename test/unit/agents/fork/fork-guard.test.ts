import { describe, expect, it } from 'vitest';
import { FORK_PLACEHOLDER, FORK_TAG, forkDirective } from '../../../../src/agents/fork/fork-directive.text.js';
import { isForkRun } from '../../../../src/agents/fork/fork-guard.js';
import type { ContentBlock } from '../../../../src/protocol/blocks.js';
import { type FrozenMessage, freezeBlock } from '../../../../src/protocol/frozen-block.js';
import fc from '../../../support/fast-check.js';

const message = (role: 'user' | 'assistant', ...blocks: ContentBlock[]): FrozenMessage => ({
  role,
  blocks: blocks.map(freezeBlock),
});
const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const call = (id: string): ContentBlock => ({ type: 'tool_use', id, name: 'Agent', input: {} });
const result = (id: string, content: string): ContentBlock => ({ type: 'tool_result', tool_use_id: id, content });
const directive = forkDirective({ directive: 'Do it.', ownCheckout: false });
const begin = [message('user', text('hello')), message('assistant', call('a'), call('b'))];
const looksForked = (history: readonly FrozenMessage[]) => isForkRun({ origin: '', type: '' }, history);
const forked = [
  ...begin,
  message('user', result('a', FORK_PLACEHOLDER), result('b', FORK_PLACEHOLDER), text(directive)),
  message('assistant', text('Scope: …')),
];

describe('fork guard', () => {
  it('FK-19: a conversation that begins as a fork is one, regardless of what follows', () => {
    expect(looksForked(forked)).toBe(true);
    expect(looksForked([...forked, message('user', text('go on')), message('assistant', text('done'))])).toBe(true);
  });

  it('FK-19: placeholders written as a list of blocks are recognised as well', () => {
    const listed = (id: string): ContentBlock => ({
      type: 'tool_result',
      tool_use_id: id,
      content: [{ type: 'text', text: FORK_PLACEHOLDER }],
    });
    expect(looksForked([...begin, message('user', listed('a'), listed('b'), text(directive))])).toBe(true);
  });

  const quotes: readonly (readonly [string, readonly FrozenMessage[]])[] = [
    ['the person quotes the tag', [message('user', text(`What does ${FORK_TAG} mean?`))]],
    ['the person pastes a whole directive', [message('user', text(directive))]],
    ['a tool result quotes it', [...begin, message('user', result('a', directive), result('b', 'x'))]],
    [
      'a result quotes the placeholder, the person the tag',
      [...begin, message('user', result('a', FORK_PLACEHOLDER), result('b', 'real'), text(directive))],
    ],
    [
      'the placeholders are there, the next text only mentions the tag',
      [
        ...begin,
        message('user', result('a', FORK_PLACEHOLDER), result('b', FORK_PLACEHOLDER), text(`See ${FORK_TAG}`)),
      ],
    ],
    [
      'another text comes first',
      [
        ...begin,
        message('user', result('a', FORK_PLACEHOLDER), result('b', FORK_PLACEHOLDER), text('hello'), text(directive)),
      ],
    ],
    ['the model says it', [message('user', text('hi')), message('assistant', text(directive))]],
    [
      'a result longer than the placeholder',
      [...begin, message('user', result('a', `${FORK_PLACEHOLDER}.`), text(directive))],
    ],
  ];
  it.each(quotes)('FK-19: no fork: %s', (_name, history) => {
    expect(looksForked(history)).toBe(false);
  });

  it('FK-19: the record decides, regardless of the conversation', () => {
    const compacted = [message('user', text('what was before'))];
    expect(isForkRun({ origin: 'agent:builtin:fork', type: 'fork' }, compacted)).toBe(true);
    expect(isForkRun({ origin: 'agent:project:fork', type: 'spork' }, compacted)).toBe(false);
    expect(isForkRun({ origin: 'agent:built-in:general-purpose', type: 'general-purpose' }, begin)).toBe(false);
  });

  it('FK-19: for a record without its origin, the type or the conversation decides', () => {
    expect(isForkRun({ origin: '', type: 'fork' }, begin)).toBe(true);
    expect(isForkRun({ origin: '', type: '' }, forked)).toBe(true);
    expect(isForkRun({ origin: '', type: '' }, begin)).toBe(false);
  });

  it('FK-19: no text of a user or a file makes a parent look like a fork', () => {
    const words = fc.oneof(
      fc.string(),
      fc.constantFrom(FORK_TAG, directive, FORK_PLACEHOLDER, `\n${FORK_TAG}`, `${FORK_TAG}${FORK_PLACEHOLDER}`),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(words, words), { maxLength: 8 }), (turns) => {
        const history = turns.flatMap(([said, read], index) => [
          message('user', ...(index > 0 ? [result(`t${index - 1}`, `1\t${read}`)] : []), text(said || '.')),
          message('assistant', call(`t${index}`)),
        ]);
        expect(looksForked(history)).toBe(false);
      }),
    );
  });
});
