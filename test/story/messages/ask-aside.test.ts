/** A question aside from the conversation: a fork answers without tools, and the conversation never hears of it. */

import { expect, it } from 'vitest';
import type { Rule, SimRequest } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';
import { agentTranscripts } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readingTool, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { comparable, lastSent, wireText } from '../../support/wire-body.js';
import { die, expectNoneRefused } from '../durability/crash-stage.js';

const ASIDE: Rule = { when: { user: 'on the side' }, reply: 'it is 42' };

it('FK-8, FK-24: the bytes before it are those of the main agent, whose conversation stays as it was', async () => {
  const stage = await setStage([ASIDE, { reply: 'hello' }]);
  const session = await stage.open();
  await session.send('begin');
  const main = stage.sim.requests.at(-1) as SimRequest;
  const before = await readTranscript(session.transcript);
  const answer = await session.execute({ type: 'ask-aside', question: 'what is it, on the side?' });
  expect(answer).toMatchObject({ ok: true, text: 'it is 42' });
  expect(answer.ok && (answer.costUsd ?? 0) > 0).toBe(true);
  const aside = stage.sim.requests.at(-1) as SimRequest;
  // The last message grows: everything before its end is the same.
  expect(comparable(aside).startsWith(comparable(main))).toBe(true);
  expect(aside.body.max_tokens).toBe(main.body.max_tokens);
  expect(await readTranscript(session.transcript)).toEqual(before);
  await session.send('and now');
  expect(lastSent(stage.sim)).not.toContain('on the side');
  expect(lastSent(stage.sim)).not.toContain('it is 42');
  expectAllAccepted(stage.sim);
});

it('FK-24, LC-20: it works while the main agent does, is recorded and counted, and no list for models has it', async () => {
  const held = gate();
  const stage = await setStage([
    ASIDE,
    { when: { result: { tool: 'ListAgents' } }, reply: 'listed' },
    { when: { user: 'who is there' }, reply: [{ tool: 'ListAgents', input: {} }] },
    { when: { result: { tool: 'Look' } }, reply: 'seen' },
    { when: { user: 'look' }, reply: [{ tool: 'Look', input: {} }] },
    { reply: 'hello' },
  ]);
  const look = readingTool('Look', async () => {
    await held.opened;
    return 'something';
  });
  const session = await stage.open({ tools: [look] });
  await session.send('begin');
  const work = session.send('look');
  await until(() => eventsOf(stage, 'call-started').length === 1);
  const answer = await session.execute({ type: 'ask-aside', question: 'on the side?' });
  expect(answer).toMatchObject({ ok: true, text: 'it is 42' });
  expect(wireText(stage.sim.requests.at(-1))).not.toContain('tool_use');
  held.open();
  expect(await work).toMatchObject({ text: 'seen' });
  const [id] = eventsOf(stage, 'agent-spawned').map(({ agent }) => agent);
  const snapshot = session.snapshot().find((agent) => agent.id === id);
  expect(snapshot).toMatchObject({ aside: true, type: 'fork', status: 'completed', turns: 1 });
  expect((snapshot?.tokensIn ?? 0) > 0).toBe(true);
  expect(session.tasks()).toEqual([]);
  await session.send('who is there');
  expect(lastSent(stage.sim)).not.toContain(id);
  expect(await session.execute({ type: 'message', agent: id ?? '', text: 'more' })).toMatchObject({ ok: false });
  expect(eventsOf(stage, 'notice-queued')).toEqual([]);
  expectAllAccepted(stage.sim);
});

it('FK-7, GT-1: its tools are declared as before, and every call is refused without a question or a hook', async () => {
  let hooked = 0;
  const stage = await setStage([
    {
      when: { user: 'on the side', not: { result: { tool: 'Bash' } } },
      reply: [{ tool: 'Bash', input: { command: 'touch made' } }],
    },
    { when: { said: 'on the side' }, reply: 'then from memory' },
    { reply: 'hello' },
  ]);
  const session = await stage.open({
    onPermission: async () => {
      throw new Error('asked');
    },
    hooks: {
      PreToolUse: [
        {
          hooks: [
            () => {
              hooked += 1;
            },
          ],
        },
      ],
    },
  });
  await session.send('begin');
  const tools = JSON.stringify(stage.sim.requests[0]?.body.tools);
  expect(await session.execute({ type: 'ask-aside', question: 'on the side?' })).toMatchObject({
    ok: true,
    text: 'then from memory',
  });
  expect(JSON.stringify(stage.sim.requests[1]?.body.tools)).toBe(tools);
  expect(lastSent(stage.sim)).toContain('answered without tools');
  expect(eventsOf(stage, 'question-asked')).toEqual([]);
  expect(eventsOf(stage, 'call-intended')).toEqual([]);
  expect(hooked).toBe(0);
  await expect(stage.read('made')).rejects.toThrow('ENOENT');
  expectAllAccepted(stage.sim);
});

it('FK-17, FK-2: refused before the first reply, without a question, and where forks are switched off', async () => {
  const stage = await setStage([ASIDE, { reply: 'hello' }]);
  const session = await stage.open();
  expect(await session.execute({ type: 'ask-aside', question: 'on the side?' })).toMatchObject({ ok: false });
  await session.send('begin');
  expect(await session.execute({ type: 'ask-aside', question: '  ' })).toMatchObject({ ok: false });
  const off = await stage.open({ fork: 'off' });
  await off.send('begin');
  expect(await off.execute({ type: 'ask-aside', question: 'on the side?' })).toMatchObject({ ok: false });
  expect(stage.sim.requests).toHaveLength(2);
});

it('TU-23: it can be ended, does not move to the background, and after a crash nobody continues with it or hears of it', async () => {
  const held = gate();
  const stage = await setStage([
    {
      when: { user: 'on the side' },
      reply: async () => {
        await held.opened;
        return 'too late';
      },
    },
    { reply: 'hello' },
  ]);
  Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
  const session = await stage.open();
  await session.send('begin');
  const asked = session.execute({ type: 'ask-aside', question: 'on the side?' });
  await stage.sim.received(2);
  const [id = ''] = eventsOf(stage, 'agent-spawned').map(({ agent }) => agent);
  expect(session.toBackground()).toBe(0);
  expect(await session.execute({ type: 'take-over', agent: id })).toMatchObject({ ok: false });
  expect(await session.execute({ type: 'interrupt', agent: id })).toEqual({ ok: true });
  expect(await asked).toMatchObject({ ok: false });
  const again = session.execute({ type: 'ask-aside', question: 'on the side, again?' });
  await stage.sim.received(3);
  await die(stage, session, () => held.open());
  await again;
  expect(await agentTranscripts(session)).toHaveLength(2);
  const before = stage.sim.requests.length;
  const resumed = await stage.open({ resume: session.id });
  expect(resumed.past?.agents).toEqual([]);
  await resumed.send('and now');
  await resumed.settled();
  expect(stage.sim.requests).toHaveLength(before + 1);
  expect(lastSent(stage.sim)).not.toContain('on the side');
  expectNoneRefused(stage.sim);
});
