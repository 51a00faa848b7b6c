/** LC-22: which calls run together, and in what order their results are reported. */

import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../src/index.js';
import type { ReplyBlock } from '../../src/sim/index.js';
import { gate } from '../support/gate.js';
import { eventsOf, expectAllAccepted, readingTool, readTranscript, setStage } from '../support/story.js';
import { turns } from '../support/until.js';

/** Numbers that look random and are the same in every run. */
function shuffled(count: number): number[] {
  return Array.from({ length: count }, (_, index) => ((index * 7919 + 13) % 23) * 2);
}

it('LC-22: 20 parallel reads that finish in any order: every pair is there, the message in the order of the calls, ten at once', async () => {
  const calls: ReplyBlock[] = Array.from({ length: 20 }, (_, n) => ({ tool: 'Slow', input: { n } }));
  const stage = await setStage([
    { when: { nth: 1 }, reply: calls },
    { when: { nth: 2 }, reply: 'all read' },
  ]);
  const delays = shuffled(20);
  let running = 0;
  let most = 0;
  const full = gate();
  const slow = readingTool('Slow', async ({ n = 0 }) => {
    running += 1;
    most = Math.max(most, running);
    if (running === 10) full.open();
    await full.opened;
    await turns(delays[n]);
    running -= 1;
    return `result ${n}`;
  });
  const session = await stage.open({ tools: [slow] });
  const end = await session.send('read everything');
  expect(end).toMatchObject({ reason: 'completed', text: 'all read' });
  expectAllAccepted(stage.sim);
  expect(most).toBe(10);

  const second = stage.sim.requests[1]?.body.messages.at(-1);
  const told = Array.isArray(second?.content) ? second.content.map((block) => JSON.stringify(block)) : [];
  expect(told).toHaveLength(20);
  told.forEach((block, n) => {
    expect(block).toContain(`"result ${n}"`);
  });

  // Recorded as they arrived, not as they were called.
  const records = await readTranscript(session.transcript);
  const finished = records.flatMap(({ event }) =>
    event.kind === 'call-finished'
      ? [Number(/result (\d+)/.exec(Buffer.from(event.blocks[0]?.bytes ?? []).toString())?.[1])]
      : [],
  );
  expect([...finished].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(finished).not.toEqual([...finished].sort((a, b) => a - b));
  const joined = records.find(({ event }) => event.kind === 'message-joined' && event.from.length === 20);
  expect(joined?.seq).toBeGreaterThan(
    Math.max(...records.filter(({ event }) => event.kind === 'call-finished').map(({ seq }) => seq)),
  );
});

it('LC-22: a call that changes something runs alone, between the reads before and after it', async () => {
  const stage = await setStage([
    {
      when: { nth: 1 },
      reply: [
        { tool: 'Look', input: { n: 1 } },
        { tool: 'Look', input: { n: 2 } },
        { tool: 'Change', input: { n: 3 } },
        { tool: 'Change', input: { n: 4 } },
        { tool: 'Look', input: { n: 5 } },
        { tool: 'Look', input: { n: 6 } },
      ],
    },
    { when: { nth: 2 }, reply: 'done' },
  ]);
  const steps: string[] = [];
  /** Of those that go together, the first ends last. */
  const ended = new Map([2, 6].map((n) => [n, gate()]));
  const take = async (what: string, n = 0) => {
    steps.push(`+${n}`);
    await ended.get(n + 1)?.opened;
    steps.push(`-${n}`);
    ended.get(n)?.open();
    return `${what} ${n}`;
  };
  const look = readingTool('Look', ({ n }) => take('looked', n));
  const change = defineTool({
    name: 'Change',
    description: 'Changes something.',
    schema: z.object({ n: z.number() }),
    run: ({ n }) => take('changed', n),
  });
  const session = await stage.open({ tools: [look, change], permissionMode: 'bypassPermissions' });
  expect((await session.send('go')).reason).toBe('completed');
  expectAllAccepted(stage.sim);
  expect(steps).toEqual(['+1', '+2', '-2', '-1', '+3', '-3', '+4', '-4', '+5', '+6', '-6', '-5']);
  // What may have changed something is marked so, with its intent before it.
  expect(eventsOf(stage, 'call-intended').map(({ tool }) => tool)).toEqual(['Change', 'Change']);
});

it('LC-22: real edits and commands of one reply run one after another', async () => {
  const stage = await setStage([
    {
      when: { nth: 1 },
      reply: () => [
        { tool: 'Bash', input: { command: 'sleep 0.1; echo one >> log.txt' } },
        { tool: 'Bash', input: { command: 'echo two >> log.txt' } },
        { tool: 'Write', input: { file_path: `${stage.folder}/new.txt`, content: 'hello' } },
        { tool: 'Bash', input: { command: 'cat new.txt >> log.txt' } },
      ],
    },
    { when: { nth: 2 }, reply: 'done' },
  ]);
  const session = await stage.open({ permissionMode: 'bypassPermissions' });
  expect((await session.send('go')).reason).toBe('completed');
  expectAllAccepted(stage.sim);
  expect(await stage.read('log.txt')).toBe('one\ntwo\nhello');
});

it('LC-22: each result is on disk the moment it arrives, while its neighbours still run', async () => {
  let atSecond: string[] = [];
  const stage = await setStage([
    { when: { nth: 1 }, reply: [{ tool: 'First' }, { tool: 'Second' }] },
    { when: { nth: 2 }, reply: 'done' },
  ]);
  let firstDone: () => void = () => {};
  const waiting = new Promise<void>((resolve) => {
    firstDone = resolve;
  });
  const first = readingTool('First', async () => 'first result');
  const second = readingTool('Second', async () => {
    await waiting;
    atSecond = (await readTranscript(session.transcript)).flatMap(({ event }) =>
      event.kind === 'call-finished' ? [event.tool] : [],
    );
    return 'second result';
  });
  const session = await stage.open({ tools: [first, second] });
  session.watch(({ event }) => {
    if (event.kind === 'call-finished' && event.tool === 'First') firstDone();
  });
  expect((await session.send('go')).reason).toBe('completed');
  expect(atSecond).toEqual(['First']);
});
