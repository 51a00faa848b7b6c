import { describe, expect, it } from 'vitest';
import { text } from '../../../src/protocol/blocks.js';
import type { DurableEvent } from '../../../src/protocol/events.js';
import { freezeBlock } from '../../../src/protocol/frozen-block.js';
import { createRestorer } from '../../../src/session/state/restore.js';
import fc from '../../support/fast-check.js';
import { type CallStep, LiveModel, type Step } from '../live-model.js';
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
  recordsOf,
  repair,
  replied,
  restore,
  show,
  started,
  turn,
  usage,
} from '../sample-events.js';

const callStep: fc.Arbitrary<CallStep> = fc.record({
  effects: fc.boolean(),
  order: fc.nat(100),
  input: fc.constantFrom('{}', '{"10":1,"2":2.50}', '{ "a" : 1e3 }', '{"command":"\\u00e9\\"]}"}'),
});
const words = fc.constantFrom('', 'ok', 'zwei\nZeilen', '😀');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('prompt' as const), words: fc.constantFrom('go', 'more') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('notice' as const), run: fc.nat(50) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      calls: fc.array(callStep, { maxLength: 5 }),
      thinks: fc.boolean(),
      words,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('interrupted' as const), words: fc.constant('I was about') }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'compact' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'drop-thinking' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'replace-last' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'end' }) },
);
const steps = fc.array(step, { minLength: 1, maxLength: 14 });

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

