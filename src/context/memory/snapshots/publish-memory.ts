/** Makes the local .md files the team's snapshot. */

import { join } from 'node:path';
import type { Host } from '../../../host/host.js';
import type { MemoryFolder } from '../find-memory.js';
import { isAbsurd, judgeSnapshot, type Stamp } from './judge-snapshot.js';
import { changeMemory, type MemoryDone, type MemorySides, recoverLocal, withTeamLock } from './memory-lock.js';
import { type LocalMemory, readLocal, readTeam, type TeamMemory } from './read-sides.js';
import { SNAPSHOT_FILE, updatedAtText } from './read-stamp.js';
import { changedNames, sameTexts, shownName } from './read-texts.js';
import { cancelUpdate, prepareUpdate, updateFolder } from './update-folder.js';

export type PublishOptions = { /** Also over what I have neither taken nor declined. */ readonly force: boolean };

export function publishMemory(host: Host, place: MemoryFolder, { force }: PublishOptions): Promise<MemoryDone> {
  return changeMemory(host, place, (sides) =>
    withTeamLock(host, sides.team, async (): Promise<MemoryDone> => {
      const [team, local] = [await readTeam(host, sides.team), await readLocal(host, sides.local)];
      if (local.texts.size === 0)
        return { ok: false, reason: `there is nothing to publish: ${place.folder} has no .md file` };
      const isSame = sameTexts(team.texts, local.texts);
      if (isSame && team.updatedAt.kind === 'time') return noteSame(host, sides, local, team.updatedAt);
      const unseen = force || isSame ? undefined : reasonUnseen(host, team, local);
      if (unseen !== undefined) {
        return { ok: false, reason: `the snapshot has what this memory has not (${unseen}): merge or take it first` };
      }
      return publish(host, sides, team, local);
    }),
  );
}

/** The reason if the snapshot has something that was neither taken nor declined. */
function reasonUnseen(host: Host, { updatedAt, texts }: TeamMemory, { syncedFrom }: LocalMemory): string | undefined {
  if (updatedAt.kind === 'absent') return texts.size === 0 ? undefined : 'it has files, and no time';
  const { state, why } = judgeSnapshot({ updatedAt, syncedFrom, hasLocal: true, now: host.clock.now() });
  return state === 'ask' ? why : undefined;
}

/** The time stays: nobody is asked about an unchanged snapshot. */
async function noteSame(
  host: Host,
  { local: side }: MemorySides,
  local: LocalMemory,
  { text }: Stamp & { kind: 'time' },
): Promise<MemoryDone> {
  const { remarks } = await updateFolder(host, side, { base: local.texts, plan: { syncedFrom: text } });
  return {
    ok: true,
    files: [],
    notes: ['the snapshot holds just this already', ...foldersKept(local), ...local.remarks, ...remarks],
  };
}

/**
 * Changes two folders. The local one is prepared first, to be applied only if the snapshot gets this time: after a crash,
 * `syncedFrom` and the base follow if it did, and stay unchanged if not.
 */
async function publish(host: Host, sides: MemorySides, team: TeamMemory, local: LocalMemory): Promise<MemoryDone> {
  const updatedAt = timeFor(team.updatedAt, host.clock.now());
  const { texts } = local;
  await prepareUpdate(host, sides.local, { base: texts, plan: { syncedFrom: updatedAt, isPublishing: true } });
  const { backup, remarks } = await updateFolder(host, sides.team, {
    folder: { texts, stamp: { file: SNAPSHOT_FILE, text: updatedAtText(updatedAt) } },
  }).catch(async (error: unknown) => {
    await cancelPublishing(host, sides).catch(() => {});
    throw error;
  });
  const rest = await recoverLocal(host, sides);
  const was =
    backup === undefined
      ? []
      : [`the snapshot as it was is in ${join(sides.team.parent, '.coppice', sides.team.name, 'backups', backup)}`];
  const notes = [...was, ...notPublished(team, local), ...local.remarks, ...remarks, ...rest];
  return { ok: true, files: changedNames(team.texts, texts), notes };
}

/** Warnings: notes of others that mine don't have, and mine in subfolders, which are not published. */
function notPublished(team: TeamMemory, local: LocalMemory): readonly string[] {
  const gone = [...team.texts.keys()].filter((name) => !local.texts.has(name));
  return [
    ...gone.map((name) => `${shownName(undefined, name)} is no longer in the snapshot: your notes don't have it`),
    ...foldersKept(local),
  ];
}

function foldersKept({ folders }: LocalMemory): readonly string[] {
  const shown = folders.filter((name) => !name.startsWith('.')).map((name) => `${shownName(undefined, name)}/`);
  if (shown.length === 0) return [];
  return [`${shown.join(', ')} was not published: a snapshot has the .md files directly in the folder`];
}

/** Not if the snapshot's half is committed: then both are finished at the next use. */
async function cancelPublishing(host: Host, { local, team }: MemorySides): Promise<void> {
  const isCertain = (await host.files.lstat(join(team.parent, '.coppice', team.name, 'next'))) !== undefined;
  if (!isCertain) await cancelUpdate(host, local);
}

/** Later than the one before, so that it is offered to all; but a mistaken time is not continued (failures 24). */
function timeFor(before: Stamp, now: number): string {
  const isFollowed = before.kind === 'time' && !isAbsurd(before.ms, now);
  return new Date(isFollowed ? Math.max(now, before.ms + 1) : now).toISOString();
}
