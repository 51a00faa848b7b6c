/** An interruption at every stage: the run ends, the conversation stays valid, the next prompt works. */

import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Session } from '../../src/front/sdk/session.js';
import { defineTool } from '../../src/index.js';
import { parseBlock } from '../../src/protocol/frozen-block.js';
import type { Rule } from '../../src/sim/index.js';
import { groupRuns, runningWith } from '../support/processes.js';
import { eventsOf, readingTool, readTranscript, type Stage, setStage } from '../support/story.js';
import { until, untilFound } from '../support/until.js';
import { lastSent } from '../support/wire-body.js';

const STILL_THERE: Rule = { when: { user: 'still there?' }, reply: 'still here' };
/** Longer than any test may take: an abort that is not heard fails by the test's own limit. */
const FOR_EVER = 600_000;

async function expectInterrupted(stage: Stage, session: Session, work: Promise<{ reason: string }>): Promise<void> {
  expect((await work).reason).toBe('interrupted');
  const last = (await readTranscript(session.transcript)).at(-1)?.event;
  expect(last).toMatchObject({ kind: 'run-ended', reason: 'interrupted' });
  expect(await session.send('still there?')).toMatchObject({ reason: 'completed', text: 'still here' });
  expect(stage.sim.unmatched).toEqual([]);
  const refused = stage.sim.requests.filter(({ status, fault }) => status !== undefined && status !== 200 && !fault);
  expect(refused.map(({ error }) => error)).toEqual([]);
}

it('LC-2: aborted before the request: nothing is sent', async () => {
  const stage = await setStage([STILL_THERE]);
  const session = await stage.open({ hooks: { UserPromptSubmit: [{ hooks: [() => interruptOnce()] }] } });
  let interrupts = 0;
  const interruptOnce = () => {
    interrupts += 1;
    if (interrupts === 1) session.interrupt();
  };
  const work = session.send('go');
  await work;
  expect(stage.sim.requests).toHaveLength(0);
  await expectInterrupted(stage, session, work);
});

it('LC-2: aborted while waiting for the first byte', async () => {
  const stage = await setStage([STILL_THERE, { reply: 'too late', delay: { firstMs: FOR_EVER } }]);
  const session = await stage.open();
  const work = session.send('go');
  await stage.sim.received(1);
  session.interrupt();
  await expectInterrupted(stage, session, work);
});

it('LC-2: aborted in mid-stream: what was said stays, as text', async () => {
  const stage = await setStage([
    STILL_THERE,
    {
      fault: { kind: 'silence', at: 8 },
      reply: [{ thinking: 'hm' }, 'these words were heard', { tool: 'Look', input: { n: 1 } }],
    },
  ]);
  const session = await stage.open({ tools: [readingTool('Look', async () => 'seen')] });
  const unwatch = session.watch(({ event }) => {
    if (event.kind !== 'text-streamed') return;
    unwatch();
    session.interrupt();
  });
  await expectInterrupted(stage, session, session.send('go'));
  const kept = lastSent(stage.sim);
  expect(kept).toContain('these words were heard');
  expect(kept).not.toContain('"type":"tool_use"');
  expect(eventsOf(stage, 'call-started')).toEqual([]);
});

it('LC-2: aborted inside a call while it streams: no half call stays', async () => {
  const stage = await setStage([
    STILL_THERE,
    { fault: { kind: 'silence', at: 6 }, reply: [{ tool: 'Look', input: { n: 1, more: 'x'.repeat(400) } }] },
  ]);
  const session = await stage.open({ tools: [readingTool('Look', async () => 'seen')] });
  const unwatch = session.watch(({ event }) => {
    if (event.kind !== 'call-streamed' || event.json === '') return;
    unwatch();
    session.interrupt();
  });
  await expectInterrupted(stage, session, session.send('go'));
});

it.each([
  ['that heeds the signal', true],
  ['that does not', false],
])('LC-2: aborted during a tool %s', async (_name, heeds) => {
  const stage = await setStage([STILL_THERE, { reply: [{ tool: 'Wait' }] }]);
  const wait = readingTool('Wait', (_input, signal) => {
    session.interrupt();
    return new Promise((resolve) => {
      if (!heeds) return;
      if (signal.aborted) resolve('ended early');
      signal.addEventListener('abort', () => resolve('ended early'));
    });
  });
  const session = await stage.open({ tools: [wait] });
  await expectInterrupted(stage, session, session.send('go'));
  expect(eventsOf(stage, 'call-finished')).toHaveLength(1);
});

