/** Takes the team's snapshot into the local memory, or declines it. The old files become a backup (ME-5). */

import type { Host } from '../../../host/host.js';
import type { Failure } from '../../../protocol/result.js';
import type { MemoryFolder } from '../find-memory.js';
import { writeSyncedFrom } from './finish-update.js';
import { holdOrMake, whileHolding } from './held-folders.js';
import { judgeSnapshot, type Stamp } from './judge-snapshot.js';
import { changeMemory, type MemoryDone, type MemorySides } from './memory-lock.js';
import { type LocalMemory, readLocal, readTeam, type TeamMemory } from './read-sides.js';
import { SYNCED_FILE, syncedFromText } from './read-stamp.js';
import { changedNames, sameTexts, type Texts } from './read-texts.js';
import { updateFolder } from './update-folder.js';

/** Copies the snapshot if that is still needed: another process may have been faster. */
export function initialiseMemory(host: Host, place: MemoryFolder): Promise<MemoryDone> {
  return changeMemory(host, place, async (sides): Promise<MemoryDone> => {
    const [team, local] = [await readTeam(host, sides.team), await readLocal(host, sides.local)];
    const { updatedAt } = team;
    const { syncedFrom, hasTexts: hasLocal } = local;
    const { state, why } = judgeSnapshot({ updatedAt, syncedFrom, hasLocal, now: host.clock.now() });
    switch (state) {
      case 'none':
        return noSnapshot(place);
      case 'ask':
        return { ok: false, reason: `nothing was copied into ${place.folder}: ${why}` };
      case 'current':
        return { ok: true, files: [], notes: [] };
      case 'initialise':
        return putTexts(host, sides, { local, team, texts: team.texts, notes: [] });
      default:
        return state satisfies never;
    }
  });
}

/** Replaces the local .md files by the snapshot's. */
export function takeMemory(host: Host, place: MemoryFolder): Promise<MemoryDone> {
  return changeMemory(host, place, async (sides): Promise<MemoryDone> => {
    const team = await readTeam(host, sides.team);
    if (team.updatedAt.kind === 'absent') return noSnapshot(place);
    const local = await readLocal(host, sides.local);
    return putTexts(host, sides, { local, team, texts: team.texts, notes: [] });
  });
}

/** Declines the snapshot: only a newer one is offered. The base for merging stays, because nothing of this one was taken. */
export function declineMemory(host: Host, place: MemoryFolder): Promise<MemoryDone> {
  return changeMemory(host, place, async ({ local, team }): Promise<MemoryDone> => {
    const { updatedAt } = await readTeam(host, team);
    switch (updatedAt.kind) {
      case 'absent':
        return noSnapshot(place);
      case 'unreadable':
        return { ok: false, reason: `${updatedAt.reason}: you are asked again until it is fixed` };
      case 'time':
        await whileHolding(async (hold) => {
          const parentFolder = await holdOrMake(hold, host, local.parent, local.isPrivate);
          await writeSyncedFrom(await hold(parentFolder.makeFolder(local.name, 0o700)), updatedAt.text);
        });
        return { ok: true, files: [], notes: [] };
      default:
        return updatedAt satisfies never;
    }
  });
}

export function noSnapshot({ snapshot, type }: MemoryFolder): Failure {
  const file = `${snapshot?.folder}/snapshot.json`;
  return {
    ok: false,
    reason: `there is no snapshot for ${type}: ${file} is not there (publish makes one of your notes)`,
  };
}

export type NewTexts = {
  readonly local: LocalMemory;
  readonly team: TeamMemory;
  readonly texts: Texts;
  readonly notes: readonly string[];
};

/** Makes these the local .md files, in sync with this snapshot. */
export async function putTexts(
  host: Host,
  sides: MemorySides,
  { local, team, texts, notes }: NewTexts,
): Promise<MemoryDone> {
  const base = team.texts;
  const { updatedAt } = team;
  const files = changedNames(local.texts, texts);
  const isAsBefore = sameTexts(local.texts, texts) && local.remarks.length === 0;
  const { backup, remarks } = isAsBefore
    ? await updateFolder(host, sides.local, { base, plan: stampOf(updatedAt) })
    : await updateFolder(host, sides.local, {
        base,
        folder: { texts, stamp: { file: SYNCED_FILE, text: syncedText(updatedAt) } },
      });
  const all = [...notes, ...team.remarks, ...local.remarks, ...remarks, ...noteOf(updatedAt)];
  return { ok: true, files, ...(backup === undefined ? {} : { backup }), notes: all };
}

function stampOf(updatedAt: Stamp) {
  return updatedAt.kind === 'time' ? { syncedFrom: updatedAt.text } : {};
}

function syncedText(updatedAt: Stamp): string | undefined {
  return updatedAt.kind === 'time' ? syncedFromText(updatedAt.text) : undefined;
}

function noteOf(updatedAt: Stamp): readonly string[] {
  return updatedAt.kind === 'unreadable' ? [`you are asked again until it is fixed: ${updatedAt.reason}`] : [];
}
