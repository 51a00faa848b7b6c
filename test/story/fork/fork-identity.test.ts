import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../src/front/sdk/define-tool.js';
import type { UserBlock } from '../../../src/protocol/blocks.js';
import type { Reply, ReplyBlock, SimRequest } from '../../../src/sim/index.js';
import { agentTranscripts } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readingTool, setStage } from '../../support/story.js';
import {
  cachedBy,
  expectIdentity,
  expectSuffix,
  forkRequests,
  messagesOf,
  parentRequests,
  readBy,
} from './fork-check.js';
import { FORKED, fork, lastBefore, look, lookTool, rules } from './fork-identity-stage.js';

/** Two by two points. */
const PNG = png();

describe.each(['all', 'own'] as const)('byte identity, on the wire: siblings %s', (siblings) => {
  const seen = { fork: 'on', settings: JSON.stringify({ fork: { siblings } }) } as const;

  it('FK-8, FK-6: with other tools in the same reply, before, between and after', async () => {
    const stage = await setStage(
      rules([
        [look()],
        ['I do:', look(1), fork(1), { tool: 'Glob', input: { pattern: '*' } }, fork(2), look(2)],
        'end',
      ]),
    );
    await (await stage.open({ ...seen, tools: [lookTool] })).send('go');
    const parent = await lastBefore(stage);
    expectIdentity(stage.sim, parent, 2, 1, siblings);
    for (const [first] of forkRequests(stage.sim).values()) expectSuffix(parent, first as SimRequest, siblings);
  });

  it('FK-8, FK-14: with thinking, signed and redacted, at every place', async () => {
    const stage = await setStage(
      rules([
        [{ thinking: 'first' }, look()],
        [{ thinking: 'a' }, { redacted: 'b' }, 'words', { thinking: 'c' }, fork(1), fork(2)],
        'end',
      ]),
    );
    await (await stage.open({ ...seen, tools: [lookTool] })).send('go');
    const parent = await lastBefore(stage);
    expectIdentity(stage.sim, parent, 2, 1, siblings);
    const [first] = [...forkRequests(stage.sim).values()][0] ?? [];
    if (first === undefined) throw new Error('no fork');
    const reply = messagesOf(first).at(-2)?.content ?? [];
    const calls = siblings === 'all' ? ['tool_use', 'tool_use'] : ['tool_use'];
    expect(reply.map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'text', 'thinking', ...calls]);
    // As the parent's own next request has it.
    const next = parentRequests(stage.sim).at(-1) as SimRequest;
    const whole = messagesOf(next)[messagesOf(parent).length]?.content ?? [];
    expect(reply.slice(0, 4)).toEqual(whole.slice(0, 4));
    expect(whole.slice(4)).toEqual(expect.arrayContaining(reply.slice(4)));
  });

  it('FK-8: with images from the user and from a tool', async () => {
    const stage = await setStage(rules([[{ tool: 'Shot', input: {} }], [fork(1), fork(2)], 'end']));
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } } as const;
    const shot = defineTool({
      name: 'Shot',
      description: 'A picture.',
      schema: z.object({}),
      readOnly: true,
      run: async () => ({ isError: false, content: [{ type: 'text', text: 'here' }, image] }),
    });
    const words: UserBlock[] = [{ type: 'text', text: 'look at this' }, image];
    await (await stage.open({ ...seen, tools: [shot] })).send(words);
    expectIdentity(stage.sim, await lastBefore(stage), 2, 1, siblings);
  });

  it('FK-16: after a compaction, from what the parent really sends', async () => {
    const model = 'claude-opus-5-5';
    const long = `answer ${'word '.repeat(750)}`;
    const stage = await setStage(rules([...Array.from({ length: 8 }, () => long), [fork(1), fork(2)], 'end']), {
      models: { [model]: { contextTokens: 14_000 } },
    });
    await stage.settings({ models: { [model]: { context: 14_000, maxOutput: 1_000 } } });
    const session = await stage.open(seen);
    for (let n = 1; n <= 9; n += 1) await session.send(`prompt ${n}`);
    expect(eventsOf(stage, 'history-compacted').length).toBeGreaterThan(0);
    const parent = await lastBefore(stage);
    expect(parent.raw.includes('<conversation-summary>')).toBe(true);
    expectIdentity(stage.sim, parent, 2, 1, siblings);
  });

  it('FK-7, FK-25: with tools registered late through the library, from the next prompt on', async () => {
    const stage = await setStage(
      rules(
        [[look()], 'first', [{ tool: 'Late', input: {} }], [fork(1), fork(2)], 'end'],
        [[{ tool: 'Late', input: {} }], 'Scope: done'],
      ),
    );
    const session = await stage.open({ ...seen, tools: [lookTool] });
    const work = session.send('go');
    await stage.sim.received(1);
    session.addTools([readingTool('Late', async () => 'it came late')]);
    await work;
    const names = (request: SimRequest | undefined) => (request?.body.tools ?? []).map(({ name }) => name);
    expect(names(parentRequests(stage.sim).at(-1))).not.toContain('Late');
    await session.send('again');
    const parent = await lastBefore(stage);
    expect(names(parent)).toContain('Late');
    expectIdentity(stage.sim, parent, 2, 2, siblings);
    expect(
      eventsOf(stage, 'epoch-started')
        .map(({ reason }) => reason)
        .slice(0, 2),
    ).toEqual(['session-start', 'tools-changed']);
    const used = stage.sim.requests.flatMap((request) => (request.raw.includes('it came late') ? [request] : []));
    expect(used.length).toBeGreaterThan(1);
  });

  it('FK-5, FK-7: after a switch of model, on the model the parent has now', async () => {
    const stage = await setStage(
      rules([[{ thinking: 'hm' }, look()], 'first', [{ thinking: 'so' }, look()], [fork(1), fork(2)], 'end']),
    );
    const session = await stage.open({
      ...seen,
      tools: [lookTool],
      env: { ...stage.env, COPPICE_SUBAGENT_MODEL: 'haiku' },
    });
    await session.send('go');
    await session.setModel('sonnet');
    await session.send('again');
    const parent = await lastBefore(stage);
    expect(parent.body.model).toBe('claude-sonnet-5-5');
    expectIdentity(stage.sim, parent, 2, 1, siblings);
  });

  it('FK-24: session.fork() while another turn of the parent runs: from the last complete point', async () => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow = readingTool('Slow', async () => {
      await held;
      return 'slow result';
    });
    const stage = await setStage(rules([[look()], [{ tool: 'Slow', input: {} }], 'end'], [[look(7)], 'Scope: forked']));
    const session = await stage.open({ tools: [lookTool, slow] });
    const work = session.send('go');
    await new Promise<void>((resolve) => {
      session.watch(({ event }) => {
        if (event.kind === 'call-started' && event.tool === 'Slow') resolve();
      });
    });
    const results = await Promise.all([session.fork('DIRECTIVE 1 go'), session.fork('DIRECTIVE 2 go')]);
    expect(results.map(({ status }) => status)).toEqual(['completed', 'completed']);
    goOn();
    expect((await work).text).toBe('end');
    const parent = parentRequests(stage.sim)[1] as SimRequest;
    expectIdentity(stage.sim, parent, 2, 2, siblings);
    expectAllAccepted(stage.sim);
    for (const own of forkRequests(stage.sim).values()) {
      expect(own[0]?.raw.includes('"name":"Slow","input"')).toBe(false);
      expect(readBy(own[0] as SimRequest)).toBeGreaterThanOrEqual(cachedBy(parent) * 0.99);
    }
  });

  it('FK-8: the tenth request of a fork still begins with all before it', async () => {
    const child = [...Array.from({ length: 9 }, (_, n): Reply => [{ thinking: `t${n}` }, look(n)]), 'Scope: done'];
    const stage = await setStage(rules([[look()], [fork(1), fork(2)], 'end'], child));
    await (await stage.open({ ...seen, tools: [lookTool] })).send('go');
    const parent = await lastBefore(stage);
    expectIdentity(stage.sim, parent, 2, 10, siblings);
    for (const own of forkRequests(stage.sim).values()) {
      own.slice(1).forEach((request, index) => {
        expect(readBy(request)).toBeGreaterThanOrEqual(cachedBy(own[index] as SimRequest) * 0.99);
      });
    }
  });

  it('FK-8: a fork of a named child repeats that child’s bytes, not the main agent’s', async () => {
    const stage = await setStage([
      { when: FORKED, reply: 'Scope: done' },
      { when: { said: 'NAMED', nth: 1 }, reply: [{ thinking: 'hm' }, look()] },
      { when: { said: 'NAMED', nth: 2 }, reply: [fork(1), fork(2)] },
      { when: { said: 'NAMED' }, reply: 'named done' },
      { when: { nth: 1 }, reply: [{ tool: 'Agent', input: { prompt: 'NAMED task' } }] },
      { reply: 'end' },
    ]);
    await (await stage.open({ ...seen, tools: [lookTool] })).send('go');
    expectAllAccepted(stage.sim);
    const named = stage.sim.requests.filter(
      (request) =>
        request.raw.includes('NAMED task') &&
        !request.raw.includes('You are a forked worker') &&
        messagesOf(request).length === 3,
    );
    expectIdentity(stage.sim, named[0] as SimRequest, 2, 1, siblings);
    expect(
      eventsOf(stage, 'agent-spawned')
        .filter(({ type }) => type === 'fork')
        .map(({ depth }) => depth),
    ).toEqual([2, 2]);
  });
});

