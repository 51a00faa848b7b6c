import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import type { Rule } from '../../../src/sim/index.js';
import { type Gate, gate, onceOpen } from '../../support/gate.js';
import { notedTimers } from '../../support/hosts/noted-timers.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { comparable, lastSent } from '../../support/wire-body.js';
import { cutAfter } from '../durability/crash-stage.js';
import { callResults, childCall, childIds, expectSettled, noticesIn, statesOf } from './background-stage.js';

const RULES: readonly Rule[] = [
  { when: { user: '<task-notification>' }, reply: 'Heard.' },
  {
    when: { said: 'CHILD', nth: 1 },
    reply: [{ thinking: 'look' }, 'I look.', { tool: 'Glob', input: { pattern: '*' } }],
  },
  { when: { said: 'CHILD', nth: 2 }, reply: [{ tool: 'Bash', input: { command: 'echo effect >> effects.txt' } }] },
  { when: { said: 'CHILD' }, reply: 'The conclusion.' },
  { when: { nth: 1 }, reply: [childCall({})] },
  { reply: 'The parent ends.' },
];

const LINES = [
  'general-purpose: a part',
  'I look.',
  'Glob {"pattern":"*"}',
  'Bash {"command":"echo effect >> effects.txt"}',
  'The conclusion.',
  'completed',
];

type Played = { readonly stage: Stage; readonly session: Session; readonly moved: number; readonly happened: number };

/** Plays the story and moves the child when so many things have happened; `late`: a moment after. */
async function play(at: number, late: boolean): Promise<Played> {
  const stage = await setStage(RULES);
  let happened = 0;
  let moved = 0;
  const session = await stage.open({
    permissionMode: 'bypassPermissions',
    onEvent: (watched) => {
      stage.events.push(watched);
      happened += 1;
      if (happened !== at) return;
      const move = () => {
        moved = session.toBackground();
      };
      if (late) setImmediate(move);
      else move();
    },
  });
  await session.send('Delegate.');
  await expectSettled(session, stage);
  return { stage, session, moved, happened };
}

/** What the model server saw of the child: its requests, but for what differs from folder to folder. */
function childRequests(stage: Stage): string[] {
  return stage.sim.requests
    .filter((request) => !request.raw.includes('Delegate.'))
    .map((request) =>
      comparable(request)
        .replaceAll(stage.folder, 'FOLDER')
        .replace(/toolu_\w+/g, 'CALL'),
    );
}

describe('from the foreground to the background', () => {
  it('LC-3: moved at any moment, the run goes on as if nothing had happened', { timeout: 120_000 }, async () => {
    const calm = await play(-1, false);
    const expected = childRequests(calm.stage);
    expect(expected).toHaveLength(3);
    expect(noticesIn(calm.stage.events)).toEqual([]);
    const outcomes = { moved: 0, stayed: 0 };
    for (let at = 1; at <= calm.happened; at += 1) {
      const { stage, session, moved } = await play(at, at % 2 === 0);
      const where = `moved after ${at} of ${calm.happened} events`;
      expectAllAccepted(stage.sim);
      expect(childRequests(stage), where).toEqual(expected);
      expect(await stage.read('effects.txt'), where).toBe('effect\n');
      expect(childIds(stage), where).toHaveLength(1);
      const said = callResults(stage, 'Agent')[0] ?? '';
      const notices = noticesIn(stage.events);
      if (moved === 0) {
        outcomes.stayed += 1;
        expect(said, where).toContain('The conclusion.');
        expect(notices, where).toEqual([]);
      } else {
        outcomes.moved += 1;
        expect(said, where).toContain('Started in the background');
        expect(notices, where).toHaveLength(1);
        expect(notices[0]?.text, where).toContain('<result>The conclusion.</result>');
        const [task] = session.tasks();
        expect((await readFile(task?.outputFile ?? '', 'utf8')).trimEnd().split('\n'), where).toEqual(LINES);
      }
      await session.close();
    }
    // Both happen, or the moments were badly chosen.
    expect(outcomes.moved).toBeGreaterThan(20);
    expect(outcomes.stayed).toBeGreaterThan(5);
  });

  it('LC-3: by itself after autoBackgroundMs; another call of the same message goes on being waited for', async () => {
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

  it('LC-3: the time counts from the first request: one that waits for a place is not moved', async () => {
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
