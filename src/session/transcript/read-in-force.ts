/**
 * Reads a conversation as it is in force: without messages that were rewound, cleared, or withdrawn before they were read,
 * but with those that a summary replaced. Only the records that people see.
 */

import type { Files } from '../../host/files.js';
import type { DurableEvent } from '../../protocol/events.js';
import type { IndexedTranscript } from './indexed-transcript.js';
import { readTranscript } from './read-transcript.js';
import type { PositionedEvent } from './transcript-part.js';

export type EventInForce = Pick<PositionedEvent, 'seq' | 'event' | 'ts'>;

const SHOWN: ReadonlySet<DurableEvent['kind']> = new Set<DurableEvent['kind']>([
  'input-admitted',
  'assistant-replied',
  'call-finished',
  'todos-changed',
  'history-compacted',
  'history-cleared',
  'history-rewound',
  'fault-met',
  'mode-changed',
  'run-ended',
]);
const MARKS: ReadonlySet<DurableEvent['kind']> = new Set<DurableEvent['kind']>([
  'history-cleared',
  'history-rewound',
  'input-withdrawn',
]);

/** Reads all of it from the beginning, in two passes, so that only one record is in memory. */
export async function* readInForce(
  files: Files,
  path: string,
  kinds: ReadonlySet<DurableEvent['kind']> = SHOWN,
): AsyncGenerator<EventInForce, void, undefined> {
  const marks: EventInForce[] = [];
  for await (const one of readEvents(files, path, MARKS)) marks.push(one);
  const force = new Force();
  for (const { seq, event } of marks.toReversed()) force.take(seq, event);
  for await (const one of readEvents(files, path, kinds)) if (force.has(one.seq)) yield one;
}

export type LastInForce = {
  readonly events: readonly EventInForce[];
  /** True if there is more above. */
  readonly isCut: boolean;
};

/** Reads its end backwards: about this many bytes of records in force. */
export async function readLastInForce(transcript: IndexedTranscript, bytes: number): Promise<LastInForce> {
  const force = new Force();
  const found: EventInForce[] = [];
  let length = 0;
  let place = await transcript.size();
  while (place > 0 && !force.isOver) {
    if (length >= bytes) return { events: found.reverse(), isCut: true };
    const part = await transcript.before(place, PART);
    let end = part.to;
    for (const { seq, event, ts, place: at } of part.events.toReversed()) {
      force.take(seq, event);
      if (SHOWN.has(event.kind) && force.has(seq)) {
        found.push({ seq, event, ts });
        length += end - at;
      }
      end = at;
    }
    place = part.from;
  }
  return { events: found.reverse(), isCut: false };
}

const PART = 128 * 1024;

/** The records in force, seen from the end: a record that is not in force has no effect. */
class Force {
  readonly #dropped: { readonly from: number; readonly to: number }[] = [];
  readonly #withdrawn = new Set<number>();
  /** No earlier record is in force. */
  isOver = false;

  take(seq: number, event: DurableEvent): void {
    if (!MARKS.has(event.kind) || !this.has(seq)) return;
    if (event.kind === 'history-rewound' && event.conversation) this.#dropped.push({ from: event.before, to: seq });
    if (event.kind === 'input-withdrawn') for (const input of event.inputs) this.#withdrawn.add(input);
    if (event.kind !== 'history-cleared') return;
    this.#dropped.push({ from: 0, to: seq });
    this.isOver = true;
  }

  has(seq: number): boolean {
    return !this.#withdrawn.has(seq) && !this.#dropped.some(({ from, to }) => seq >= from && seq < to);
  }
}

async function* readEvents(files: Files, path: string, kinds: ReadonlySet<DurableEvent['kind']>) {
  for await (const item of readTranscript(files, path, { kinds })) {
    if (item.kind !== 'record' || !('event' in item.record)) continue;
    const { seq, event, ts } = item.record;
    if (kinds.has(event.kind)) yield { seq, event, ts };
  }
}
