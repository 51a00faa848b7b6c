/** Lists backups of the local memory and restores one. */

import type { HeldFolder } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import type { Result } from '../../../protocol/result.js';
import type { MemoryFolder } from '../find-memory.js';
import { BACKUP_NAME, checkStamp, holdSideIfThere, MOST_BACKUPS, type Side } from './finish-update.js';
import { enterIfThere, type Hold, whileHolding } from './held-folders.js';
import { changeMemory, type MemoryDone } from './memory-lock.js';
import { readLocal, readTeam } from './read-sides.js';
import { changedNames, isText, MOST_FILES } from './read-texts.js';
import { updateFolder } from './update-folder.js';

export type MemoryBackup = {
  readonly name: string;
  /** Its .md files, at most 2,000. */
  readonly files: readonly string[];
  /** The time it became a backup, in milliseconds since 1970. */
  readonly at: number;
};

/** Newest first. Empty if they can't be read. */
export function listBackups(host: Host, { parent, name }: MemoryFolder): Promise<readonly MemoryBackup[]> {
  return whileHolding(async (hold) => {
    const backups = await enterBackups(hold, host, { parent, name }).catch(() => undefined);
    const found: MemoryBackup[] = [];
    for (const backup of backups === undefined ? [] : await namesOf(backups)) {
      found.push(...(await describe(backups, backup).catch(() => [])));
    }
    return found;
  });
}

async function describe(backups: HeldFolder | undefined, name: string): Promise<readonly MemoryBackup[]> {
  const at = (await backups?.lstat(name))?.ctimeMs;
  if (backups === undefined || at === undefined) return [];
  return whileHolding(async (hold) => {
    const entries = await (await hold(backups.enter(name))).list(MOST_FILES);
    const files = entries.filter((entry) => entry.kind === 'file' && isText(entry.name)).map((entry) => entry.name);
    return [{ name, files: files.sort(), at }];
  });
}

export type RollBackOptions = { /** The name of a backup; the newest if omitted. */ readonly to?: string };

/**
 * The backup becomes the folder again, whole, and the current folder becomes a backup, so that a second rollback undoes
 * the first. The current snapshot is treated as declined: only a newer one is offered. The base for merging is restored
 * too: a later merge brings what was not taken.
 */
export function rollBackMemory(host: Host, place: MemoryFolder, { to }: RollBackOptions): Promise<MemoryDone> {
  return changeMemory(host, place, async ({ local, team }): Promise<MemoryDone> => {
    const found = await findBackup(host, local, to);
    if (!found.ok) return found;
    const { updatedAt } = await readTeam(host, team);
    const before = await readLocal(host, local).catch(() => undefined);
    const restore = { from: found.name, hasBase: found.hasBase };
    const plan = { restore, ...(updatedAt.kind === 'time' ? { syncedFrom: updatedAt.text } : {}) };
    const { backup, remarks } = await updateFolder(host, local, { plan });
    const after = await readLocal(host, local).catch(() => undefined);
    const files = changedNames(before?.texts ?? new Map(), after?.texts ?? new Map());
    return { ok: true, files, ...(backup === undefined ? {} : { backup }), notes: remarks };
  });
}

type FoundBackup = Result<{ readonly name: string; readonly hasBase: boolean }>;

function findBackup(host: Host, local: Side, to: string | undefined): Promise<FoundBackup> {
  return whileHolding(async (hold): Promise<FoundBackup> => {
    const backups = await enterBackups(hold, host, local);
    const names = backups === undefined ? [] : await namesOf(backups);
    const name = to ?? names[0];
    if (backups === undefined || name === undefined)
      return { ok: false, reason: `there is no backup of ${local.parent}/${local.name}` };
    if (!names.includes(name)) {
      return {
        ok: false,
        reason: `there is no backup ${JSON.stringify(name)}; there are ${names.slice(0, 10).join(', ')}`,
      };
    }
    await checkStamp(await hold(backups.enter(name)));
    return { ok: true, name, hasBase: await hasBase(hold, host, local, name) };
  });
}

async function hasBase(hold: Hold, host: Host, local: Side, name: string): Promise<boolean> {
  const bases = await enterBeside(hold, host, local, 'bases');
  return (await bases?.lstat(name)) !== undefined;
}

/** Newest first. */
async function namesOf(backups: HeldFolder): Promise<readonly string[]> {
  const entries = await backups.list(MOST_BACKUPS);
  const names = entries.filter(({ name, kind }) => kind === 'folder' && BACKUP_NAME.test(name)).map(({ name }) => name);
  return names.sort((a, b) => Number(b) - Number(a));
}

function enterBackups(hold: Hold, host: Host, side: Pick<Side, 'parent' | 'name'>): Promise<HeldFolder | undefined> {
  return enterBeside(hold, host, side, 'backups');
}

async function enterBeside(hold: Hold, host: Host, { parent, name }: Pick<Side, 'parent' | 'name'>, part: string) {
  const held = await holdSideIfThere(hold, host, { parent, name, isPrivate: true });
  return held && enterIfThere(hold, held.stateFolder, part);
}