describe('nothing in the parent changes by forking', () => {
  const parentNext = async (call: object, options: object) => {
    const stage = await setStage(
      rules([[{ thinking: 'x' }, look()], ['now', call as ReplyBlock, look(2)], [look(3)], 'end']),
    );
    const agent = defineTool({
      name: 'Other',
      description: 'x',
      schema: z.object({}),
      readOnly: true,
      run: async () => 'fixed result',
    });
    const session = await stage.open({ fork: 'on', tools: [lookTool, agent], sessionId: 'same', ...options });
    await session.send('go');
    await session.send('and again');
    expectAllAccepted(stage.sim);
    return parentRequests(stage.sim).map((request) =>
      messagesOf(request).map((message) =>
        JSON.stringify(message, (_key, value) =>
          typeof value === 'string'
            ? value
                .replaceAll(stage.folder, 'FOLDER')
                .replace(/toolu_\w+/g, 'ID')
                .replace(/"signature":"[^"]*"/g, '')
            : value,
        ),
      ),
    );
  };

  it('FK-8: its next requests are what they would have been, apart from the result of the call', async () => {
    const withFork = await parentNext(fork(1), {});
    const without = await parentNext({ tool: 'Other', input: {} }, {});
    expect(withFork.length).toBe(without.length);
    const strip = (message: string) =>
      message.replace(/\{"type":"tool_(use|result)"[^\n]*/, 'CALLS').replace(/"signature":"[^"]*"/g, '');
    withFork.forEach((messages, index) => {
      expect(messages.map(strip)).toEqual(without[index]?.map(strip));
    });
  });

  it('FK-8: appending to a child never changes the parent, nor the other way round', async () => {
    const stage = await setStage(rules([[look()], 'first', 'second', 'third'], [[look(8)], [look(9)], 'Scope: done']));
    const session = await stage.open({ tools: [lookTool] });
    await session.send('one');
    const before = parentRequests(stage.sim).length;
    const forked = session.fork('DIRECTIVE 1 go');
    await session.send('two');
    await forked;
    await session.send('the third prompt');
    const requests = parentRequests(stage.sim).slice(before);
    expect(requests.map((request) => messagesOf(request).length)).toEqual([5, 7]);
    for (const request of requests) expect(request.raw.includes('seen 8')).toBe(false);
    for (const own of forkRequests(stage.sim).values())
      for (const request of own) expect(request.raw.includes('the third prompt')).toBe(false);
  });
});

it('DU-6: a fork’s file refers to its parent’s conversation and copies none of it', async () => {
  const { readFile } = await import('node:fs/promises');
  const stage = await setStage(rules([[look()], [fork(1), fork(2)], 'end']));
  const session = await stage.open({ fork: 'on', tools: [lookTool] });
  await session.send(`A long prompt: ${'conversation '.repeat(5_000)}`);
  await session.close();
  const files = await Promise.all((await agentTranscripts(session)).map((path) => readFile(path, 'utf8')));
  expect(files).toHaveLength(2);
  for (const file of files) {
    expect(file.length).toBeLessThan(12_000);
    expect(file).not.toContain('conversation conversation');
    const spawned = JSON.parse(file.split('\n')[0] ?? '');
    expect(spawned).toMatchObject({
      kind: 'agent-spawned',
      origin: 'agent:builtin:fork',
      fork: { session: session.id, agent: 'main', messages: 4 },
    });
    expect(spawned.fork.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(spawned.fork.upTo).toBeGreaterThan(0);
  }
  const epochs = files.map((file) => /"kind":"epoch-started"[^}]*"prefix":"(\w+)"/.exec(file)?.[1]);
  const own = /"kind":"epoch-started"[^}]*"prefix":"(\w+)"/.exec(await readFile(session.transcript, 'utf8'))?.[1];
  expect(epochs).toEqual([own, own]);
});

function png(): string {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
  const rows = deflateSync(Buffer.alloc(2 * (1 + 2 * 3), 7));
  const parts = [
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk('IHDR', head),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat(parts).toString('base64');
}

function crc(data: Buffer): number {
  let value = 0xffffffff;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}
