/** The effect of events on the history and on the known requests; input and life: reduce-input.test.ts. */

import { describe, expect, it } from 'vitest';
import { text } from '../../../../src/protocol/blocks.js';
import type { AgentEvent, EpochReason } from '../../../../src/protocol/events.js';
import { freezeBlock } from '../../../../src/protocol/frozen-block.js';
import { addUsage, NO_USAGE } from '../../../../src/protocol/usage.js';
import { type AgentState, createState, epochReason, NO_REQUEST } from '../../../../src/session/state/agent-state.js';
import { fold, TURN } from '../fold.js';
import {
  admitted,
  call,
  epoch,
  finished,
  intended,
  joined,
  replied,
  show,
  thought,
  turn,
  usage,
} from '../sample-events.js';
import { DURABLE, LIVE } from '../sample-kinds.js';
import { factsOf } from '../state-facts.js';

const blocks = [freezeBlock(text('new'))];
const began = LIVE['response-began'];

/** The known requests, which every replaced history resets. */
const requests = ({ accepted, breakpoints, lastRequest }: AgentState) => ({ accepted, breakpoints, lastRequest });
const NOTHING_SENT = { accepted: undefined, breakpoints: [], lastRequest: NO_REQUEST };
const SENT = {
  accepted: 3,
  breakpoints: [{ messages: 3 }],
  lastRequest: { tokens: 135, messages: 4, cached: 120 },
};

describe('known requests', () => {
  it('FK-10: a started response proves that its request was accepted, and how much is cached', () => {
    const state = fold([...TURN.slice(0, 5), began]);
    expect(requests(state)).toEqual({
      accepted: 1,
      breakpoints: [{ messages: 1 }],
      lastRequest: { tokens: 0, messages: 0, cached: 120 },
    });
    expect(state.usage).toEqual(NO_USAGE);
    expect(requests(fold(TURN))).toEqual(SENT);
  });

  it.each([
    ['the same prefix and limit', {}, SENT],
    ['another prefix', { prefix: 'other' }, NOTHING_SENT],
    ['another limit', { maxTokens: 999 }, NOTHING_SENT],
  ])('FK-25: an epoch with %s keeps or forgets them', (_name, change, expected) => {
    const next = { ...epoch(), reason: 'model-switch' as const, ...change };
    const state = fold([next], fold(TURN));
    expect(requests(state)).toEqual(expected);
    expect(state.epoch).toEqual({ prefix: next.prefix, model: next.model, maxTokens: next.maxTokens });
    expect(epochReason(state)).toBeUndefined();
  });

  it('FK-25: the first epoch of a fork keeps what its parent’s requests cached', () => {
    const state = fold([epoch()], createState({ breakpoints: [{ messages: 2 }] }));
    expect(state.breakpoints).toEqual([{ messages: 2 }]);
  });

  it('LC-17: the usage of a discarded response is charged; it has no other effect', () => {
    const state = fold(TURN);
    const before = factsOf(state);
    fold([DURABLE['response-discarded']], state);
    expect(factsOf(state)).toEqual({ ...before, usage: addUsage(before.usage, usage), lastSeq: before.lastSeq + 1 });
  });

  it('LC-2: an interrupted reply is part of the history and paid for, but the context is not measured from it', () => {
    const state = fold([
      ...TURN,
      admitted('more'),
      joined(11),
      turn(3),
      began,
      replied([text('I was')], 'interrupted'),
    ]);
    expect(state.history.length).toBe(6);
    expect(requests(state)).toEqual({ ...SENT, accepted: 5, breakpoints: [{ messages: 5 }] });
    expect(state.lastStop).toBe('interrupted');
    expect(state.usage.output).toBe(15);
  });

  it('LC-17: a reply without content is paid for and adds no message', () => {
    const state = fold([...TURN.slice(0, 5), began, replied([])]);
    expect(state.history.length).toBe(1);
    expect([state.lastStop, state.usage.output]).toEqual(['end_turn', 5]);
  });

  it.each(Object.values(LIVE).filter(({ kind }) => kind !== 'response-began'))(
    'changes nothing otherwise: $kind',
    (event) => {
      const state = fold(TURN);
      const before = factsOf(state);
      fold([event], state);
      expect(factsOf(state)).toEqual(before);
    },
  );
});

/** A history with thinking, cut off after a call: an input waits, a result is there, a call may have begun. */
const BUSY: readonly AgentEvent[] = [
  ...TURN,
  { kind: 'todos-changed', items: ['one'] },
  admitted('and this'),
  admitted('<done/>', 'notice', { agent: 'k', run: 1 }),
  joined(12, 13),
  turn(3),
  began,
  replied([thought('so'), call('b'), call('c')], 'tool_use'),
  intended('b'),
  finished('b'),
  admitted('one more'),
];

/** How often it was replaced and why it starts over. */
const epochs = (state: AgentState): [number, EpochReason | undefined] => [state.generation, state.newEpoch];

