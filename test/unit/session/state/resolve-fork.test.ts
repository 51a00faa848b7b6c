import { describe, expect, it } from 'vitest';
import { text } from '../../../../src/protocol/blocks.js';
import type { DurableEvent, ForkReference } from '../../../../src/protocol/events.js';
import { type FrozenMessage, freezeBlock } from '../../../../src/protocol/frozen-block.js';
import { historyHash } from '../../../../src/session/state/history-hash.js';
import { StateReader } from '../../../../src/session/state/read-state.js';
import { createForkResolver, type ReadParent } from '../../../../src/session/state/resolve-fork.js';
import {
  admitted,
  call,
  epoch,
  finished,
  joined,
  nextMessages,
  problemOf,
  recordsOf,
  replied,
  restore,
  show,
  started,
  thought,
  turn,
} from '../sample-events.js';
import { spawned } from '../spawned.js';

const PARENT: DurableEvent[] = [
  started(),
  admitted('plan it'),
  joined(2),
  turn(),
  epoch(),
  replied([thought('hm'), call('a'), call('b')], 'tool_use'),
  finished('a'),
  finished('b'),
  joined(7, 8),
  turn(2),
  replied([{ type: 'text', text: 'later' }]),
];

function reference(upTo: number, agent = 'main', history = restore(PARENT.slice(0, upTo)).history): ForkReference {
  return { session: 's', agent, upTo, messages: history.length, sha256: historyHash(history) };
}

const resolveFork = (of: ForkReference, readParent: ReadParent) => createForkResolver(readParent)(of);
const NOT_FROM_A_FILE = { point: undefined, folded: 0 };

function parents(files: Record<string, readonly DurableEvent[]>, reads: string[] = []): ReadParent {
  return async (_session, agent, options) => {
    reads.push(agent);
    const events = files[agent];
    if (events === undefined) return { kind: 'missing' };
    const reader = new StateReader(options.inherited);
    for (const record of recordsOf(events)) if (record.seq <= (options.upTo ?? 1e9)) reader.add(record);
    return { kind: 'read', ...reader.finish(), damage: { lines: 0, tailBytes: 0, told: [] }, ...NOT_FROM_A_FILE };
  };
}

const PLACEHOLDERS: DurableEvent = {
  kind: 'input-admitted',
  origin: 'fork-placeholders',
  blocks: ['a', 'b'].map((id) =>
    freezeBlock({ type: 'tool_result', tool_use_id: id, content: [text('Fork started — processing in background')] }),
  ),
};

describe('the history a fork starts with', () => {
  it('DU-6: is found in its parent’s transcript up to a record, by reference, whatever was appended since', async () => {
    const resolved = await resolveFork(reference(6), parents({ main: PARENT }));
    expect(resolved.ok && show(resolved.history)).toEqual(show(restore(PARENT.slice(0, 6)).history));
  });

  it('FK-26: siblings that see only their own call: each keeps it and the blocks before it; the parent is read once', async () => {
    const reads: string[] = [];
    const resolve = createForkResolver(parents({ main: PARENT }, reads));
    const all = await resolve({ ...reference(6), siblings: 'all' });
    const [a, b, none] = await Promise.all(
      ['a', 'b', 'c'].map((id) => resolve({ ...reference(6), siblings: 'own', call: id })),
    );
    if (!all.ok || !a?.ok || !b?.ok) throw new Error('not resolved');
    const [before, whole] = [...all.history];
    expect([...a.history]).toEqual([before, { ...whole, blocks: [whole?.blocks[0], whole?.blocks[1]] }]);
    expect([...b.history]).toEqual([before, { ...whole, blocks: [whole?.blocks[0], whole?.blocks[2]] }]);
    expect(none).toMatchObject({ ok: false, reason: expect.stringContaining('does not hold the call') });
    expect(reads).toEqual(['main']);
  });

  it('DU-18: is refused when a byte of it differs, or the parent is gone', async () => {
    const changed = PARENT.map((event, index) => (index === 1 ? admitted('plan iT') : event));
    expect(await resolveFork(reference(6), parents({ main: changed }))).toMatchObject({
      ok: false,
      reason: expect.stringContaining('has changed since this fork began'),
    });
    expect(await resolveFork(reference(6), parents({}))).toMatchObject({
      ok: false,
      reason: expect.stringContaining('no longer exists'),
    });
  });

  it('DU-19: is resolved once for all siblings, and not sent twice: no id appears twice, cut off anywhere', async () => {
    const reads: string[] = [];
    const resolve = createForkResolver(parents({ main: PARENT }, reads));
    const own = [
      spawned('f', reference(6)),
      PLACEHOLDERS,
      admitted('your task', 'fork-directive'),
      joined(2, 3),
      turn(),
      epoch(),
      replied([call('c')], 'tool_use'),
      finished('c'),
      joined(8),
    ];
    for (let cut = 3; cut <= own.length; cut += 1) {
      const base = await resolve(reference(6));
      if (!base.ok) throw new Error(base.reason);
      const state = restore(own.slice(0, cut), base.history);
      expect(state.inherited).toBe(base.history.length);
      const messages = nextMessages(state);
      expect(problemOf(messages), `after record ${cut}`).toBeUndefined();
      expect(show(messages).slice(0, base.history.length)).toEqual(show(base.history));
      expect(JSON.stringify(show(messages)).match(/\\"id\\":\\"a\\"/g)).toHaveLength(1);
      expect(state.callIds.has('a')).toBe(true);
    }
    expect(reads).toEqual(['main']);
  });

  it('DU-6: a parent that is a fork itself is resolved first; a circle is refused', async () => {
    const middle = [
      spawned('m', reference(6)),
      PLACEHOLDERS,
      joined(2),
      turn(),
      epoch(),
      replied([call('z')], 'tool_use'),
    ];
    const base = await resolveFork(reference(6), parents({ main: PARENT }));
    if (!base.ok) throw new Error(base.reason);
    const { history } = restore(middle, base.history);
    const resolved = await resolveFork(reference(6, 'm', history), parents({ main: PARENT, m: middle }));
    expect(resolved.ok && show(resolved.history)).toEqual(show(history));
    const circle = [spawned('m', reference(6, 'm', history))];
    expect(await resolveFork(reference(1, 'm', history), parents({ m: circle }))).toMatchObject({ ok: false });
  });

  it('DU-6: two histories have one hash only if they are the same bytes in the same messages', () => {
    const block = (words: string) => freezeBlock(text(words));
    const histories: FrozenMessage[][] = [
      [],
      [{ role: 'user', blocks: [block('a'), block('b')] }],
      [{ role: 'user', blocks: [block('b'), block('a')] }],
      [
        { role: 'user', blocks: [block('a')] },
        { role: 'user', blocks: [block('b')] },
      ],
      [{ role: 'assistant', blocks: [block('a'), block('b')] }],
      [{ role: 'user', blocks: [block('ab')] }],
    ];
    expect(new Set(histories.map(historyHash)).size).toBe(histories.length);
  });
});
