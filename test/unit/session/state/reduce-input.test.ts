/** The effect of input on a state, and of records about the agent itself. */

import { describe, expect, it } from 'vitest';
import { type AgentEvent, MOVED, RESUMED_AUTOMATICALLY } from '../../../../src/protocol/events.js';
import { createState, openTasks } from '../../../../src/session/state/agent-state.js';
import { fold, TURN } from '../fold.js';
import { admitted, call, ended, finished, joined, replied, show, started, turn, usage } from '../sample-events.js';
import { DURABLE } from '../sample-kinds.js';
import { factsOf } from '../state-facts.js';

describe('input', () => {
  it.each([
    [
      'key',
      [
        { ...admitted('x', 'message'), key: 'k' },
        { ...admitted('y', 'message'), key: 'k' },
      ],
    ],
    ['notice', [1, 2].map(() => admitted('x', 'notice', { agent: 'k', run: 1 }))],
  ])('LC-9: twice under the same %s is one input', (_name, events) => {
    const state = fold(events);
    expect(state.pending.map(({ seq }) => seq)).toEqual([1]);
    // Also when the first has been read long since.
    expect(fold([joined(1), ...events], state).pending).toEqual([]);
    expect(state.history.length).toBe(1);
  });

  it('LC-9: without a key it is admitted every time, and another run gives another notice', () => {
    expect(fold([admitted('x'), admitted('x')]).pending).toHaveLength(2);
    const state = fold([1, 2].map((run) => admitted('x', 'notice', { agent: 'k', run })));
    expect([...state.delivered.values()]).toEqual([1, 2].map((run) => ({ agent: 'k', run })));
  });

  it('LC-9: withdrawn input no longer waits, and can’t be joined', () => {
    const state = fold([admitted('a'), admitted('b'), { kind: 'input-withdrawn', inputs: [1, 9] }, joined(1, 2)]);
    expect(show(state.history)).toEqual(['user: {"type":"text","text":"b"}']);
    expect(state.pending).toEqual([]);
  });

  it('only messages of the user are prompts, shortened for recognition', () => {
    const state = fold([admitted(` a\n b ${'c'.repeat(300)}`), admitted('x', 'message'), admitted('y', 'hook')]);
    expect(state.prompts).toEqual([{ seq: 1, words: `a b ${'c'.repeat(196)}` }]);
  });

  it.each([
    ['message', true],
    ['fork-directive', true],
    ['reminder', false],
    ['fork-placeholders', false],
  ] as const)('DU-8: a child has its task when a %s is there: %s', (origin, begun) => {
    expect(fold([admitted('x', origin)]).begun).toBe(begun);
  });

  it('a message is put together in the order of the record; unknown records are left out', () => {
    const state = fold([...TURN.slice(0, 7), admitted('later'), finished('a', 'result'), joined(8, 7, 99)]);
    expect(show(state.history).at(-1)).toMatch(/^user: .*result.*later/);
    expect([state.pending.length, state.results.size, state.lastStop]).toEqual([0, 0, undefined]);
    expect(fold([joined(99)]).history.length).toBe(0);
  });
});

describe('an agent', () => {
  it('DU-14: the total at the end of a run is used, including usage without a record', () => {
    const sum = { ...usage, output: 50 };
    const state = fold([...TURN, { kind: 'run-ended', reason: 'max_turns', line: 'x', usage: sum }]);
    expect(state.usage).toEqual(sum);
    expect(state.runEnd).toEqual({ reason: 'max_turns', line: 'x' });
    expect(fold([turn(3)], state).runEnd).toBeUndefined();
    expect(fold([ended()], state).runEnd).toEqual({ reason: 'completed' });
  });

  it('DU-8: the first start record is used; the last mode is used', () => {
    const state = fold([started('first'), started('second', 'bypassPermissions'), DURABLE['mode-changed']]);
    expect([state.started?.session, state.mode]).toEqual(['first', 'plan']);
  });

  it('DU-8: a run that was moved or resumed automatically is marked; who stopped it is part of its end only', () => {
    const say = (status: 'running' | 'waiting' | 'stopped', extra = {}): AgentEvent => ({
      kind: 'agent-state-changed',
      run: 1,
      state: status,
      ...extra,
    });
    const state = fold([
      say('running', { reason: MOVED }),
      say('running', { reason: RESUMED_AUTOMATICALLY }),
      say('waiting', { reason: RESUMED_AUTOMATICALLY }),
      say('running'),
    ]);
    expect([...state.runs.values()]).toEqual([{ run: 1, status: 'running', moved: true, automatic: 2 }]);
    fold([say('stopped', { by: 'person', reason: 'x' }), say('running')], state);
    expect(state.runs.get(1)).toMatchObject({ status: 'stopped', by: 'person', reason: 'x' });
  });

  it('DU-14: a command in the background is open until its notice is there', () => {
    const state = fold([DURABLE['task-started']]);
    expect(openTasks(state).map(({ task }) => task)).toEqual(['sh-1']);
    expect(openTasks(fold([admitted('x', 'notice', { agent: 'sh-1', run: 1 })], state))).toEqual([]);
  });

  it.each(['permission-answered', 'fault-met'] as const)('is not changed by %s', (kind) => {
    const state = fold(TURN);
    const before = factsOf(state);
    fold([DURABLE[kind]], state);
    expect(factsOf(state)).toEqual({ ...before, lastSeq: before.lastSeq + 1 });
  });

  it('FK-8: a fork’s calls must differ from all its parent made, and its own are not its parent’s', () => {
    const parent = fold(TURN);
    const state = createState({ inherited: parent.history.view(), callIds: parent.callIds });
    fold([replied([call('own')])], state);
    expect(['a', 'own', 'other'].map((id) => state.callIds.has(id))).toEqual([true, true, false]);
    expect(parent.callIds.has('own')).toBe(false);
  });
});
