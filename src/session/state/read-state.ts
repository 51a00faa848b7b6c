/** Reads a transcript into the state it ended in. What is damaged is told; what can't be read is not taken for empty. */

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
  /** Where the transcript ends; undefined when nothing was read. */
  readonly end: TranscriptEnd | undefined;
  readonly records: number;
  /** Records of kinds or versions that this version doesn't know. */
  readonly unknown: number;
  readonly damage: Damage;
};

type Damage = {
  /** Lines that were skipped. */
  readonly lines: number;
  /** What stands after the last whole record. */
  readonly tailBytes: number;
  /** For the person; empty when nothing is damaged. */
  readonly told: readonly string[];
};

export type ReadStateOptions = {
  /** What a fork began with. */
  readonly inherited?: HistoryView;
  /** The state after this record, whatever follows. */
  readonly upTo?: number;
  /** Records of other kinds are passed over. */
  readonly kinds?: ReadonlySet<string>;
  /** What rewinds go back to, by record: read once, however often one goes back. */
  readonly pasts?: Map<number, Promise<AgentState | undefined>>;
  /** Sees every record as it comes. */
  readonly onRecord?: (record: AnyRecord) => void;
};

/** More lines of damage than this are only counted. */
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

/** Records in order into a state. Numbers that are missing are noticed: a lost record may have joined a message. */
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
    // Nothing that goes on passes the gate by: the person says so anew, or not.
    if (this.#state.mode === 'bypassPermissions') this.#state.mode = 'default';
    this.#state.lastSeq = this.#end?.seq ?? 0;
    return { state: this.#state, end: this.#end, records: this.#records, unknown: this.#unknown };
  }
}

/** What the conversation was before the prompt a rewind names: the same file, read up to there. */
async function pastOf(
  files: Files,
  path: string,
  record: AnyRecord,
  options: ReadStateOptions & { readonly pasts: Map<number, Promise<AgentState | undefined>> },
): Promise<AgentState | undefined> {
  const event = 'event' in record ? record.event : undefined;
  // One can only go back; a record that says otherwise is damage.
  if (event?.kind !== 'history-rewound' || !event.conversation || event.before >= record.seq) return undefined;
  const { pasts, inherited } = options;
  const upTo = event.before - 1;
  const known = pasts.get(upTo) ?? readPast(files, path, { upTo, pasts, ...(inherited ? { inherited } : {}) });
  pasts.set(upTo, known);
  return known;
}

/** The state before a record; undefined when it can't be read. */
export async function readPast(files: Files, path: string, options: ReadStateOptions): Promise<AgentState | undefined> {
  const read = await readState(files, path, options);
  return read.kind === 'read' ? read.state : undefined;
}

function describeDamage(path: string, item: Extract<TranscriptItem, { kind: 'damaged' }>): string {
  return `${path}: skipped ${item.bytes} damaged bytes at ${item.at} (${item.reason})`;
}

function describeTail(path: string, item: Extract<TranscriptItem, { kind: 'tail' }>): string {
  const what = item.zeros ? 'zeros' : 'of a record that was never finished';
  return `${path}: the last ${item.bytes} bytes are ${what}; they are set aside`;
}