it('LC-2: aborted during a command: the whole process group is gone', async () => {
  const marker = `4${process.pid}.125`;
  const stage = await setStage([
    STILL_THERE,
    {
      reply: [
        { tool: 'Bash', input: { command: `echo $$ > pid; (trap "" TERM; sleep ${marker}) & sleep ${marker}; wait` } },
      ],
    },
  ]);
  const session = await stage.open({ permissionMode: 'bypassPermissions' });
  const work = session.send('go');
  const pid = await appears(() => stage.read('pid'));
  session.interrupt();
  await expectInterrupted(stage, session, work);
  expect(Number(pid)).toBeGreaterThan(1);
  await until(() => !groupRuns(Number(pid)) && runningWith(marker).length === 0, 'the whole group is gone');
});

it.each([1, 2, 3])('LC-2: aborted in call %i of a reply with three: every call has its result', async (at) => {
  const stage = await setStage([
    STILL_THERE,
    { when: { nth: 1 }, reply: [1, 2, 3].map((n) => ({ tool: 'Change', input: { n } })) },
  ]);
  const ran: number[] = [];
  const change = defineTool({
    name: 'Change',
    description: 'Changes something.',
    schema: z.object({ n: z.number() }),
    run: async ({ n }) => {
      ran.push(n);
      if (n === at) session.interrupt();
      return `changed ${n}`;
    },
  });
  const session = await stage.open({ tools: [change], permissionMode: 'bypassPermissions' });
  await expectInterrupted(stage, session, session.send('go'));
  expect(ran).toEqual([1, 2, 3].slice(0, at));
  expect(eventsOf(stage, 'call-finished')).toHaveLength(3);
  const told =
    stage.sim.requests
      .at(-1)
      ?.raw.toString('utf8')
      .match(/Not started: the person interrupted/g) ?? [];
  expect(told).toHaveLength(3 - at);
});

it('LC-2: aborted while three calls run together', async () => {
  const stage = await setStage([
    STILL_THERE,
    { when: { nth: 1 }, reply: [1, 2, 3].map((n) => ({ tool: 'Wait', input: { n } })) },
  ]);
  const wait = readingTool('Wait', ({ n }, signal) => {
    if (n === 3) session.interrupt();
    if (n === 2) return Promise.resolve('quick');
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(`ended ${n}`)));
  });
  const session = await stage.open({ tools: [wait] });
  await expectInterrupted(stage, session, session.send('go'));
  expect(eventsOf(stage, 'call-finished')).toHaveLength(3);
});

it('LC-2, DU-15: a child that takes long to give up its own call is named in the result, so that nobody starts it again', async () => {
  const stage = await setStage([
    STILL_THERE,
    { when: { user: 'the task' }, reply: [{ tool: 'Stuck', input: {} }] },
    { when: { nth: 1 }, reply: [{ tool: 'Agent', input: { description: 'x', prompt: 'the task' } }] },
  ]);
  const stuck = readingTool('Stuck', () => {
    session.interrupt();
    return new Promise(() => {});
  });
  const session = await stage.open({ tools: [stuck] });
  await expectInterrupted(stage, session, session.send('go'));
  const { agent } = eventsOf(stage, 'agent-spawned')[0] ?? {};
  const [own, parents] = eventsOf(stage, 'call-finished').map(({ blocks }) => JSON.stringify(blocks.map(parseBlock)));
  expect(own).toContain('Interrupted; its outcome is unknown.');
  expect(parents).toContain(`agentId: ${agent}`);
});

it('LC-2: aborted while waiting to try again', async () => {
  const stage = await setStage([
    STILL_THERE,
    { fault: { kind: 'server_error', times: 1, retryAfter: 300 }, reply: 'never' },
  ]);
  const session = await stage.open();
  const unwatch = session.watch(({ event }) => {
    if (event.kind !== 'response-discarded') return;
    unwatch();
    session.interrupt();
  });
  await expectInterrupted(stage, session, session.send('go'));
});

