import { describe, expect, it } from 'vitest';
import { type ContentBlock, text } from '../../../../src/protocol/blocks.js';
import { type FrozenMessage, freezeBlock, parseBlock, thawBlock } from '../../../../src/protocol/frozen-block.js';
import { History } from '../../../../src/protocol/history.js';
import { type CloseAgentCall, repairHistory } from '../../../../src/session/repair/repair-history.js';
import { type AgentState, type CallResult, createState } from '../../../../src/session/state/agent-state.js';
import { reduce } from '../../../../src/session/state/reduce.js';
import { call, problemOf, thought } from '../sample-events.js';

type OpenCalls = { readonly results?: readonly CallResult[]; readonly intended?: readonly string[] };

/** A state that ended with this history, and with these calls of its last reply. */
function stateOf(messages: readonly FrozenMessage[], { results = [], intended = [] }: OpenCalls = {}): AgentState {
  const state = createState({ inherited: History.of(messages) });
  state.results = new Map(results.map((one) => [one.seq, one]));
  state.intended = new Set(intended);
  return state;
}

function fromDisk(call: string): CallResult {
  return { seq: 9, call, blocks: [freezeBlock(result(call, 'from disk'))] };
}

function user(...blocks: ContentBlock[]): FrozenMessage {
  return { role: 'user', blocks: blocks.map(freezeBlock) };
}

function assistant(...blocks: ContentBlock[]): FrozenMessage {
  return { role: 'assistant', blocks: blocks.map(freezeBlock) };
}

function result(id: string, words = 'done'): ContentBlock {
  return { type: 'tool_result', tool_use_id: id, content: [text(words)] };
}

/** A summary of the remaining history. */
function outline(messages: readonly FrozenMessage[]): string[] {
  return messages.map(({ role, blocks }) => {
    const parts = blocks.map((frozen) => {
      const block = parseBlock(frozen);
      if (block.type === 'text') return block.text;
      if (block.type === 'tool_use') return `call ${block.id}`;
      return block.type === 'tool_result' ? `result ${block.tool_use_id}` : block.type;
    });
    return `${role}: ${parts.join(', ')}`;
  });
}

function repaired(messages: readonly FrozenMessage[], open: OpenCalls = {}, closeAgentCall?: CloseAgentCall): string[] {
  const { messages: after, closed } = repairHistory(stateOf(messages, open), closeAgentCall);
  const results = closed.flatMap((one) =>
    one.kind === 'made' ? one.event.blocks : one.kind === 'recorded' ? one.blocks : [],
  );
  const whole: FrozenMessage[] = results.length > 0 ? [...after, { role: 'user', blocks: results }] : [...after];
  const asked = whole.at(-1)?.role === 'user' ? whole : [...whole, user(text('go on'))];
  expect(problemOf(asked)).toBeUndefined();
  return outline(whole);
}

