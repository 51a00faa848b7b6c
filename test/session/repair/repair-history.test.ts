import { describe, expect, it } from 'vitest';
import { type ContentBlock, text } from '../../../src/protocol/blocks.js';
import { type FrozenMessage, freezeBlock, parseBlock, thawBlock } from '../../../src/protocol/frozen-block.js';
import { type OpenCalls, repairHistory } from '../../../src/session/repair/repair-history.js';
import { call, problemOf, thought } from '../sample-events.js';

const NOTHING: OpenCalls = { results: new Map(), intended: new Set() };

function user(...blocks: ContentBlock[]): FrozenMessage {
  return { role: 'user', blocks: blocks.map(freezeBlock) };
}

function assistant(...blocks: ContentBlock[]): FrozenMessage {
  return { role: 'assistant', blocks: blocks.map(freezeBlock) };
}

function result(id: string, words = 'done'): ContentBlock {
  return { type: 'tool_result', tool_use_id: id, content: [text(words)] };
}

/** What is left, in short. */
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

function repaired(messages: readonly FrozenMessage[], open: OpenCalls = NOTHING): string[] {
  const { messages: after, closed: settled } = repairHistory(messages, open);
  const results = settled.flatMap((one) =>
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
    expect(repairHistory(history, NOTHING)).toMatchObject({
      edits: [],
      settled: [],
      repairs: [],
      changedFrom: undefined,
    });
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

  it('DU-12: the last reply is kept whole although others wrote after it: missing results are put in', () => {
    const open: OpenCalls = {
      intended: new Set(['y']),
      results: new Map([['z', { seq: 9, blocks: [freezeBlock(result('z', 'from disk'))] }]]),
    };
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
    const waiting = { ...NOTHING, settleAgentCall: () => 'wait' as const };
    expect(repaired([user(text('hi')), assistant(call('x')), user(text('well?'))], waiting)).toHaveLength(3);
  });

  it('DU-12: a result in the wrong place is moved, not replaced', () => {
    const { messages } = repairHistory(
      [user(text('hi')), assistant(call('x')), user(text('and'), result('x', 'mine'))],
      NOTHING,
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

  it('DU-12: what is on disk for a call that got a new id is still its result', () => {
    const open: OpenCalls = {
      intended: new Set(),
      results: new Map([['x', { seq: 9, blocks: [freezeBlock(result('x', 'from disk'))] }]]),
    };
    const history = [user(text('hi')), assistant(call('x')), user(result('x')), assistant(call('x', { n: 2 }))];
    const { closed: settled } = repairHistory(history, open);
    expect(settled).toMatchObject([{ kind: 'made', call: 'x_2' }]);
    expect(repaired(history, open).at(-1)).toBe('user: result x_2');
  });

  it('failures 7: two results for one call, results for nobody, a conversation that begins with a reply', () => {
    expect(
      repaired([
        assistant(text('lost')),
        user(text('hi')),
        assistant(call('a')),
        user(result('a'), result('a'), result('b')),
      ]),
    ).toEqual(['user: hi', 'assistant: call a', 'user: result a']);
  });

  it('failures 12, 26: empty blocks, broken ones and those in the wrong place are left out; half characters are mended', () => {
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

  it('FK-25: says from which message on bytes were changed', () => {
    const { changedFrom, edits } = repairHistory(
      [user(text('hi')), assistant(text('a')), user(result('z')), assistant(text('b'))],
      NOTHING,
    );
    expect(changedFrom).toBe(2);
    expect(edits).toMatchObject([{ kind: 'history-mended', message: 2, block: 0, blocks: [] }]);
  });

  it('FK-6: results that a fork begins with settle its parent’s open calls', () => {
    const placeholders = { seq: 2, origin: 'fork-placeholders' as const, blocks: [freezeBlock(result('x'))] };
    const { closed: settled } = repairHistory([user(text('hi')), assistant(call('x'))], {
      ...NOTHING,
      pending: [placeholders],
    });
    expect(settled).toEqual([]);
  });
});
