/** Decides about a snapshot from two time stamps and the names in the local folder, without reading contents (ME-5). */

import { errorCode, type HeldFolder } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { MemoryFolder } from '../find-memory.js';
import { enterIfThere, type Hold, holdIfThere, whileHolding } from './held-folders.js';
import { judgeSnapshot, type SnapshotJudgement, type Stamp } from './judge-snapshot.js';
import { readSyncedFrom, readUpdatedAt } from './read-stamp.js';
import { hasTexts } from './read-texts.js';

export type InspectedSnapshot = SnapshotJudgement & {
  /** As written in the file. */
  readonly updatedAt?: string;
};

/** Called after `recoverMemory`. Never rejects: what can't be read is asked about. */
export async function inspectSnapshot(host: Host, place: MemoryFolder): Promise<InspectedSnapshot> {
  const { snapshot, parent, name } = place;
  if (snapshot === undefined) return { state: 'none', why: 'only local memory has a snapshot' };
  return whileHolding(async (hold) => {
    const updatedAt = await inFolder(hold, host, { parent: snapshot.parent, name }, readUpdatedAt, unreadable);
    // Most have none.
    if (updatedAt.kind === 'absent') return judgeSnapshot({ updatedAt, syncedFrom: updatedAt, hasLocal: true, now: 0 });
    const at = { parent, name };
    const syncedFrom = await inFolder(hold, host, at, readSyncedFrom, unreadable);
    const hasLocal = await inFolder(
      hold,
      host,
      at,
      async (folder) => folder !== undefined && hasTexts(folder),
      () => true,
    );
    const judged = judgeSnapshot({ updatedAt, syncedFrom, hasLocal, now: host.clock.now() });
    return updatedAt.kind === 'time' ? { ...judged, updatedAt: updatedAt.text } : judged;
  });
}

async function inFolder<T>(
  hold: Hold,
  host: Host,
  { parent, name }: { readonly parent: string; readonly name: string },
  look: (folder: HeldFolder | undefined) => Promise<T>,
  otherwise: (reason: string) => T,
): Promise<T> {
  try {
    const parentFolder = await holdIfThere(hold, host, parent);
    return await look(parentFolder && (await enterIfThere(hold, parentFolder, name)));
  } catch (error) {
    const isOther = errorCode(error) === 'ENOTDIR' || errorCode(error) === 'ESTALE';
    return otherwise(`${parent}/${name}: ${isOther ? 'it is not a folder' : reasonOf(error)}`);
  }
}

function unreadable(reason: string): Stamp {
  return { kind: 'unreadable', reason };
}
