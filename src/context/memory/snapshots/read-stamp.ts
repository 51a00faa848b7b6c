/** The two time stamps of a snapshot: of the team's, and in the local folder of the one that was seen last (ME-4). */

import * as z from 'zod';
import type { HeldFolder } from '../../../host/files.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { Stamp } from './judge-snapshot.js';
import { readPlainFile } from './read-texts.js';

export const SNAPSHOT_FILE = 'snapshot.json';
export const SYNCED_FILE = '.snapshot-synced.json';

const MOST_BYTES = 4_096;
const TIME = z.iso.datetime({ offset: true }).max(64);
const UPDATED = z.object({ updatedAt: TIME });
const SYNCED = z.object({ syncedFrom: TIME });

/** `folder`: the snapshot's; undefined if there is none. Never rejects. */
export function readUpdatedAt(folder: HeldFolder | undefined): Promise<Stamp> {
  return readStamp(folder, SNAPSHOT_FILE, (value) => UPDATED.parse(value).updatedAt);
}

/** `folder`: the local one; undefined if there is none. Never rejects. */
export function readSyncedFrom(folder: HeldFolder | undefined): Promise<Stamp> {
  return readStamp(folder, SYNCED_FILE, (value) => SYNCED.parse(value).syncedFrom);
}

export function updatedAtText(updatedAt: string): string {
  return `${JSON.stringify({ updatedAt }, null, 2)}\n`;
}

export function syncedFromText(syncedFrom: string): string {
  return `${JSON.stringify({ syncedFrom }, null, 2)}\n`;
}

async function readStamp(
  folder: HeldFolder | undefined,
  name: string,
  pick: (value: unknown) => string,
): Promise<Stamp> {
  if (folder === undefined) return { kind: 'absent' };
  try {
    const read = await readPlainFile(folder, name, MOST_BYTES);
    if (read.kind === 'absent') return read;
    if (read.kind === 'refused') return { kind: 'unreadable', reason: `${folder.path}/${name}: ${read.reason}` };
    const text = textOf(read.bytes, pick);
    return text === undefined
      ? { kind: 'unreadable', reason: `${folder.path}/${name} is damaged` }
      : { kind: 'time', text, ms: Date.parse(text) };
  } catch (error) {
    return { kind: 'unreadable', reason: `${folder.path}/${name}: ${reasonOf(error)}` };
  }
}

function textOf(bytes: Buffer, pick: (value: unknown) => string): string | undefined {
  try {
    return pick(JSON.parse(bytes.toString('utf8')));
  } catch {
    return undefined;
  }
}
