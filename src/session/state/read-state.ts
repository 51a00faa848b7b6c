/** Reads a transcript into the state it ended in. Damage is reported; an unreadable file is never treated as empty. */

import type { Files } from '../../host/files.js';
import type { HistoryView } from '../../protocol/history.js';
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
};

type Damage = {
  /** Number of skipped lines. */
  readonly lines: number;
  /** Number of bytes after the last whole record. */
  readonly tailBytes: number;
  /** For the person; empty if nothing is damaged. */
  readonly told: readonly string[];
};

export type ReadStateOptions = {
  /** The history a fork began with. */
  readonly inherited?: HistoryView;
  /** Stop after this record. */
  readonly upTo?: number;
  /** Skip records of other kinds. */
  readonly kinds?: ReadonlySet<string>;
  /** States that rewinds return to, by record; each is read once, however many rewinds name it. */
  readonly pasts?: Map<number, Promise<AgentState | undefined>>;
  /** Called with every record, in order. */
  readonly onRecord?: (record: AnyRecord) => void;
};

/** Damage beyond this many lines is only counted. */
const MAX_TOLD = 20;

export async function readState(files: Files, path: string, options: ReadStateOptions = {}): Promise<StateRead> {
  const reader = new StateReader(options.inherited);
  const pasts = options.pasts ?? new Map<number, Promise<AgentState | undefined>>();
  const told: string[] = [];
  let lines = 0;
  let tailBytes = 0;
  for await (const item of readTranscript(files, path, options.kinds === undefined ? {} : { kinds: options.kinds })) {
    switch (item.kind) {
      case 'record':
        if (item.record.seq > (options.upTo ?? Number.POSITIVE_INFINITY)) continue;
        reader.add(item.record, item.segment, await pastOf(files, path, item.record, { ...options, pasts }));
        options.onRecord?.(item.record);
        break;
      case 'damaged':
        lines += 1;
        if (told.length < MAX_TOLD) told.push(describeDamage(path, item));
        break;
      case 'tail':
        tailBytes += item.bytes;
        told.push(describeTail(path, item));
        break;
      case 'missing':
        return { kind: 'missing' };
      case 'unreadable':
        return { kind: 'unreadable', reason: `${path} can't be read: ${item.reason}` };
      default:
        item satisfies never;
    }
  }
  if (lines > MAX_TOLD) told.push(`${path}: ${lines - MAX_TOLD} more damaged lines were skipped`);
  return { kind: 'read', ...reader.finish(), damage: { lines, tailBytes, told } };
}

/** Folds records in order into a state. Notes gaps in the numbering: a lost record may have joined a message. */
export class StateReader {
  readonly #state: AgentState;
  #end: TranscriptEnd | undefined;
  #records = 0;
  #unknown = 0;

  constructor(inherited?: HistoryView) {
    this.#state = createState(inherited === undefined ? {} : { inherited });
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

  finish(): Omit<ReadState, 'damage'> {
    // A resumed session never bypasses the gate unless the person asks for it again.
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
  // A rewind can only go back; a record that says otherwise is damaged.
  if (event?.kind !== 'history-rewound' || !event.conversation || event.before >= record.seq) return undefined;
  const { pasts, inherited } = options;
  const upTo = event.before - 1;
  const known = pasts.get(upTo) ?? readPast(files, path, { upTo, pasts, ...(inherited ? { inherited } : {}) });
  pasts.set(upTo, known);
  return known;
}

/** The state before a record; undefined if it can't be read. */
export async function readPast(files: Files, path: string, options: ReadStateOptions): Promise<AgentState | undefined> {
  const read = await readState(files, path, options);
  return read.kind === 'read' ? read.state : undefined;
}

function describeDamage(path: string, item: Extract<TranscriptItem, { kind: 'damaged' }>): string {
  return `${path}: skipped ${item.bytes} damaged bytes at ${item.at} (${item.reason})`;
}

function describeTail(path: string, item: Extract<TranscriptItem, { kind: 'tail' }>): string {
  const what = item.zeros ? 'zeros' : 'part of an unfinished record';
  return `${path}: the last ${item.bytes} bytes are ${what}; they are set aside`;
}