it('LC-23: a rate limit is not forgotten by an abort, and does not hold up an aborted run', async () => {
  const stage = await setStage([
    STILL_THERE,
    { fault: { kind: 'rate_limit', retryAfter: 2, times: 1 }, reply: 'never' },
  ]);
  const session = await stage.open();
  const unwatch = session.watch(({ event }) => {
    if (event.kind !== 'response-discarded') return;
    unwatch();
    session.interrupt();
  });
  await expectInterrupted(stage, session, session.send('go'));
  const [first, second] = stage.sim.requests;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1_900);
});

it('LC-24: aborted during compaction: the conversation is what it was before', async () => {
  const stage = await setStage([
    { when: { user: '<compaction>' }, reply: 'too late', delay: { firstMs: FOR_EVER }, times: 1 },
    { when: { user: '<compaction>' }, reply: 'the summary' },
    STILL_THERE,
    { reply: 'a long answer '.repeat(600) },
  ]);
  await stage.settings({ models: { 'claude-opus-5-5': { context: 14_000, maxOutput: 1_000 } } });
  const session = await stage.open();
  for (let n = 0; n < 20 && eventsOf(stage, 'run-ended').every(({ reason }) => reason !== 'interrupted'); n += 1) {
    const work = session.send(`prompt ${n}`);
    const seen = stage.sim.requests.length + 1;
    const request = await Promise.race([work.then(() => undefined), compacting(stage, seen)]);
    if (request === undefined) continue;
    session.interrupt();
    expect((await work).reason).toBe('interrupted');
  }
  expect(eventsOf(stage, 'run-ended').at(-1)?.reason).toBe('interrupted');
  expect(eventsOf(stage, 'history-compacted')).toEqual([]);
  expect(await session.send('still there?')).toMatchObject({ reason: 'completed', text: 'still here' });
  expect(eventsOf(stage, 'history-compacted')).toHaveLength(1);
  expect(stage.sim.requests.filter(({ error }) => error !== undefined)).toEqual([]);
});

it('LC-2: aborted while a question waits for the user', async () => {
  const stage = await setStage([
    STILL_THERE,
    { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'touch never' } }] },
  ]);
  const session = await stage.open({
    onPermission: (_question, signal) => {
      setImmediate(() => session.interrupt());
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ behavior: 'allow' })));
    },
  });
  await expectInterrupted(stage, session, session.send('go'));
  expect(eventsOf(stage, 'call-intended')).toEqual([]);
  await expect(stage.read('never')).rejects.toThrow('ENOENT');
});

it('LC-2: aborted during a hook that hangs', async () => {
  const stage = await setStage([STILL_THERE, { when: { nth: 1 }, reply: [{ tool: 'Look' }] }]);
  const session = await stage.open({
    tools: [readingTool('Look', async () => 'seen')],
    hooks: {
      PreToolUse: [{ hooks: [() => new Promise<undefined>(() => setImmediate(() => session.interrupt()))] }],
    },
  });
  await expectInterrupted(stage, session, session.send('go'));
});

it('LC-10: words sent while it works reach the model at the next safe point, after the results', async () => {
  const stage = await setStage([
    { when: { nth: 1 }, reply: [{ tool: 'Wait' }] },
    { when: { nth: 2, user: 'one more thing', result: 'waited' }, reply: 'both done' },
  ]);
  let second: Promise<{ text: string }> | undefined;
  const wait = readingTool('Wait', async () => {
    second = session.send('one more thing');
    await until(() => personsWords(stage) === 2, 'the words are on disk');
    return 'waited';
  });
  const session = await stage.open({ tools: [wait] });
  const end = await session.send('go');
  expect(end.text).toBe('both done');
  expect((await second)?.text).toBe('both done');
});

async function compacting(stage: Stage, from: number): Promise<unknown> {
  for (let n = from; ; n += 1) {
    const request = await stage.sim.received(n);
    if (request.raw.includes('<compaction>')) return request;
  }
}

function appears(read: () => Promise<string>): Promise<string> {
  return untilFound(async () => (await read().catch(() => '')).trim() || undefined, 'what the command wrote');
}

function personsWords(stage: Stage): number {
  return eventsOf(stage, 'input-admitted').filter(({ origin }) => origin === 'person').length;
}