describe('repairing a history', () => {
  it('changes nothing in a valid one', () => {
    const history = [user(text('hi')), assistant(thought('hm'), text('so'), call('a')), user(result('a'), text('and'))];
    expect(repairHistory(stateOf(history))).toEqual({ messages: history, edits: [], closed: [], repairs: [] });
  });

  it('DU-12: assistant messages of nothing but thinking, or white space, are left out', () => {
    expect(
      repaired([
        user(text('hi')),
        assistant(thought('hm')),
        user(text('there?')),
        assistant(text(' \n ')),
        user(text('?')),
      ]),
    ).toEqual(['user: hi', 'user: there?', 'user: ?']);
  });

  it('DU-12, failures 6: orphans at head, middle and tail', () => {
    expect(
      repaired([
        user(result('lost'), text('hi')),
        assistant(text('a'), call('x'), call('y')),
        user(result('y'), text('more')),
        assistant(text('b')),
        user(result('z')),
        assistant(text('c'), call('w')),
      ]),
    ).toEqual([
      'user: hi',
      'assistant: a, call y',
      'user: result y, more',
      'assistant: b',
      'assistant: c, call w',
      'user: result w',
    ]);
  });

  it('DU-12: a reply that only called, and whose results are all lost, is left out with its thinking', () => {
    expect(
      repaired([user(text('hi')), assistant(thought('hm'), call('x')), user(text('so?')), assistant(text('b'))]),
    ).toEqual(['user: hi', 'user: so?', 'assistant: b']);
  });

  it('DU-12: the last reply stays complete although others wrote after it: missing results are inserted', () => {
    const open: OpenCalls = { intended: ['y'], results: [fromDisk('z')] };
    const history = [
      user(text('hi')),
      assistant(call('x'), call('y'), call('z')),
      user(result('x'), text('by the way')),
    ];
    expect(repaired(history, open)).toEqual([
      'user: hi',
      'assistant: call x, call y, call z',
      'user: result x, result y, result z, by the way',
    ]);
    expect(repaired([user(text('hi')), assistant(call('x')), user(text('well?'))])).toEqual([
      'user: hi',
      'assistant: call x',
      'user: result x, well?',
    ]);
    const waits: CloseAgentCall = () => 'wait';
    expect(repaired([user(text('hi')), assistant(call('x')), user(text('well?'))], {}, waits)).toHaveLength(3);
  });

  it('DU-12: a result in the wrong place is moved, not replaced', () => {
    const { messages } = repairHistory(
      stateOf([user(text('hi')), assistant(call('x')), user(text('and'), result('x', 'mine'))]),
    );
    expect(outline(messages)).toEqual(['user: hi', 'assistant: call x', 'user: result x, and']);
    expect(Buffer.from(messages[2]?.blocks[0]?.bytes ?? []).toString()).toContain('mine');
  });

  it('DU-12, failures 8: an id used twice gets a new one with its result; the same call again is left out', () => {
    expect(
      repaired([
        user(text('hi')),
        assistant(call('x', { n: 1 })),
        user(result('x')),
        assistant(call('x', { n: 2 }), call('q'), call('q')),
        user(result('x'), result('q')),
      ]),
    ).toEqual([
      'user: hi',
      'assistant: call x',
      'user: result x',
      'assistant: call x_2, call q',
      'user: result x_2, result q',
    ]);
  });

  it('DU-12: the recorded result of a call that got a new id is still its result', () => {
    const open: OpenCalls = { results: [fromDisk('x')] };
    const history = [user(text('hi')), assistant(call('x')), user(result('x')), assistant(call('x', { n: 2 }))];
    const { closed } = repairHistory(stateOf(history, open));
    expect(closed).toMatchObject([{ kind: 'made', call: 'x_2' }]);
    expect(repaired(history, open).at(-1)).toBe('user: result x_2');
  });

  it('failures 7: two results for one call, results without a call, a conversation that begins with a reply', () => {
    expect(
      repaired([
        assistant(text('lost')),
        user(text('hi')),
        assistant(call('a')),
        user(result('a'), result('a'), result('b')),
      ]),
    ).toEqual(['user: hi', 'assistant: call a', 'user: result a']);
  });

  it('failures 12, 26: empty blocks, broken ones and those in the wrong place are left out; half characters are fixed', () => {
    const raw = (json: string) => thawBlock(Buffer.from(json));
    const history: FrozenMessage[] = [
      {
        role: 'user',
        blocks: [freezeBlock(text('')), freezeBlock(text('hi')), raw('{"type":"text","text":"x\\ud800"}')],
      },
      {
        role: 'assistant',
        blocks: [raw('{"type":"tool_use","id":"a b","name":"Bash","input":{}}'), freezeBlock(text('so'))],
      },
      { role: 'user', blocks: [freezeBlock(call('q')), raw('{"type":"text","text":"\\x"}'), raw('{"type":"dance"}')] },
      {
        role: 'user',
        blocks: [raw('{"type":"tool_result","tool_use_id":"zz","content":[{"type":"text","text":""}]}')],
      },
      {
        role: 'user',
        blocks: [{ ...freezeBlock(text('bytes')), bytes: Buffer.from([0x22, 0xff, 0x22]) }, freezeBlock(text('end'))],
      },
    ];
    expect(repaired(history)).toEqual(['user: hi, x\uFFFD', 'assistant: so', 'user: end']);
  });

  it('FK-25: changes are returned as records, which fold into the repaired history; a sent part that changed ends the epoch', () => {
    const state = stateOf([user(text('hi')), assistant(text('a')), user(result('z')), assistant(text('b'))]);
    const { messages, edits } = repairHistory(state);
    expect(edits).toMatchObject([{ kind: 'history-mended', message: 2, block: 0, blocks: [] }]);
    edits.forEach((edit, index) => {
      reduce(state, edit, index + 1);
    });
    expect([...state.history]).toEqual(messages);
    expect(state.newEpoch).toBe('history-rejected');
  });

  it('FK-6: results that a fork begins with settle its parent’s open calls', () => {
    const state = stateOf([user(text('hi')), assistant(call('x'))]);
    state.pending = [{ seq: 2, origin: 'fork-placeholders', blocks: [freezeBlock(result('x'))] }];
    expect(repairHistory(state).closed).toEqual([]);
  });
});
