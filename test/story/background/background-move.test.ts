import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { type Gate, gate, onceOpen } from '../../support/gate.js';
import { notedTimers } from '../../support/hosts/noted-timers.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { lastSent } from '../../support/wire-body.js';
import { cutAfter } from '../durability/crash-stage.js';
import { callResults, childCall, childIds, expectSettled, noticesIn, statesOf } from './background-stage.js';

describe('from the foreground to the background', () => {
  it('LC-3: on its own after autoBackgroundMs; another call of the same message stays in the foreground', async () => {
    const slow = gate();
    const quick = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'SLOW' }, reply: onceOpen(slow, 'Slow done.') },
      { when: { said: 'QUICK' }, reply: onceOpen(quick, 'Quick done.') },
      {
        when: { nth: 1 },
        reply: [childCall({ prompt: 'SLOW', name: 'slow' }), childCall({ prompt: 'QUICK', name: 'quick' })],
      },
      { reply: 'The parent ends.' },
    ]);
    const session = await stage.open();
    const sent = session.send('Delegate.');
    await until(() => session.tasks().length === 2 && stage.sim.requests.length === 3, 'both at work');
    const slowId = session.snapshot().find((agent) => agent.name === 'slow')?.id ?? '';
    expect(session.toBackground(slowId)).toBe(1);
    expect(session.toBackground(slowId)).toBe(0);
    await until(() => callResults(stage, 'Agent').length === 1, 'the call of the moved one returns');
    expect(callResults(stage, 'Agent')[0]).toContain(`Started in the background as agent ${slowId}`);
    // The parent waits for the other; Esc takes only that one.
    session.interrupt();
    expect(await sent).toMatchObject({ reason: 'interrupted' });
    quick.open();
    slow.open();
    await expectSettled(session, stage);
    expect(noticesIn(stage.events).map(({ agent }) => agent)).toEqual([slowId]);
    expect(await statesOf(session, slowId)).toEqual(['running', 'running', 'completed']);
    const quickId = childIds(stage).find((id) => id !== slowId) ?? '';
    expect(await statesOf(session, quickId)).toEqual(['running', 'interrupted']);
  });

  it('LC-3: the time applies from the first request: one that waits for a place is not moved', async () => {
    const first = gate();
    const stage = await setStage(twoChildren(first));
    await stage.settings({ maxConcurrentAgents: 1, autoBackgroundMs: 600 });
    const session = await stage.open();
    const sent = session.send('Delegate.');
    await until(() => callResults(stage, 'Agent').length === 1, 'the first is moved');
    // The other has waited as long for a place, and was not moved.
    expect(eventsOf(stage, 'agent-queued')).toHaveLength(1);
    expect(callResults(stage, 'Agent')).toHaveLength(1);
    first.open();
    await sent;
    await expectSettled(session, stage);
    const said = callResults(stage, 'Agent');
    expect(said.filter((text) => text.includes('Started in the background'))).toHaveLength(1);
    expect(said.filter((text) => text.startsWith('Child done.'))).toHaveLength(1);
  });

  it.each([
    ['two minutes where a person watches', { interactive: true }, undefined, 120_000],
    ['as long as the setting says', { interactive: true }, 70_000, 70_000],
    ['never where nobody does', {}, undefined, undefined],
    ['never when the setting is 0', { interactive: true }, 0, undefined],
  ])('LC-3: moved after %s', async (_when, options, setting, expected) => {
    const first = gate();
    const stage = await setStage(twoChildren(first));
    if (setting !== undefined) await stage.settings({ autoBackgroundMs: setting });
    const { host, timers } = notedTimers(stage);
    const session = await stage.open({ ...options, host });
    const sent = session.send('Delegate.');
    await until(() => eventsOf(stage, 'request-sent').length === 3, 'both children have asked');
    // No other timer of the program is as long as these.
    const moving = timers.filter(({ ms }) => ms === 70_000 || ms === 120_000);
    expect(moving.map(({ ms }) => ms)).toEqual(expected === undefined ? [] : [expected, expected]);
    for (const { ring } of moving) ring?.();
    first.open();
    await sent;
    await expectSettled(session, stage);
    const said = callResults(stage, 'Agent').filter((text) => text.includes('Started in the background'));
    expect(said).toHaveLength(expected === undefined ? 0 : 2);
  });

  it('LC-9: moved while it waits for a place, then stopped: the notice is owed whatever dies in between', async () => {
    const first = gate();
    const stage = await setStage(twoChildren(first));
    await stage.settings({ maxConcurrentAgents: 1 });
    const session = await stage.open();
    const sent = session.send('Delegate.');
    await until(() => eventsOf(stage, 'agent-queued').length === 1, 'one waits for a place');
    const queued = session.snapshot().find(({ status }) => status === 'queued')?.id ?? '';
    expect(session.toBackground(queued)).toBe(1);
    await session
      .tasks()
      .find(({ id }) => id === queued)
      ?.stop('model');
    first.open();
    await sent;
    await expectSettled(session, stage);
    expect(noticesIn(stage.events).map(({ agent }) => agent)).toEqual([queued]);
    await session.close();
    // The process died after the end was on record, before the notice was queued.
    await cutAfter(agentTranscript(session, queued), 'agent-state-changed', 'stopped');
    await cutAfter(session.transcript, 'call-finished', queued);
    const again = await stage.open({ resume: session.id });
    await again.send('And?');
    expect(lastSent(stage.sim).split(`<task-id>${queued}</task-id>`)).toHaveLength(2);
  });
});

/** Two children of one reply; both wait for the gate. */
function twoChildren(opens: Gate): Rule[] {
  return [
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { said: 'CHILD' }, reply: onceOpen(opens, 'Child done.') },
    { when: { nth: 1 }, reply: [childCall({}), childCall({})] },
    { reply: 'The parent ends.' },
  ];
}
