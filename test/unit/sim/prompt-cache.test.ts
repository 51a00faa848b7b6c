/** Prompt-cache accounting, rule by rule, and as properties. */

import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../src/model/anthropic/wire.js';
import { promptBlocks } from '../../../src/sim/cache/prompt-blocks.js';
import { type InputUsage, promptCache } from '../../../src/sim/cache/prompt-cache.js';
import { signThinking } from '../../../src/sim/server/signature.js';
import fc from '../../support/fast-check.js';
import { assistant, call, MODEL, marked, requestOf, result, tool, user } from './ask.js';

const MINIMUM = 1_024;
const MINUTE = 60_000;
/** A text of so many tokens. */
const tokens = (count: number, letter = 'x') => letter.repeat(count * 4);
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } as const;

function cacheWith({ dropsThinking = false, minimum = MINIMUM } = {}) {
  const cache = promptCache();
  const plan = (body: WireRequest, now = 0, workspace = '') =>
    cache.plan(promptBlocks({ ...body }, { dropsThinking }, workspace), minimum, now);
  return {
    plan,
    ask(body: WireRequest, now = 0, workspace = ''): InputUsage {
      const planned = plan(body, now, workspace);
      planned.begin(now);
      return planned.usage;
    },
  };
}

const read = (usage: InputUsage) => usage.cache_read_input_tokens;
const written = (usage: InputUsage) => usage.cache_creation_input_tokens;

describe('SF-10: what is read and written', () => {
  it('SF-10: a prefix is written once, then read, and what follows is neither', () => {
    const { ask } = cacheWith();
    const body = requestOf([user(tokens(500))], { system: [marked(tokens(2_000))] });
    expect(ask(body)).toEqual({
      input_tokens: 500,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 2_000,
      cache_creation: { ephemeral_5m_input_tokens: 2_000, ephemeral_1h_input_tokens: 0 },
    });
    expect(ask(body)).toMatchObject({
      input_tokens: 500,
      cache_read_input_tokens: 2_000,
      cache_creation_input_tokens: 0,
    });
  });

  it('SF-10: an entry can be read only once the response that writes it has begun', () => {
    const { plan } = cacheWith();
    const body = requestOf([user(marked(tokens(2_000)))]);
    const first = plan(body);
    const atTheSameTime = plan(body);
    expect(read(atTheSameTime.usage)).toBe(0);
    first.begin(0);
    expect(read(plan(body).usage)).toBe(2_000);
  });

  it('SF-10: prefixes shorter than the minimum of the model are not cached', () => {
    const { ask } = cacheWith();
    const short = requestOf([user(marked(tokens(MINIMUM - 1)))]);
    expect(written(ask(short))).toBe(0);
    const enough = requestOf([user(marked(tokens(MINIMUM)))]);
    expect(written(ask(enough))).toBe(MINIMUM);
  });

  it('SF-10: five minutes, restarted by every read', () => {
    const { ask } = cacheWith();
    const body = requestOf([user(marked(tokens(2_000)))]);
    ask(body, 0);
    expect(read(ask(body, 4 * MINUTE))).toBe(2_000);
    expect(read(ask(body, 8 * MINUTE))).toBe(2_000);
    expect(read(ask(body, 13 * MINUTE))).toBe(0);
  });

  it('SF-10: one hour, counted separately', () => {
    const { ask } = cacheWith();
    const body = requestOf([user(marked(tokens(2_000)), 'tail')], { system: [marked(tokens(1_500), '1h')] });
    expect(ask(body, 0).cache_creation).toEqual({
      ephemeral_1h_input_tokens: 1_500,
      ephemeral_5m_input_tokens: 2_000,
    });
    expect(read(ask(body, 59 * MINUTE))).toBe(1_500);
  });

  it('SF-10: a breakpoint checks 20 blocks, its own first', () => {
    const grown = (more: number) =>
      requestOf([
        user(marked(tokens(2_000)), ...Array.from({ length: more - 1 }, (_, index) => `b${index}`), marked('end')),
      ]);
    const oneMark = (body: WireRequest): WireRequest => {
      const text = JSON.stringify(body).replace(',"cache_control":{"type":"ephemeral"}', '');
      return JSON.parse(text) as WireRequest;
    };
    const first = requestOf([user(marked(tokens(2_000)))]);
    const near = cacheWith();
    near.ask(first);
    expect(read(near.ask(oneMark(grown(19))))).toBe(2_000);
    const far = cacheWith();
    far.ask(first);
    expect(read(far.ask(oneMark(grown(20))))).toBe(0);
    const both = cacheWith();
    both.ask(first);
    expect(read(both.ask(grown(60)))).toBe(2_000);
  });

  it('SF-10: entries are written at breakpoints only', () => {
    const { ask } = cacheWith();
    ask(requestOf([user(tokens(2_000), marked('end'))]));
    expect(read(ask(requestOf([user(marked(tokens(2_000)))])))).toBe(0);
  });

  it('SF-10: keys of workspaces and models are separate', () => {
    const { ask } = cacheWith();
    const body = requestOf([user(marked(tokens(2_000)))]);
    ask(body, 0, 'one');
    expect(read(ask(body, 0, 'two'))).toBe(0);
    expect(read(ask({ ...body, model: 'claude-sonnet-5' }, 0, 'one'))).toBe(0);
    expect(read(ask(body, 0, 'one'))).toBe(2_000);
  });

  it('SF-10: a marker on the request applies to its last block', () => {
    const { ask } = cacheWith();
    const body = { ...requestOf([user(tokens(2_000))]), cache_control: { type: 'ephemeral' } } as WireRequest;
    expect(written(ask(body))).toBe(2_000);
  });
});

