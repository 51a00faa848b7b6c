/** The contract of every provider, as tests: for authors of new ones. See docs/providers.md. */

import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelFault } from '../../../src/model/fault.js';
import type { ModelEvent } from '../../../src/model/model-client.js';
import type { PrefixContent } from '../../../src/model/prefix.js';
import type { ModelProvider } from '../../../src/model/provider.js';
import type { ModelRequest } from '../../../src/model/request.js';
import { type ContentBlock, text } from '../../../src/protocol/blocks.js';
import { freezeBlock, parseBlock } from '../../../src/protocol/frozen-block.js';
import { Conversation } from './conversation.js';

/** The behaviour of the model behind the provider. */
export type Situation =
  /** Replies `Hello there.` */
  | 'text'
  /** Thinks `Hm.`, then replies `Hello there.` */
  | 'thinking'
  /** Calls `Look` with `{"z":1,"a":[2]}`; once it has a result, replies `Hello there.` */
  | 'call'
  /** Calls `Look` with `{"z":`, which is not JSON. */
  | 'broken-call'
  | 'unauthorized'
  /** Asks to wait for two seconds. */
  | 'rate-limited'
  | 'overloaded'
  /** Starts to reply `Hello there.` and breaks off. */
  | 'cut'
  /** Starts to reply `Hello there.`, then falls silent. */
  | 'silent';

export type ConformanceStage = {
  /** With its bare client, not a composed one. */
  readonly provider: ModelProvider;
  close(): Promise<void>;
};

const CONTENT: PrefixContent = {
  model: 'a-model',
  thinking: { kind: 'adaptive' },
  effort: 'high',
  tools: [
    { name: 'Look', description: 'Looks “there”.', inputSchema: { type: 'object', properties: { z: {}, a: {} } } },
    { name: 'Go', description: 'Goes.', inputSchema: { type: 'object' } },
  ],
  system: ['You are a test.', 'Second part: ü.'],
};

const OTHER_CONTENTS: readonly PrefixContent[] = [
  { ...CONTENT, model: 'another-model' },
  { ...CONTENT, thinking: { kind: 'off' } },
  { ...CONTENT, thinking: { kind: 'budget', tokens: 4_000 } },
  { ...CONTENT, thinking: { kind: 'adaptive', display: 'omitted' } },
  { ...CONTENT, thinking: { kind: 'budget', tokens: 4_000, display: 'summarized' } },
  { ...CONTENT, effort: 'low' },
  { ...CONTENT, taskBudget: 50_000 },
  { ...CONTENT, tools: CONTENT.tools.slice(0, 1) },
  { ...CONTENT, tools: CONTENT.tools.toReversed() },
  { ...CONTENT, system: ['You are a test.'] },
];

