/** Reads a transcript into the state it ended in. Damage is reported; an unreadable file is never treated as empty. */

import type { Files } from '../../host/files.js';
import type { HistoryView } from '../../protocol/history.js';
import { type Checkpoint, type CheckpointPosition, type Damage, readCheckpoint } from '../checkpoint/checkpoint.js';
import type { AnyRecord } from '../transcript/read-segment.js';
import { readTranscript, type TranscriptItem } from '../transcript/read-transcript.js';
import type { TranscriptEnd } from '../transcript/transcript.js';
import { type AgentState, createState } from './agent-state.js';
import { reduce } from './reduce.js';

export type StateRead =
  | ({ readonly kind: 'read' } & ReadState)
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly reason: string };

export type ReadState = {
  readonly state: AgentState;
  /** End of the transcript; undefined if nothing was read. */
  readonly end: TranscriptEnd | undefined;
  readonly records: number;
  /** Number of records whose kind or version is unknown here. */
  readonly unknown: number;
  readonly damage: Damage;
  /** The checkpoint after the last record. Undefined if there is none, or its number is out of order. */
  readonly point: Checkpoint | undefined;
  /** Bytes of the records that were folded now, not restored from a checkpoint. */
  readonly folded: number;
};

export type ReadStateOptions = {
  /** The history a fork began with. */
  readonly inherited?: HistoryView;
  /** Stop after this record. */
  readonly upTo?: number;
  /** Skip records of other kinds. */
  readonly kinds?: ReadonlySet<string>;
  /** Start from the checkpoint, if it matches. Not together with `inherited` or `kinds`. */
  readonly checkpoint?: CheckpointPosition;
  /** States that rewinds return to, by record; each is read only once. */
  readonly pasts?: Map<number, Promise<AgentState | undefined>>;
  /** Gives up, as if the file was unreadable. */
  readonly signal?: AbortSignal;
  /** Called with every record that is read, in order. */
  readonly onRecord?: (record: AnyRecord) => void;
};

/** Further damaged lines are only counted. */
const MAX_TOLD = 20;

export async function readState(files: Files, path: string, options: ReadStateOptions = {}): Promise<StateRead> {
  const { checkpoint: place, upTo = Number.POSITIVE_INFINITY } = options;
  const from = place && (await readCheckpoint(files, path, place));
  const read = from && from.last.seq <= upTo ? await foldRecords(files, path, options, from) : 'overtaken';
  if (read !== 'overtaken') return read;
  const whole = await foldRecords(files, path, options);
  if (whole === 'overtaken') throw new Error('a transcript that is read whole has nothing before it');
  return whole;
}

async function foldRecords(
  files: Files,
  path: string,
  options: ReadStateOptions,
  from?: Checkpoint,
): Promise<StateRead | 'overtaken'> {
  const { upTo = Number.POSITIVE_INFINITY, kinds } = options;
  const reader = new StateReader(options.inherited, from);
  const pasts = options.pasts ?? new Map<number, Promise<AgentState | undefined>>();
  const told = [...(from?.damage.told ?? [])];
  let { lines, tailBytes } = from?.damage ?? { lines: 0, tailBytes: 0 };
  let { last, damage: before } = from ?? {};
  let folded = 0;
  const reading = readTranscript(files, path, { ...(kinds ? { kinds } : {}), ...(last ? { after: last } : {}) });
  for await (const item of reading) {
    if (options.signal?.aborted) return { kind: 'unreadable', reason: 'reading was cancelled' };
    switch (item.kind) {
      case 'record': {
        const { record, segment, at, bytes } = item;
        if (record.seq > upTo) continue;
        reader.add(record, segment, await pastOf(files, path, record, { ...options, pasts }));
        options.onRecord?.(record);
        last = { seq: record.seq, uuid: record.uuid, segment, at, bytes };
        before = { lines, tailBytes, told: told.slice() };
        folded += bytes;
        break;
      }
      case 'damaged':
        lines += 1;
        if (told.length < MAX_TOLD) told.push(describeDamage(path, item));
        // A rewritten record is reported after the one that replaced it, but lies before it.
        if (last && isBefore(item, last)) before = { lines, tailBytes, told: told.slice() };
        break;
      case 'tail':
        tailBytes += item.bytes;
        told.push(describeTail(path, item));
        break;
      case 'missing':
        return { kind: 'missing' };
      case 'unreadable':
        return { kind: 'unreadable', reason: `${path} can't be read: ${item.reason}` };
      case 'overtaken':
        return 'overtaken';
      default:
        item satisfies never;
    }
  }
  if (lines > MAX_TOLD) told.push(`${path}: ${lines - MAX_TOLD} more damaged lines were skipped`);
  const read = reader.finish();
  const isInOrder = last !== undefined && last.seq === read.end?.seq && last.segment === read.end.segment;
  const point = isInOrder && last && before ? { ...read, last, damage: before } : undefined;
  return { kind: 'read', ...read, damage: { lines, tailBytes, told }, point, folded };
}

