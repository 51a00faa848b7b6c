/** Reads a transcript into the state it ended in. What is damaged is told; what can't be read is not taken for empty. */

import type { Files } from '../../host/files.js';
import type { FrozenMessage } from '../../protocol/frozen-block.js';
import type { AnyRecord } from '../transcript/read-segment.js';
import { readTranscript, type TranscriptItem } from '../transcript/read-transcript.js';
import { createRestorer } from './restore.js';
import type { Restored } from './restored.js';

export type RestoreResult =
  | { readonly kind: 'restored'; readonly restored: Restored; readonly damage: Damage }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly reason: string };

export type Damage = {
  /** Lines that were skipped. */
  readonly lines: number;
  /** What stands after the last whole record. */
  readonly tailBytes: number;
  /** For the person; empty when nothing is damaged. */
  readonly told: readonly string[];
};

export type RestoreOptions = {
  /** What a fork began with. */
  readonly inherited?: readonly FrozenMessage[];
  /** The state after this record, whatever follows. */
  readonly upTo?: number;
  /** What rewinds go back to, by record: read once, however often one goes back. */
  readonly pasts?: Map<number, Promise<Restored | undefined>>;
  /** Sees every record as it comes. */
  readonly onRecord?: (record: AnyRecord) => void;
};

/** More lines of damage than this are only counted. */
const MAX_TOLD = 20;

export async function restoreTranscript(
  files: Files,
  path: string,
  options: RestoreOptions = {},
): Promise<RestoreResult> {
  const restorer = createRestorer(options.inherited);
  const pasts = options.pasts ?? new Map<number, Promise<Restored | undefined>>();
  const told: string[] = [];
  let lines = 0;
  let tailBytes = 0;
  for await (const item of readTranscript(files, path)) {
    switch (item.kind) {
      case 'record':
        if (item.record.seq > (options.upTo ?? Number.POSITIVE_INFINITY)) continue;
        restorer.add(item.record, item.segment, await pastOf(files, path, item.record, { ...options, pasts }));
        options.onRecord?.(item.record);
        break;
      case 'damaged':
        lines += 1;
        if (told.length < MAX_TOLD) told.push(tellDamage(path, item));
        break;
      case 'tail':
        tailBytes += item.bytes;
        told.push(tellTail(path, item));
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
  return { kind: 'restored', restored: restorer.finish(), damage: { lines, tailBytes, told } };
}

/** What the conversation was before the prompt a rewind names: the same file, read up to there. */
async function pastOf(
  files: Files,
  path: string,
  record: AnyRecord,
  options: RestoreOptions & { readonly pasts: Map<number, Promise<Restored | undefined>> },
): Promise<Restored | undefined> {
  const event = 'event' in record ? record.event : undefined;
  // One can only go back; a record that says otherwise is damage.
  if (event?.kind !== 'history-rewound' || !event.conversation || event.before >= record.seq) return undefined;
  const { pasts, inherited } = options;
  const upTo = event.before - 1;
  const known = pasts.get(upTo);
  if (known !== undefined) return known;
  const past = restoreTranscript(files, path, { upTo, pasts, ...(inherited === undefined ? {} : { inherited }) });
  const restored = past.then((read) => (read.kind === 'restored' ? read.restored : undefined));
  pasts.set(upTo, restored);
  return restored;
}

function tellDamage(path: string, item: Extract<TranscriptItem, { kind: 'damaged' }>): string {
  return `${path}: skipped ${item.bytes} damaged bytes at ${item.at} (${item.reason})`;
}

function tellTail(path: string, item: Extract<TranscriptItem, { kind: 'tail' }>): string {
  const what = item.zeros ? 'zeros' : 'of a record that was never finished';
  return `${path}: the last ${item.bytes} bytes are ${what}; they are set aside`;
}
