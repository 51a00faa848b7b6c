import { describe, expect, it } from 'vitest';
import { buildBody, contentLength } from '../../../src/model/anthropic/body.js';
import { freezePrefix, loadPrefix } from '../../../src/model/anthropic/prefix.js';
import type { ContentBlock } from '../../../src/protocol/blocks.js';
import { freezeBlock } from '../../../src/protocol/frozen-block.js';
import { checkRequest } from '../../../src/sim/index.js';
import fc from '../../support/fast-check.js';
import { Conversation } from './conversation.js';

const prefix = freezePrefix({
  model: 'claude-opus-5',
  thinking: { kind: 'adaptive' },
  tools: [{ name: 'Read', description: 'reads', inputSchema: { type: 'object', properties: { 10: {}, 2: {} } } }],
  system: ['You are a test.', 'Second part.'],
});

const block = fc.oneof(
  fc.string({ minLength: 1 }).map((text): ContentBlock => ({ type: 'text', text: `t${text}` })),
  fc.string().map((thinking): ContentBlock => ({ type: 'thinking', thinking, signature: 's' })),
);
const message = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const),
  blocks: fc.array(block, { minLength: 1, maxLength: 5 }),
});

const strip = (body: Buffer) => body.toString('utf8').replaceAll(',"cache_control":{"type":"ephemeral"}', '');

describe('a request body', () => {
  it('FK-8: repeats the bytes of the request before it and only adds to them', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 2, maxLength: 12 }), (messages) => {
        const conversation = new Conversation(prefix);
        let before: string | undefined;
        for (const { role, blocks } of messages) {
          conversation.append({ role, blocks: blocks.map(freezeBlock) });
          const body = strip(buildBody(conversation.request()));
          const content = body.slice(0, -2);
          expect(Buffer.byteLength(content)).toBe(contentLength(conversation.request()));
          if (before !== undefined) expect(content.startsWith(before)).toBe(true);
          before = content;
          conversation.accepted(conversation.history.length);
        }
      }),
    );
  });

  it('FK-8: is valid JSON with exactly the content that was appended', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 6 }), (messages) => {
        const conversation = new Conversation(prefix);
        for (const { role, blocks } of messages) conversation.append({ role, blocks: blocks.map(freezeBlock) });
        const body = JSON.parse(strip(buildBody(conversation.request())));
        expect(body.messages).toEqual(
          JSON.parse(JSON.stringify(messages.map((m) => ({ role: m.role, content: m.blocks })))),
        );
        expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'stream', 'thinking', 'tools', 'system', 'messages']);
      }),
    );
  });

  it('FK-8: a child that continues from a view never changes its parent, nor the other way round', () => {
    const parent = new Conversation(prefix);
    parent.append({ role: 'user', blocks: [freezeBlock({ type: 'text', text: 'one' })] });
    const child = new Conversation(prefix, parent.history.view());
    parent.append({ role: 'user', blocks: [freezeBlock({ type: 'text', text: 'parent' })] });
    child.append({ role: 'user', blocks: [freezeBlock({ type: 'text', text: 'child' })] });
    const texts = (conversation: Conversation) =>
      [...conversation.history].flatMap((m) => m.blocks.map((b) => JSON.parse(Buffer.from(b.bytes).toString()).text));
    expect(texts(parent)).toEqual(['one', 'parent']);
    expect(texts(child)).toEqual(['one', 'child']);
  });

  it('FK-10: marks the end of system, the last accepted end and its own end, never thinking', () => {
    const conversation = new Conversation(prefix);
    conversation.append({ role: 'user', blocks: [freezeBlock({ type: 'text', text: 'first' })] });
    conversation.accepted(1);
    conversation.append({
      role: 'assistant',
      blocks: [
        freezeBlock({ type: 'thinking', thinking: 'hm', signature: 's' }),
        freezeBlock({ type: 'tool_use', id: 'a', name: 'Read', input: {} }),
      ],
    });
    conversation.append({
      role: 'user',
      blocks: [freezeBlock({ type: 'tool_result', tool_use_id: 'a', content: 'x' })],
    });
    const body = JSON.parse(buildBody(conversation.request()).toString('utf8'));
    expect(body.system.map((part: { cache_control?: unknown }) => part.cache_control !== undefined)).toEqual([
      false,
      true,
    ]);
    expect(body.messages[0].content[0].cache_control).toEqual({ type: 'ephemeral' });
    expect(
      body.messages[1].content.every((part: { cache_control?: unknown }) => part.cache_control === undefined),
    ).toBe(true);
    expect(body.messages[2].content[0].cache_control).toEqual({ type: 'ephemeral' });
  });

  it('FK-10: moves a mark that would fall on thinking to the block before it, and uses four at most', () => {
    const conversation = new Conversation(prefix);
    for (let index = 0; index < 6; index += 1) {
      conversation.append({ role: 'user', blocks: [freezeBlock({ type: 'text', text: `u${index}` })] });
      conversation.append({
        role: 'assistant',
        blocks: [freezeBlock({ type: 'thinking', thinking: 'x', signature: 's' })],
      });
    }
    const breakpoints = [2, 4, 6, 8].map((messages) => ({ messages }));
    const text = buildBody(conversation.request(breakpoints)).toString('utf8');
    expect(text.match(/cache_control/g)).toHaveLength(4);
    expect(text).not.toMatch(/"signature":"s","cache_control"/);
  });

  it('FK-10: one lifetime class for all markers of a request', () => {
    const conversation = new Conversation(prefix);
    conversation.append({ role: 'user', blocks: [freezeBlock({ type: 'text', text: 'x' })] });
    const body = buildBody({ ...conversation.request(), cacheLifetime: '1h' }).toString('utf8');
    expect(body.match(/"ttl":"1h"/g)).toHaveLength(2);
    expect(body.match(/cache_control/g)).toHaveLength(2);
  });

  it('is accepted by the API', () => {
    const conversation = new Conversation(prefix);
    conversation.append({ role: 'user', blocks: [freezeBlock({ type: 'text', text: 'half a pair: \ud800 end' })] });
    expect(checkRequest(JSON.parse(buildBody(conversation.request()).toString('utf8')))).toBeUndefined();
  });
});