export function testModelProvider(name: string, start: (situation: Situation) => Promise<ConformanceStage>): void {
  async function open(situation: Situation): Promise<ModelProvider> {
    const stage = await start(situation);
    onTestFinished(() => stage.close());
    return stage.provider;
  }

  /** Everything a new conversation gets in this situation. */
  async function ask(situation: Situation): Promise<ModelEvent[]> {
    const provider = await open(situation);
    return drain(provider, begin(provider).request());
  }

  describe(`${name}: prefixes`, () => {
    it('are the same bytes for the same content, under the hash of those bytes', async () => {
      const provider = await open('text');
      const prefix = provider.freezePrefix(CONTENT);
      expect(provider.freezePrefix(structuredClone(CONTENT)).bytes).toEqual(prefix.bytes);
      expect(prefix.sha256).toBe(createHash('sha256').update(prefix.bytes).digest('hex'));
      expect(() => JSON.parse(prefix.bytes.toString('utf8'))).not.toThrow();
      const others = OTHER_CONTENTS.map((content) => provider.freezePrefix(content).sha256);
      expect(new Set([prefix.sha256, ...others]).size).toBe(OTHER_CONTENTS.length + 1);
    });

    it('load from their bytes, and expose their content', async () => {
      const provider = await open('text');
      const prefix = provider.freezePrefix({ ...CONTENT, system: [...CONTENT.system, ' \n'] });
      for (const one of [prefix, provider.loadPrefix(Buffer.from(prefix.bytes))]) {
        expect(one.bytes).toEqual(prefix.bytes);
        expect(one.sha256).toBe(prefix.sha256);
        expect(one.model).toBe(CONTENT.model);
        expect(one.tools).toEqual(CONTENT.tools);
        expect(one.system).toEqual(CONTENT.system);
      }
      expect(() => provider.loadPrefix(Buffer.from('{"something":"else"}'))).toThrow();
    });
  });

  describe(`${name}: contentLength`, () => {
    it('grows with added messages, by the same for a fork, and not with breakpoints or lifetimes', async () => {
      const provider = await open('text');
      const parent = begin(provider);
      const fork = new Conversation(provider.loadPrefix(parent.prefix.bytes), parent.history.view());
      const short = provider.contentLength(parent.request());
      for (const one of [parent, fork]) say(one, 'And more ü.');
      const long = provider.contentLength(parent.request());
      expect(long - short).toBeGreaterThan('And more ü.'.length);
      expect(provider.contentLength(fork.request())).toBe(long);
      const marked = { ...parent.request(), breakpoints: [{ messages: 1 }], cacheLifetime: '1h' as const };
      expect(provider.contentLength(marked)).toBe(long);
    });
  });

  describe(`${name}: streams`, () => {
    it.each(['text', 'thinking', 'call', 'broken-call'] as const)('begin and end once: %s', async (situation) => {
      const events = await ask(situation);
      const types = events.map((event) => event.type);
      expect(types[0]).toBe('response-began');
      expect(types.filter((type) => type === 'response-began')).toHaveLength(1);
      expect(types.filter(isEnd)).toEqual(['response-finished']);
      expect(types.at(-1)).toBe('response-finished');
      expect(events[0]).toMatchObject({ model: expect.any(String), id: expect.any(String) });
      for (const event of events)
        if ('usage' in event) expect(Object.values(event.usage ?? {}).every(isCount)).toBe(true);
    });

    it('stream a text and then give it as one block, parsed and frozen alike', async () => {
      const events = await ask('text');
      const streamed = events.flatMap((event) => (event.type === 'text-streamed' ? [event.text] : []));
      expect(streamed.join('')).toBe('Hello there.');
      expect(blocksOf(events)).toEqual([text('Hello there.')]);
      expect(events.at(-1)).toMatchObject({ stop: 'end_turn' });
    });

    it('give thinking as a separate block, before the text', async () => {
      const blocks = blocksOf(await ask('thinking'));
      expect(blocks).toMatchObject([{ type: 'thinking', thinking: 'Hm.' }, text('Hello there.')]);
    });

    it('give a call with its input, in blocks that can be sent back as they came', async () => {
      const provider = await open('call');
      const conversation = begin(provider);
      const events = await drain(provider, conversation.request());
      const [call] = blocksOf(events).filter((block) => block.type === 'tool_use');
      expect(call).toMatchObject({ name: 'Look', input: { z: 1, a: [2] } });
      expect(events.at(-1)).toMatchObject({ stop: 'tool_use' });
      const streamed = events.flatMap((event) => (event.type === 'call-streamed' ? [event] : []));
      expect(JSON.parse(streamed.map(({ json }) => json).join(''))).toEqual({ z: 1, a: [2] });
      expect(streamed.every((event) => event.name === 'Look')).toBe(true);

      const frozen = events.flatMap((event) => (event.type === 'block-finished' ? [event.block.frozen] : []));
      conversation.append({ role: 'assistant', blocks: frozen });
      const result = { type: 'tool_result', tool_use_id: call?.type === 'tool_use' ? call.id : '', content: 'seen' };
      conversation.append({ role: 'user', blocks: [freezeBlock(result as ContentBlock)] });
      conversation.accepted(1);
      expect(blocksOf(await drain(provider, conversation.request()))).toEqual([text('Hello there.')]);
    });

    it('mark an input that is no JSON object, and leave a block that can be sent back', async () => {
      const [finished] = (await ask('broken-call')).flatMap((event) =>
        event.type === 'block-finished' ? [event.block] : [],
      );
      expect(finished).toMatchObject({ malformedInput: '{"z":', block: { name: 'Look', input: {} } });
    });
  });

  describe(`${name}: faults`, () => {
    it.each<[Situation, Partial<ModelFault>]>([
      ['unauthorized', { kind: 'unauthorized' }],
      ['rate-limited', { kind: 'rate-limited', retryAfterMs: 2_000 }],
      ['overloaded', { kind: 'overloaded' }],
      ['cut', { kind: 'stream-cut' }],
    ])('are the one end of a stream, with the reason, and are explained: %s', async (situation, fault) => {
      const provider = await open(situation);
      const events = await drain(provider, begin(provider).request());
      expect(events.filter(({ type }) => isEnd(type))).toHaveLength(1);
      const last = events.at(-1);
      if (last?.type !== 'fault') throw new Error(`ended with ${last?.type}`);
      expect(last.fault).toMatchObject(fault);
      expect(last.fault.message).not.toBe('');
      expect(provider.explain(last.fault)).toContain(last.fault.message);
      expect(provider.explain(last.fault)).not.toMatch(/[.\n]$/);
    });
  });

  describe(`${name}: an abort`, () => {
    it('before the request ends it without anything else', async () => {
      const provider = await open('text');
      const events = await drain(provider, begin(provider).request(), AbortSignal.abort());
      expect(events).toMatchObject([{ type: 'fault', fault: { kind: 'aborted' } }]);
    });

    it('in mid-stream ends it with the fault `aborted`', async () => {
      const provider = await open('silent');
      const abort = new AbortController();
      const events: ModelEvent[] = [];
      for await (const event of provider.client.request(begin(provider).request(), abort.signal)) {
        events.push(event);
        abort.abort();
      }
      expect(events[0]?.type).toBe('response-began');
      expect(events.filter(({ type }) => isEnd(type))).toMatchObject([{ fault: { kind: 'aborted' } }]);
    });
  });
}

function begin(provider: ModelProvider): Conversation {
  const conversation = new Conversation(provider.freezePrefix(CONTENT));
  say(conversation, 'Hello?');
  return conversation;
}

function say(conversation: Conversation, words: string): void {
  conversation.append({ role: 'user', blocks: [freezeBlock(text(words))] });
}

async function drain(
  { client }: ModelProvider,
  request: ModelRequest,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of client.request(request, signal)) events.push(event);
  return events;
}

/** The finished blocks; what is frozen of each must be what is parsed of it. */
function blocksOf(events: readonly ModelEvent[]) {
  return events.flatMap((event) => {
    if (event.type !== 'block-finished') return [];
    expect(parseBlock(event.block.frozen)).toEqual(event.block.block);
    return [event.block.block];
  });
}

const isEnd = (type: ModelEvent['type']) => type === 'response-finished' || type === 'fault';
const isCount = (value: number) => Number.isInteger(value) && value >= 0;