describe('SF-10: what is content and what is not', () => {
  const first = requestOf([user(tokens(1_500), marked('a')), assistant('b'), user('c')]);

  it.each([
    [
      'text as a string',
      requestOf([{ role: 'user', content: tokens(1_500) }, user(marked('a')), assistant('b'), user('c')]),
    ],
    ['neighbours of one role', requestOf([user(tokens(1_500)), user(marked('a')), assistant('b')])],
    ['other markers', requestOf([user(marked(tokens(1_500), '1h'), marked('a', '1h'))])],
    [
      'max_tokens, streaming, metadata',
      { ...first, max_tokens: 7, stream: true, metadata: { user_id: 'x' }, temperature: 1 },
    ],
    [
      'the order of a block’s keys',
      requestOf([user(tokens(1_500), { cache_control: { type: 'ephemeral' }, text: 'a', type: 'text' })]),
    ],
  ])('SF-10: no content: %s', (_, body) => {
    const { ask } = cacheWith();
    ask(first);
    expect(read(ask(body))).toBe(1_501);
  });

  it.each([
    ['a changed text', requestOf([user(tokens(1_500, 'y'), marked('a'))])],
    ['another role', requestOf([user(tokens(1_500)), assistant(marked('a')), user('b')])],
  ])('SF-10: content: %s', (_, body) => {
    const { ask } = cacheWith();
    ask(first);
    expect(read(ask(body))).toBe(0);
  });

  it('SF-10: the order of keys in a tool’s input is content', () => {
    const { ask } = cacheWith();
    const body = (input: unknown) =>
      requestOf([user(tokens(1_500)), assistant(call('t1', 'Read', input)), user(result('t1'), marked('go'))]);
    ask(body({ a: 1, b: 2 }));
    expect(read(ask(body({ b: 2, a: 1 })))).toBe(0);
  });
});