const KNOWN = {
  model: 'claude-opus-5-5',
  thinking: { kind: 'adaptive' },
  effort: 'high',
  tools: [
    {
      name: 'Read',
      description: 'Reads “a” file.\n',
      inputSchema: {
        type: 'object',
        properties: { 10: {}, 2: { type: 'string' } },
        required: ['2'],
        additionalProperties: false,
      },
    },
  ],
  system: ['You are a test.', ' ', 'Second part: ü \u2028.'],
} as const;

describe('a frozen prefix', () => {
  it.each([
    ['with everything', KNOWN, '8a57ca796bdf54117d57eb30219a5e1da0693e38336bae2bc0615821a6f2d78d'],
    [
      'with a budget for thinking',
      { model: 'm', thinking: { kind: 'budget', tokens: 4_000 }, tools: [], system: [] },
      '69ba7121c60c8cc62f46e77b9e081d9b6b049d6bb61719c2a52c49cb4137e021',
    ],
    [
      'without thinking',
      { model: 'm', thinking: { kind: 'off' }, tools: [], system: ['s'] },
      '59af888df6cdc54aa9d35cc6fd4c5ad25386e1ee545defde5b69464db6c04760',
    ],
  ] as const)('DU-7: has the hash it always had, %s', (_name, content, hash) => {
    expect(freezePrefix(content).sha256).toBe(hash);
  });

  it('exposes its content, frozen or loaded, and copied', () => {
    const frozen = freezePrefix(KNOWN);
    for (const one of [frozen, loadPrefix(Buffer.from(frozen.bytes))]) {
      expect(one.model).toBe(KNOWN.model);
      expect(one.tools).toEqual(KNOWN.tools);
      expect(one.system).toEqual([KNOWN.system[0], KNOWN.system[2]]);
    }
    const copy = { ...frozen, tools: frozen.tools, system: frozen.system };
    const conversation = new Conversation(copy);
    expect(buildBody(conversation.request())).toEqual(buildBody({ ...conversation.request(), prefix: frozen }));
  });

  it('DU-7: comes back from its stored bytes with the same hash and the same body', () => {
    const loaded = loadPrefix(Buffer.from(prefix.bytes));
    expect(loaded.sha256).toBe(prefix.sha256);
    const bodies = [prefix, loaded].map((one) => {
      const conversation = new Conversation(one);
      conversation.append({ role: 'user', blocks: [freezeBlock({ type: 'text', text: 'x' })] });
      return buildBody(conversation.request()).toString('utf8');
    });
    expect(bodies[0]).toBe(bodies[1]);
  });

  it('DU-7: max_tokens, stream and metadata are outside the hash; everything else is inside', () => {
    const stored = prefix.bytes.toString('utf8');
    expect(Object.keys(JSON.parse(stored))).toEqual(['api_version', 'betas', 'model', 'thinking', 'tools', 'system']);
    const other = loadPrefix(Buffer.from(stored.replace('"betas":[]', '"betas":["b"]')));
    expect(other.betas).toEqual(['b']);
    expect(other.sha256).not.toBe(prefix.sha256);
  });

  it('keeps the position of integer-like keys', () => {
    const stored = Buffer.from(
      '{"api_version":"x","betas":[],"model":"m","tools":[{"name":"T","input_schema":{"10":1,"2":2.50}}],"system":[]}',
    );
    expect(loadPrefix(stored).toolBytes.toString('utf8')).toBe('[{"name":"T","input_schema":{"10":1,"2":2.50}}]');
  });
});