describe('restoring', () => {
  it('DU-10, failures 10, 48: after any record the history is, byte for byte, thinking included, the one the loop had', () => {
    fc.assert(
      fc.property(steps, (made) => {
        const live = new LiveModel(made);
        const restorer = createRestorer();
        recordsOf(live.events).forEach((record, index) => {
          restorer.add(record);
          const state = restorer.finish();
          expect(show(state.history)).toEqual(show(live.snapshots[index]?.history ?? []));
          expect(state.accepted).toBe(live.snapshots[index]?.accepted);
        });
      }),
      { numRuns: 150 },
    );
  });

  it('DU-12: cut off after any record, the next request is valid and repeats the bytes of what was accepted', () => {
    fc.assert(
      fc.property(steps, fc.nat(), (made, at) => {
        const live = new LiveModel(made);
        const cut = 1 + (at % live.events.length);
        const state = restore(live.events.slice(0, cut));
        const repaired = repair(state);
        expect(repaired.edits).toEqual([]);
        const messages = nextMessages(state, repaired);
        expect(problemOf(messages, state.accepted)).toBeUndefined();
        const accepted = live.snapshots[cut - 1]?.accepted ?? 0;
        expect(show(messages).slice(0, accepted)).toEqual(show(state.history).slice(0, accepted));
        expect(show(messages).slice(0, state.history.length)).toEqual(show(state.history));
      }),
      { numRuns: 300 },
    );
  });

  it('DU-12, failures 29: with any records lost from the middle, the next request is valid, and the repair is made once', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (made, lost) => {
        const live = new LiveModel(made);
        const gone = new Set(lost.map((index) => index % live.events.length));
        const records = recordsOf(live.events).filter((_, index) => !gone.has(index));
        const restorer = createRestorer();
        for (const record of records) restorer.add(record);
        const state = restorer.finish();
        const repaired = repair(state);
        expect(problemOf(nextMessages(state, repaired))).toBeUndefined();
        const head = { v: 1, uuid: 'x', parent: null, ts: 't' };
        repaired.edits.forEach((event, index) => {
          restorer.add({ ...head, seq: live.events.length + 1 + index, event });
        });
        const again = restorer.finish();
        expect(show(again.history)).toEqual(show(repaired.messages));
        expect(repair(again).edits).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

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
    const restorer = createRestorer();
    for (const record of recordsOf(events)) if (record.seq !== 11) restorer.add(record);
    expect(show(restorer.finish().history)).toEqual(show(restore(events).history));
  });

  it('DU-12: recorded results are used; begun calls are of unknown outcome, the others were never started', () => {
    const state = restore(CUT_OFF);
    const { closed: settled, repairs, edits } = repair(state);
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
    const { closed: settled } = repair(state, (id) => (id === 'b' ? real : 'wait'));
    expect(settled).toMatchObject([
      { kind: 'recorded', call: 'a' },
      { kind: 'made', call: 'b', event: { isError: false, blocks: [real] } },
      { kind: 'wait', call: 'c', tool: 'Bash' },
    ]);
  });

  it('DU-12: a repair that was written down is found again, and not made anew', () => {
    const made = repair(restore(CUT_OFF)).closed.flatMap((one) => (one.kind === 'made' ? [one.event] : []));
    const halfway = repair(restore([...CUT_OFF, ...made.slice(0, 1)]));
    expect(halfway.closed.map((one) => one.kind)).toEqual(['recorded', 'recorded', 'made']);
    const whole = repair(restore([...CUT_OFF, ...made, joined(9, 10, 11)]));
    expect(whole.closed).toEqual([]);
    expect(whole.repairs).toEqual([]);
  });

  it('DU-13: after a compaction the compacted view comes back, with the token count it had (failures 18)', () => {
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
    expect(state.lastRequest).toEqual({ tokens: 0, messages: 0 });
    expect([...state.callIds]).toEqual(['a', 'b', 'c']);
    const later = restore([...CUT_OFF.slice(0, 5), replied([{ type: 'text', text: 'hi' }])]);
    expect(later.lastRequest).toEqual({ tokens: 135, messages: 2 });
  });

  it('DU-13: results that came for a call the compaction removed belong to nothing (failures 5)', () => {
    const blocks = [freezeBlock(text('summary'))];
    const state = restore([
      ...CUT_OFF,
      { kind: 'history-compacted', trigger: 'overflow', messages: 2, blocks },
      finished('b', 'late'),
    ]);
    expect(repair(state).closed).toEqual([]);
    expect(problemOf(nextMessages(state))).toBeUndefined();
  });

  it('DU-14: mode, todo list, model, usage, waiting input and delivered notices come back; bypass does not', () => {
    const items = [{ content: 'x', status: 'pending' }];
    const state = restore([
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
    ]);
    expect(state.mode).toBe('default');
    expect(state.todos).toEqual(items);
    expect(state.epoch).toMatchObject({ model: 'claude-opus-5-5', maxTokens: 1000 });
    expect(state.usage.output).toBe(50);
    expect(state.runEnd).toEqual({ reason: 'max_turns', line: 'stopped' });
    expect(state.pending.map(({ seq, origin }) => [seq, origin])).toEqual([
      [9, 'notice'],
      [11, 'person'],
    ]);
    expect(state.delivered).toEqual([{ agent: 'k', run: 1 }]);
    expect(state.end).toEqual({ seq: 11, uuid: 'u11', segment: 0 });
    const plan = restore([started(), { kind: 'mode-changed', mode: 'plan' }]);
    expect(plan.mode).toBe('plan');
    expect(restore([started(), { kind: 'mode-changed', mode: 'bypassPermissions' }]).mode).toBe('default');
  });

  it('DU-10: records of later versions and unknown kinds are counted and passed over', () => {
    const restorer = createRestorer();
    for (const record of recordsOf([started(), admitted('hi')])) restorer.add(record);
    restorer.add({ v: 9, seq: 3, uuid: 'n', parent: 'u2', ts: 't', unknown: { kind: 'new' } });
    const state = restorer.finish();
    expect(state).toMatchObject({ records: 3, unknown: 1, end: { seq: 3, uuid: 'n' } });
    expect(state.pending).toHaveLength(1);
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
        expect(repair(state).closed.map((one) => [one.kind, one.call])).toEqual(ids.map((id) => ['recorded', id]));
        expect(problemOf(nextMessages(state))).toBeUndefined();
      }),
      { numRuns: 20 },
    );
  });

  it('failures 30: cut off and tried again ten times, every call has exactly one result', () => {
    let events: DurableEvent[] = [...CUT_OFF];
    for (let round = 0; round < 10; round += 1) {
      const state = restore(events);
      const { closed: settled } = repair(state);
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

  it('DU-5: what a model wrote over several lines is one line in the transcript', () => {
    const use = {
      type: 'tool_use' as const,
      takesBreakpoint: true,
      bytes: Buffer.from('{"type":"tool_use","id":"a","name":"Bash","input":{\n  "x": 1\r\n}}'),
    };
    const [line] = linesOf([replied([use])]);
    expect(line?.toString('utf8').trimEnd()).not.toMatch(/[\r\n]/);
    expect(restore([replied([use])]).history[0]?.blocks[0]?.bytes).toHaveLength(use.bytes.length);
  });
});