describe('SF-10: what changes which level', () => {
  const tools = [tool('Read', tokens(2_000)), tool('Bash')];
  const system = [marked(tokens(1_500))];
  const body = requestOf([user(marked(tokens(1_200)))], { tools, system });
  const all = read(
    (() => {
      const { ask } = cacheWith();
      ask(body);
      return ask(body);
    })(),
  );
  const toSystem = all - 1_200;

  it.each([
    ['nothing', body, all],
    ['a tool', { ...body, tools: [tool('Read', tokens(2_000)), tool('Grep')] }, 0],
    ['the order of tools', { ...body, tools: [...tools].reverse() }, 0],
    ['the system prompt', { ...body, system: [marked(tokens(1_500, 'z'))] }, 0],
    ['tool_choice', { ...body, tool_choice: { type: 'none' } as const }, toSystem],
    ['thinking', { ...body, thinking: { type: 'adaptive' } as const }, toSystem],
    ['effort', { ...body, output_config: { effort: 'low' } }, toSystem],
    ['the first image', { ...body, messages: [...body.messages, user(image)] }, toSystem],
    ['the default spelled out', { ...body, tool_choice: { type: 'auto' } as const }, all],
  ])('SF-10: %s', (_, changed, expected) => {
    const { ask } = cacheWith();
    ask(body);
    expect(read(ask(changed))).toBe(expected);
  });

  it('SF-10: a marker on the last tool keeps the tools cached when the system prompt changes', () => {
    const { ask } = cacheWith();
    const [first, second] = tools;
    const withMark = [first, { ...second, cache_control: { type: 'ephemeral' } }] as NonNullable<WireRequest['tools']>;
    ask({ ...body, tools: withMark });
    expect(read(ask({ ...body, tools: withMark, system: [marked('other')] }))).toBe(toSystem - 1_500);
  });

  it('SF-10: models that drop thinking miss from there as soon as text follows; others keep it', () => {
    const thought = { type: 'thinking', thinking: tokens(100), signature: signThinking(tokens(100), MODEL) } as const;
    const loop = [user(tokens(1_500)), assistant(thought, call('t1')), user(result('t1', tokens(50)))];
    const before = requestOf([
      ...loop.slice(0, 2),
      user({ ...result('t1', tokens(50)), cache_control: { type: 'ephemeral' } }),
    ]);
    const inTheLoop = requestOf([...loop, assistant('go'), user(marked('on'))]);
    const keeping = cacheWith();
    const kept = written(keeping.ask(before));
    expect(read(keeping.ask(inTheLoop))).toBe(kept);
    const dropping = cacheWith({ dropsThinking: true });
    expect(written(dropping.ask(before))).toBe(kept);
    expect(read(dropping.ask(before))).toBe(kept);
    expect(read(dropping.ask(inTheLoop))).toBe(0);
  });
});

describe('SF-10: properties', () => {
  const block = fc.record({ size: fc.integer({ min: 1, max: 900 }), letter: fc.constantFrom('a', 'b', 'c') });
  const conversation = fc.array(fc.array(block, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 });
  const marks = fc.array(fc.nat(63), { maxLength: 4 });

  /** A conversation of user and assistant texts, with markers at some of its blocks. */
  const build = (turns: { size: number; letter: string }[][], layout: number[]): WireRequest => {
    const count = turns.flat().length;
    const at = new Set(layout.map((place) => place % count));
    let index = 0;
    const messages = turns.map((blocks, turn) => {
      const content = blocks.map(({ size, letter }) => {
        const text = tokens(size, letter);
        return at.has(index++) ? marked(text) : text;
      });
      return turn % 2 === 0 ? user(...content) : assistant(...content);
    });
    return requestOf(messages);
  };

  it('SF-10: every token is counted exactly once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(conversation, marks), { minLength: 1, maxLength: 6 }), (asked) => {
        const { ask } = cacheWith();
        for (const [turns, layout] of asked) {
          const usage = ask(build(turns, layout));
          const total = turns.flat().reduce((sum, { size }) => sum + size, 0);
          expect(usage.input_tokens + read(usage) + written(usage)).toBe(total);
          const { ephemeral_1h_input_tokens: hour, ephemeral_5m_input_tokens: short } = usage.cache_creation;
          expect(hour + short).toBe(written(usage));
        }
      }),
    );
  });

  it('SF-10: a request repeated after its response began reads everything up to its last breakpoint', () => {
    fc.assert(
      fc.property(conversation, marks, (turns, layout) => {
        const { ask } = cacheWith();
        const body = build(turns, layout);
        const first = ask(body);
        const second = ask(body);
        expect(read(second)).toBe(written(first) + read(first));
        expect(written(second)).toBe(0);
      }),
    );
  });

  it('SF-10: a request that grows the last one by appending reads all the last one cached, with a marker at its end', () => {
    fc.assert(
      fc.property(conversation, conversation, (turns, more) => {
        const { ask } = cacheWith();
        const count = turns.flat().length;
        const first = ask(build(turns, [count - 1]));
        const grown = [...turns, ...more];
        const second = ask(build(grown, [count - 1, grown.flat().length - 1]));
        expect(read(second)).toBe(written(first));
      }),
    );
  });

  it('SF-10: nothing is read that was not asked before, byte for byte', () => {
    fc.assert(
      fc.property(conversation, marks, (turns, layout) => {
        const { ask } = cacheWith();
        ask(build(turns, layout));
        const [[head, ...blocks] = [], ...rest] = turns;
        const changed = [[{ size: head?.size ?? 1, letter: 'z' }, ...blocks], ...rest];
        expect(read(ask(build(changed, layout)))).toBe(0);
      }),
    );
  });
});
