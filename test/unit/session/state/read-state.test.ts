/** The state read from a transcript, and the repair of calls that were cut off. */

import { describe, expect, it } from 'vitest';
import { text } from '../../../../src/protocol/blocks.js';
import type { DurableEvent } from '../../../../src/protocol/events.js';
import { freezeBlock } from '../../../../src/protocol/frozen-block.js';
import { repairHistory } from '../../../../src/session/repair/repair-history.js';
import { StateReader } from '../../../../src/session/state/read-state.js';
import fc from '../../../support/fast-check.js';
import {
  admitted,
  call,
  ended,
  epoch,
  finished,
  intended,
  joined,
  linesOf,
  nextMessages,
  problemOf,
  readBack,
  recordsOf,
  replied,
  restore,
  show,
  started,
  turn,
  usage,
} from '../sample-events.js';
import { factsOf } from '../state-facts.js';

/** A turn with three calls: the first ended, the second begun, the third not. */
const CUT_OFF: readonly DurableEvent[] = [
  started(),
  admitted('do three things'),
  joined(2),
  turn(),
  epoch(),
  replied([call('a'), call('b'), call('c')], 'tool_use'),
  intended('a'),
  intended('b'),
  finished('a', 'first'),
];

describe('reading a state back', () => {
  it('DU-12: a lost record that joined a message is made up for: nothing of the conversation is missing', () => {
    const events = [
      ...CUT_OFF.slice(0, 6),
      finished('b', 'second'),
      finished('a', 'first'),
      finished('c', 'third'),
      admitted('by the way'),
      joined(8, 7, 9, 10),
      turn(2),
      replied([{ type: 'text', text: 'done' }]),
    ];
    const records = recordsOf(events).filter((record) => record.seq !== 11);
    expect(show(readBack(records).state.history)).toEqual(show(restore(events).history));
  });

  it('DU-12: recorded results are used; begun calls are of unknown outcome, the others were never started', () => {
    const state = restore(CUT_OFF);
    const { closed: settled, repairs, edits } = repairHistory(state);
    expect(settled.map((one) => [one.call, one.kind])).toEqual([
      ['a', 'recorded'],
      ['b', 'made'],
      ['c', 'made'],
    ]);
    const [, b, c] = show(nextMessages(state)).at(-1)?.split('{"type":"tool_result"').slice(1) ?? [];
    expect(b).toContain('Interrupted, outcome unknown');
    expect(c).toContain('Never started');
    expect(edits).toEqual([]);
    expect(repairs).toHaveLength(2);
    expect(problemOf(nextMessages(state))).toBeUndefined();
  });

  it('DU-12: a call that started a child is settled by the child’s own log, or waits for it', () => {
    const state = restore(CUT_OFF);
    const real = freezeBlock({ type: 'tool_result', tool_use_id: 'b', content: [text('the child’s report')] });
    const { closed: settled } = repairHistory(state, (id) => (id === 'b' ? real : 'wait'));
    expect(settled).toMatchObject([
      { kind: 'recorded', call: 'a' },
      { kind: 'made', call: 'b', event: { isError: false, blocks: [real] } },
      { kind: 'wait', call: 'c', tool: 'Bash' },
    ]);
  });

  it('DU-12: a recorded repair is found again, and not repeated', () => {
    const made = repairHistory(restore(CUT_OFF)).closed.flatMap((one) => (one.kind === 'made' ? [one.event] : []));
    const halfway = repairHistory(restore([...CUT_OFF, ...made.slice(0, 1)]));
    expect(halfway.closed.map((one) => one.kind)).toEqual(['recorded', 'recorded', 'made']);
    const whole = repairHistory(restore([...CUT_OFF, ...made, joined(9, 10, 11)]));
    expect(whole.closed).toEqual([]);
    expect(whole.repairs).toEqual([]);
  });

  it('DU-13: after a compaction the compacted history is restored, with the token count it had (failures 18)', () => {
    const blocks = [freezeBlock(text('the story so far'))];
    const state = restore([
      ...CUT_OFF.slice(0, 6),
      finished('a'),
      finished('b'),
      finished('c'),
      joined(7, 8, 9),
      { kind: 'history-compacted', trigger: 'auto', messages: 3, blocks },
    ]);
    expect(show(state.history)).toEqual(['user: {"type":"text","text":"the story so far"}']);
    expect(state.newEpoch).toBe('compaction');
    expect(state.lastRequest).toEqual({ tokens: 0, messages: 0, cached: 0 });
    expect(factsOf(state).callIds).toEqual(['a', 'b', 'c']);
    const later = restore([...CUT_OFF.slice(0, 5), replied([{ type: 'text', text: 'hi' }])]);
    expect(later.lastRequest).toEqual({ tokens: 135, messages: 2, cached: 120 });
  });

  it('DU-13: results that came for a call the compaction removed belong to nothing (failures 5)', () => {
    const blocks = [freezeBlock(text('summary'))];
    const state = restore([
      ...CUT_OFF,
      { kind: 'history-compacted', trigger: 'overflow', messages: 2, blocks },
      finished('b', 'late'),
    ]);
    expect(repairHistory(state).closed).toEqual([]);
    expect(problemOf(nextMessages(state))).toBeUndefined();
  });

  it('DU-14: mode, todo list, model, usage, waiting input and delivered notices come back; bypass does not', () => {
    const items = [{ content: 'x', status: 'pending' }];
    const { state, end } = readBack(
      recordsOf([
        started('s', 'bypassPermissions'),
        admitted('one'),
        joined(2),
        turn(),
        epoch(),
        replied([{ type: 'text', text: 'yes' }]),
        { kind: 'todos-changed', items },
        { kind: 'run-ended', reason: 'max_turns', line: 'stopped', usage: { ...usage, output: 50 } },
        admitted('<done/>', 'notice', { agent: 'k', run: 1 }),
        admitted('<done/>', 'notice', { agent: 'k', run: 1 }),
        admitted('two'),
      ]),
    );
    expect(state.mode).toBe('default');
    expect(state.todos).toEqual(items);
    expect(state.epoch).toMatchObject({ model: 'claude-opus-5-5', maxTokens: 1000 });
    expect(state.usage.output).toBe(50);
    expect(state.runEnd).toEqual({ reason: 'max_turns', line: 'stopped' });
    expect(state.pending.map(({ seq, origin }) => [seq, origin])).toEqual([
      [9, 'notice'],
      [11, 'person'],
    ]);
    expect([...state.delivered.values()]).toEqual([{ agent: 'k', run: 1 }]);
    expect(end).toEqual({ seq: 11, uuid: 'u11', segment: 0 });
    const plan = restore([started(), { kind: 'mode-changed', mode: 'plan' }]);
    expect(plan.mode).toBe('plan');
    expect(restore([started(), { kind: 'mode-changed', mode: 'bypassPermissions' }]).mode).toBe('default');
  });

  it('DU-10: records of later versions and unknown kinds are counted and skipped', () => {
    const reader = new StateReader();
    for (const record of recordsOf([started(), admitted('hi')])) reader.add(record);
    reader.add({ v: 9, seq: 3, uuid: 'n', parent: 'u2', ts: 't', unknown: { kind: 'new' } });
    const read = reader.finish();
    expect(read).toMatchObject({ records: 3, unknown: 1, end: { seq: 3, uuid: 'n' } });
    expect(read.state.pending).toHaveLength(1);
  });

  it('failures 3, 4: twenty parallel calls that end in any order are all there, in the order of the calls', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...Array(20).keys()], { minLength: 20 }), (order) => {
        const ids = [...Array(20).keys()].map((n) => `c${n}`);
        const state = restore([
          ...CUT_OFF.slice(0, 5),
          replied(
            ids.map((id) => call(id)),
            'tool_use',
          ),
          ...order.map((n) => finished(`c${n}`)),
        ]);
        expect(repairHistory(state).closed.map((one) => [one.kind, one.call])).toEqual(
          ids.map((id) => ['recorded', id]),
        );
        expect(problemOf(nextMessages(state))).toBeUndefined();
      }),
      { numRuns: 20 },
    );
  });

  it('failures 30: cut off and tried again ten times, every call has exactly one result', () => {
    let events: DurableEvent[] = [...CUT_OFF];
    for (let round = 0; round < 10; round += 1) {
      const state = restore(events);
      const { closed: settled } = repairHistory(state);
      const parts: number[] = [];
      for (const one of settled) {
        if (one.kind === 'made') events.push(one.event);
        parts.push(one.kind === 'recorded' ? one.seq : events.length);
      }
      if (parts.length > 0) events.push(joined(...parts));
      const next = restore(events);
      expect(problemOf(nextMessages(next))).toBeUndefined();
      expect(JSON.stringify(show(next.history)).match(/tool_use_id/g)).toHaveLength(3 * (round + 1));
      events = [...events, turn(), replied([call(`a${round}`), call(`b${round}`), call(`c${round}`)], 'tool_use')];
    }
  });

  it('failures 1: cut off at each stage of a turn with three calls, the next request is valid', () => {
    const events = [
      ...CUT_OFF,
      finished('b'),
      finished('c'),
      joined(9, 10, 11),
      turn(2),
      replied([text('ok')]),
      ended(),
    ];
    for (let cut = 1; cut <= events.length; cut += 1) {
      const state = restore(events.slice(0, cut));
      expect(problemOf(nextMessages(state), state.accepted), `after record ${cut}`).toBeUndefined();
    }
  });

  it('DU-5: a model’s text with line breaks is one line in the transcript', () => {
    const use = {
      type: 'tool_use' as const,
      takesBreakpoint: true,
      bytes: Buffer.from('{"type":"tool_use","id":"a","name":"Bash","input":{\n  "x": 1\r\n}}'),
    };
    const [line] = linesOf([replied([use])]);
    expect(line?.toString('utf8').trimEnd()).not.toMatch(/[\r\n]/);
    expect(restore([replied([use])]).history.at(0)?.blocks[0]?.bytes).toHaveLength(use.bytes.length);
  });
});
