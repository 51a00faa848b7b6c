/** `emit`: the record, then the state, then the listeners, in one order for all three. */

import { describe, expect, it } from 'vitest';
import type { DurableEvent, SessionEvent } from '../../../src/protocol/events.js';
import { createEmit, Listeners } from '../../../src/session/emit.js';
import { createState } from '../../../src/session/state/agent-state.js';
import { admitted, turn } from './sample-events.js';
import { LIVE } from './sample-kinds.js';
import { SlowDisk } from './slow-disk.js';
import { factsOf } from './state-facts.js';

function stage(...first: ((event: SessionEvent) => void)[]) {
  const disk = new SlowDisk();
  const state = createState();
  const heard: SessionEvent[] = [];
  const listeners = new Listeners();
  for (const listener of [...first, (event: SessionEvent) => heard.push(event)]) listeners.add(listener);
  return { disk, state, heard, listeners, emit: createEmit({ agent: 'a', state, log: disk, listeners }) };
}

const turns = (events: readonly DurableEvent[]) => events.map((event) => event.kind === 'turn-started' && event.turn);

describe('emit', () => {
  it('DU-1: the record is there before the state changes, and the state has changed before anybody hears of it', async () => {
    const order: string[] = [];
    const { disk, state, emit, listeners } = stage();
    listeners.add(({ seq }) => order.push(`heard of ${seq} at ${state.lastSeq}, ${disk.written.length} written`));
    const saved = emit(admitted('x')).then((seq) => order.push(`resolved ${seq}`));
    await new Promise((resolve) => setImmediate(resolve));
    expect([order, state.pending, state.lastSeq]).toEqual([[], [], 0]);
    await disk.sync();
    await saved;
    expect(order).toEqual(['heard of 1 at 1, 1 written', 'resolved 1']);
    expect(state.pending).toHaveLength(1);
  });

  it('DU-2: an unsaved event changes nothing, no listener hears of it, and the next event gets its number', async () => {
    const { disk, state, heard, emit } = stage();
    const before = factsOf(state);
    disk.fail = true;
    const lost = expect(emit(admitted('lost'))).rejects.toThrow('disk full');
    await disk.sync();
    await lost;
    expect([factsOf(state), heard, disk.written]).toEqual([before, [], []]);
    disk.fail = false;
    const next = emit(turn(1));
    await disk.sync();
    expect(await next).toBe(1);
    expect(heard).toEqual([{ agent: 'a', seq: 1, event: turn(1) }]);
  });

  it('DU-1: events that are emitted at once keep the order of their records, in the state and for listeners', async () => {
    const { disk, state, heard, emit } = stage();
    const numbers = Array.from({ length: 50 }, (_, n) => n + 1);
    const saved = numbers.map((n) => emit(turn(n)));
    await disk.sync();
    expect(await Promise.all(saved)).toEqual(numbers);
    expect(turns(disk.written)).toEqual(numbers);
    expect(heard.map(({ seq }) => seq)).toEqual(numbers);
    expect([state.lastSeq, state.turnAt]).toEqual([50, 50]);
  });

  it('live events wait for no record: they change the state and are delivered at once', async () => {
    const { disk, state, heard, emit } = stage();
    const saved = emit(turn(1));
    const seen = emit(LIVE['response-began']);
    expect([state.accepted, heard.map(({ event }) => event.kind)]).toEqual([0, ['response-began']]);
    expect(await seen).toBeUndefined();
    await disk.sync();
    await saved;
    expect(turns(disk.written)).toEqual([1]);
  });
});

describe('listeners', () => {
  const broken = () => {
    throw new Error('oops');
  };

  it('one that throws stops neither the work nor the others, and is reported once', async () => {
    const { disk, state, heard, emit } = stage(broken);
    const saved = [emit(turn(1)), emit(turn(2)), emit(LIVE['agent-queued'])];
    await disk.sync();
    expect(await Promise.all(saved)).toEqual([1, 2, undefined]);
    expect(state.lastSeq).toBe(2);
    const kinds = heard.map(({ event }) => event.kind);
    expect(kinds.filter((kind) => kind !== 'line-shown')).toEqual(['agent-queued', 'turn-started', 'turn-started']);
    const reports = heard.filter(({ event }) => event.kind === 'line-shown');
    expect(reports).toEqual([
      {
        agent: 'a',
        seq: undefined,
        event: { kind: 'line-shown', level: 'error', line: 'a listener threw at agent-queued: oops' },
      },
    ]);
  });

  it('two that throw are reported once each, and never to no end', async () => {
    const { heard, emit } = stage(broken, () => broken());
    await emit(LIVE['agent-queued']);
    await emit(LIVE['agent-queued']);
    expect(heard.map(({ event }) => event.kind).sort()).toEqual([
      'agent-queued',
      'agent-queued',
      'line-shown',
      'line-shown',
    ]);
  });

  it('one that rejects later is reported in the same way', async () => {
    const { heard, emit } = stage(async () => broken());
    await emit(LIVE['agent-queued']);
    await emit(LIVE['agent-queued']);
    await new Promise((resolve) => setImmediate(resolve));
    const lines = heard.flatMap(({ event }) => (event.kind === 'line-shown' ? [event.line] : []));
    expect(lines).toEqual(['a listener threw at agent-queued: oops']);
  });

  it('one that was removed hears no more; one that comes later hears what comes later', async () => {
    const { heard, listeners, emit } = stage();
    const later: SessionEvent[] = [];
    await emit(LIVE['agent-queued']);
    const remove = listeners.add((event) => later.push(event));
    await emit(LIVE['call-started']);
    remove();
    await emit(LIVE['call-progressed']);
    expect(later.map(({ event }) => event.kind)).toEqual(['call-started']);
    expect(heard).toHaveLength(3);
  });

  it('one for a single agent hears that agent only, the kinds it asked for, until it is removed', async () => {
    const { heard, listeners, emit } = stage();
    const own: string[] = [];
    const others: string[] = [];
    const remove = listeners.addFor('a', ({ event }) => own.push(event.kind), ['call-started']);
    listeners.addFor('b', ({ event }) => others.push(event.kind));
    await emit(LIVE['agent-queued']);
    await emit(LIVE['call-started']);
    remove();
    await emit(LIVE['call-started']);
    expect([own, others]).toEqual([['call-started'], []]);
    expect(heard).toHaveLength(3);
  });
});
