/** Reads a transcript into the state it ended in. What is damaged is told; what can't be read is not taken for empty. */

import type { Files } from '../host/files.js';
import type { FrozenMessage } from '../protocol/frozen-block.js';
import type { AnyRecord } from './read-segment.js';
import { readTranscript, type TranscriptItem } from './read-transcript.js';
import { createRestorer } from './restore.js';
import type { Restored } from './restored.js';

export type RestoreResult =
  | { readonly kind: 'restored'; readonly restored: Restored; readonly damage: Damage }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly line: string };

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
  const told: string[] = [];
  let lines = 0;
  let tailBytes = 0;
  for await (const item of readTranscript(files, path)) {
    switch (item.kind) {
      case 'record':
        if (item.record.seq > (options.upTo ?? Number.POSITIVE_INFINITY)) continue;
        restorer.add(item.record, item.segment);
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
        return { kind: 'unreadable', line: `${path} can't be read: ${item.why}` };
      default:
        item satisfies never;
    }
  }
  if (lines > MAX_TOLD) told.push(`${path}: ${lines - MAX_TOLD} more damaged lines were skipped`);
  return { kind: 'restored', restored: restorer.finish(), damage: { lines, tailBytes, told } };
}

function tellDamage(path: string, item: Extract<TranscriptItem, { kind: 'damaged' }>): string {
  return `${path}: skipped ${item.bytes} damaged bytes at ${item.at} (${item.why})`;
}

function tellTail(path: string, item: Extract<TranscriptItem, { kind: 'tail' }>): string {
  const what = item.zeros ? 'zeros' : 'of a record that was never finished';
  return `${path}: the last ${item.bytes} bytes are ${what}; they are set aside`;
}