describe('a history that is replaced', () => {
  it('DU-13: by a compaction: one message, nothing sent of it, results of its calls gone; the rest stays', () => {
    const state = fold(BUSY);
    const before = factsOf(state);
    fold([{ kind: 'history-compacted', trigger: 'auto', messages: 6, model: 'm', usage, blocks }], state);
    expect(show(state.history)).toEqual(['user: {"type":"text","text":"new"}']);
    expect(requests(state)).toEqual(NOTHING_SENT);
    expect(epochs(state)).toEqual([1, 'compaction']);
    expect(state.results.size).toBe(0);
    expect(state.usage).toEqual(addUsage(before.usage, usage));
    const { pending, todos, prompts, callIds, delivered } = before;
    expect(factsOf(state)).toMatchObject({ pending, todos, prompts, callIds, delivered });
  });

  it('DU-13: a compaction that leaves nothing leaves no empty message', () => {
    const state = fold([...BUSY, { kind: 'history-compacted', trigger: 'manual', messages: 6, blocks: [] }]);
    expect(state.history.length).toBe(0);
  });

  it.each<[string, number, number, ReturnType<typeof requests>, [number, EpochReason | undefined]]>([
    ['what was accepted', 4, 0, NOTHING_SENT, [1, 'history-rejected']],
    ['all thinking', -1, -1, NOTHING_SENT, [1, 'history-rejected']],
    [
      'what comes after it',
      5,
      1,
      { ...SENT, accepted: 5, breakpoints: [{ messages: 5 }], lastRequest: { tokens: 135, messages: 6, cached: 120 } },
      [0, undefined],
    ],
  ])('FK-25: fixing %s ends the epoch, or does not', (_name, message, block, sent, replaced) => {
    const state = fold(BUSY);
    fold([{ kind: 'history-mended', reason: 'x', message, block, blocks: message < 0 ? [] : blocks }], state);
    expect(requests(state)).toEqual(sent);
    expect(epochs(state)).toEqual(replaced);
    expect(state.history.length).toBe(6);
    if (message < 0) expect(show(state.history).join()).not.toContain('thinking');
    else expect(show(state.history)[message]).toContain('"text":"new"');
    expect(state.pending).toHaveLength(1);
    expect(state.results.size).toBe(1);
  });

  it.each([
    ['inherited messages', 0, 0],
    ['its own', 1, 1],
    ['all thinking', -1, 0],
  ])('FK-25: a fork that fixes %s shares the rest with its parent', (_name, message, inherited) => {
    const parent = fold([admitted('parent'), joined(1)]);
    const state = fold([admitted('task'), joined(1)], createState({ inherited: parent.history.view() }));
    expect(state.inherited).toBe(1);
    fold([{ kind: 'history-mended', reason: 'x', message, block: 0, blocks: message < 0 ? [] : blocks }], state);
    expect(state.inherited).toBe(inherited);
    expect(show(parent.history)).toEqual(['user: {"type":"text","text":"parent"}']);
  });

  it('DU-23: by a rewind: conversation and todos are what they were; ids, notices, usage and mode stay', () => {
    const past = fold(TURN.slice(0, 8));
    const state = fold([...BUSY, { kind: 'mode-changed', mode: 'plan' }]);
    const before = factsOf(state);
    fold([{ kind: 'history-rewound', before: 12, conversation: true, files: [] }], state, past);
    const back = factsOf(past);
    const { history, pending, results, intended: calls, todos, lastStop } = back;
    expect(factsOf(state)).toMatchObject({ history, pending, results, intended: calls, todos, lastStop });
    expect(requests(state)).toEqual(NOTHING_SENT);
    expect(epochs(state)).toEqual([1, 'rewind']);
    expect(state.prompts.map(({ seq }) => seq)).toEqual([2]);
    const { callIds, delivered, usage: spent, admittedKeys, mode, epoch: sent } = before;
    expect(factsOf(state)).toMatchObject({ callIds, delivered, usage: spent, admittedKeys, mode, epoch: sent });
  });

  it('DU-23: events after a rewind do not change the restored state', () => {
    const past = fold(TURN.slice(0, 8));
    const before = factsOf(past);
    const state = fold([{ kind: 'history-rewound', before: 12, conversation: true, files: [] }], fold(BUSY), past);
    fold([admitted('anew'), joined(7, 23), turn(4), began, replied([call('z')]), intended('z'), finished('z')], state);
    expect(factsOf(past)).toEqual(before);
  });

  it('DU-23: a rewind of files alone notes what they held and hold, and no more', () => {
    const state = fold(BUSY);
    const before = factsOf(state);
    const files = [{ path: '/a', sha256: null, from: 'a'.repeat(64) }];
    fold([{ kind: 'history-rewound', before: 12, conversation: false, files }], state, fold(TURN));
    const seq = before.lastSeq + 1;
    expect(factsOf(state)).toEqual({
      ...before,
      lastSeq: seq,
      fileStates: [
        { seq, kind: 'kept', path: '/a', sha256: 'a'.repeat(64) },
        { seq, kind: 'left', path: '/a', sha256: null },
      ],
    });
  });

  it('DU-23: every replacement is counted: earlier announcements are no longer readable', () => {
    const state = fold(BUSY);
    const compacted: AgentEvent = { kind: 'history-compacted', trigger: 'auto', messages: 1, blocks };
    const mended: AgentEvent = { kind: 'history-mended', reason: 'x', message: 0, block: 0, blocks };
    fold([compacted, mended, epoch()], state);
    expect(epochs(state)).toEqual([2, undefined]);
    fold([{ kind: 'history-rewound', before: 12, conversation: true, files: [] }], state, fold(TURN));
    expect(epochs(state)).toEqual([3, 'rewind']);
    expect(state.lastStop).toBe('end_turn');
  });
});

describe('a call of a client', () => {
  it('MC-9: changes nothing that a request is made of, however many there are', () => {
    const before = fold(TURN);
    const aside = { aside: true } as const;
    const after = fold([
      ...TURN,
      { ...intended('c1'), ...aside },
      { ...finished('c1'), ...aside },
      { ...intended('c2'), ...aside },
    ]);
    for (const part of ['results', 'intended', 'pending', 'history'] as const)
      expect(after[part]).toEqual(before[part]);
  });
});
