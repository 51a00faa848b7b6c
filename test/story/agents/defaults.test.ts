/** Limits nobody has set: each by its number, as the rules name it. */

import { describe, expect, it } from 'vitest';
import { agentCall } from '../../support/agent-call.js';
import { gate, onceOpen } from '../../support/gate.js';
import { notedTimers } from '../../support/hosts/noted-timers.js';
import { buildProgram, runProgram } from '../../support/program.js';
import { eventsOf, readingTool, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { callResults } from '../background/background-stage.js';

describe('without a setting', () => {
  it('LC-16: 20 children work at once; more wait', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'CHILD' }, reply: onceOpen(held, 'Done.') },
      { when: { nth: 1 }, reply: Array.from({ length: 25 }, () => agentCall('CHILD', { run_in_background: true })) },
      { reply: 'On.' },
    ]);
    const session = await stage.open();
    await session.send('Delegate.');
    const asked = () => stage.events.filter(({ agent, event }) => agent !== 'main' && event.kind === 'request-sent');
    await until(() => eventsOf(stage, 'agent-queued').length + asked().length >= 25, 'all are placed');
    expect(eventsOf(stage, 'agent-queued')).toHaveLength(5);
    expect(asked()).toHaveLength(20);
    await session.close();
  });

  it('FK-11: a fork waits 2 seconds at most for its leader', async () => {
    const stage = await setStage([
      { when: { user: 'PART' }, reply: () => new Promise<string>(() => {}) },
      { when: { nth: 1 }, reply: [{ tool: 'Look' }] },
      {
        when: { nth: 2 },
        reply: ['word '.repeat(4_000), ...[1, 2].map((n) => agentCall(`PART ${n}`, { fork: true }))],
      },
      { reply: 'On.' },
    ]);
    const { host, timers } = notedTimers(stage);
    const session = await stage.open({ host, fork: 'on', tools: [readingTool('Look', async () => 'seen')] });
    const sent = session.send('Delegate.');
    await stage.sim.received(3);
    const [longest, ...more] = timers.filter(({ ms }) => ms === 2_000);
    expect(more).toEqual([]);
    longest?.ring?.();
    await stage.sim.received(4);
    session.interrupt();
    await sent;
  });

  it('LC-13: TaskOutput waits 30 seconds for the end', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'CHILD' }, reply: onceOpen(held, 'Done.') },
      { when: { nth: 1 }, reply: [agentCall('CHILD', { name: 'worker', run_in_background: true })] },
      { when: { nth: 2 }, reply: [{ tool: 'TaskOutput', input: { task_id: 'worker' } }] },
      { reply: 'On.' },
    ]);
    const { host, timers } = notedTimers(stage);
    const session = await stage.open({ host });
    const sent = session.send('Delegate.');
    await until(() => timers.some(({ ms, ring }) => ms === 30_000 && ring === undefined), 'it waits 30 seconds');
    held.open();
    expect(await sent).toMatchObject({ reason: 'completed' });
  });

  it.each([true, false])(
    'LC-3: a child that is waited for goes to the background after 120 seconds (interactive: %s)',
    async (interactive) => {
      const held = gate();
      const stage = await setStage([
        { when: { user: '<task-notification>' }, reply: 'Heard.' },
        { when: { said: 'CHILD' }, reply: onceOpen(held, 'Done.') },
        { when: { nth: 1 }, reply: [agentCall('CHILD')] },
        { reply: 'On.' },
      ]);
      const { host, timers } = notedTimers(stage);
      const session = await stage.open({ host, interactive, permissionMode: 'acceptEdits' });
      const sent = session.send('Delegate.');
      await until(() => stage.sim.requests.length === 2, 'the child has asked');
      const moves = timers.filter(({ ms, ring }) => ring !== undefined && ms === 120_000);
      expect(moves).toHaveLength(interactive ? 1 : 0);
      for (const { ring } of moves) ring?.();
      if (!interactive) held.open();
      await sent;
      const [result] = callResults(stage, 'Agent');
      expect(result).toContain(interactive ? 'Started in the background' : 'Done.');
      held.open();
      await session.settled();
    },
  );

  it('LC-18: a child that hears nothing is given 10 minutes', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { said: 'CHILD' }, reply: onceOpen(held, 'Done.') },
      { when: { nth: 1 }, reply: [agentCall('CHILD')] },
      { reply: 'On.' },
    ]);
    const { host, timers } = notedTimers(stage);
    const session = await stage.open({ host });
    const sent = session.send('Delegate.');
    await until(() => timers.some(({ ms }) => ms === 600_000), 'the watch is set');
    held.open();
    await sent;
  });

  it('LC-19: a headless run waits 10 minutes for its tasks', async () => {
    await buildProgram();
    const stage = await setStage();
    const { stdout } = await runProgram(['--help'], stage.at);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/--background-wait <seconds> .{0,120}\(default: 600\)/);
  });
});