/** Folds records in order into a state. Notes gaps in the numbering: a lost record may have joined a message. */
export class StateReader {
  readonly #state: AgentState;
  #end: TranscriptEnd | undefined;
  #records: number;
  #unknown: number;

  constructor(inherited?: HistoryView, from?: Checkpoint) {
    this.#state = from?.state ?? createState(inherited === undefined ? {} : { inherited });
    this.#end = from && { seq: from.last.seq, uuid: from.last.uuid, segment: from.last.segment };
    this.#records = from?.records ?? 0;
    this.#unknown = from?.unknown ?? 0;
  }

  add(record: AnyRecord, segment = 0, past?: AgentState): void {
    const before = this.#end;
    if (record.seq !== (before?.seq ?? 0) + 1) this.#state.gap = true;
    const seq = Math.max(record.seq, before?.seq ?? 0);
    this.#end = { seq, uuid: record.uuid, segment: Math.max(segment, before?.segment ?? 0) };
    this.#records += 1;
    if ('event' in record) reduce(this.#state, record.event, record.seq, past);
    else this.#unknown += 1;
  }

  finish(): Pick<ReadState, 'state' | 'end' | 'records' | 'unknown'> {
    // A resumed session never bypasses permissions unless the user asks for it again.
    if (this.#state.mode === 'bypassPermissions') this.#state.mode = 'default';
    this.#state.lastSeq = this.#end?.seq ?? 0;
    return { state: this.#state, end: this.#end, records: this.#records, unknown: this.#unknown };
  }
}

/** The state before the prompt that a rewind names, read from the same file. */
async function pastOf(
  files: Files,
  path: string,
  record: AnyRecord,
  options: ReadStateOptions & { readonly pasts: Map<number, Promise<AgentState | undefined>> },
): Promise<AgentState | undefined> {
  const event = 'event' in record ? record.event : undefined;
  // A rewind only goes backwards; any other record is damaged.
  if (event?.kind !== 'history-rewound' || !event.conversation || event.before >= record.seq) return undefined;
  const { pasts, onRecord: _, ...rest } = options;
  const upTo = event.before - 1;
  const known = pasts.get(upTo) ?? readPast(files, path, { ...rest, upTo, pasts });
  pasts.set(upTo, known);
  return known;
}

/** The state before a record; undefined if it can't be read. */
export async function readPast(files: Files, path: string, options: ReadStateOptions): Promise<AgentState | undefined> {
  const read = await readState(files, path, options);
  return read.kind === 'read' ? read.state : undefined;
}

function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.at < b.at);
}

type Position = { readonly segment: number; readonly at: number };

function describeDamage(path: string, item: Extract<TranscriptItem, { kind: 'damaged' }>): string {
  return `${path}: skipped ${item.bytes} damaged bytes at ${item.at} (${item.reason})`;
}

function describeTail(path: string, item: Extract<TranscriptItem, { kind: 'tail' }>): string {
  const what = item.zeros ? 'zeros' : 'part of an unfinished record';
  return `${path}: the last ${item.bytes} bytes are ${what}; they are set aside`;
}
