/**
 * The second half of an update of a memory folder, from its commit (`next` exists) to its end. Every step
 * can be repeated: after a crash, the next process to use the folder does the remaining ones.
 *
 *     <parent>/<name>/                      the folder
 *     <parent>/.coppice/<name>/next/        a committed update: plan.json, and the new `folder` and `base`
 *     <parent>/.coppice/<name>/staging-…/   an update that is not committed yet, or finished
 *     <parent>/.coppice/<name>/backups/<n>/ the folder before an update
 *     <parent>/.coppice/<name>/base/        the snapshot's .md files as last taken or published, for merging
 *     <parent>/.coppice/<name>/bases/<n>/   the base that belongs to the backup of that number
 *
 * The new base is in `next` with the new folder, and `next` is removed last, so that no crash can separate the two.
 */

import * as z from 'zod';
import type { HeldFolder } from '../../../host/files.js';
import { openGit } from '../../../host/git/git.js';
import type { Host } from '../../../host/host.js';
import { enterIfThere, type Hold, holdIfThere, removeTree, whileHolding } from './held-folders.js';
import { SYNCED_FILE, syncedFromText } from './read-stamp.js';
import { readPlainFile } from './read-texts.js';

/** A folder that is updated as a whole. */
export type Side = { readonly parent: string; readonly name: string; readonly isPrivate: boolean };

export type HeldSide = Side & {
  readonly parentFolder: HeldFolder;
  /** `.coppice/<name>` */
  readonly stateFolder: HeldFolder;
};

export const BACKUP_NAME = /^\d{6,12}$/;
const PLAN = z.object({
  v: z.literal(1),
  /**
   * The inode of the folder it is in. A repository can contain a `next`, but does not know this number: a pull must not
   * replace a memory unasked. The device is omitted, because its number may differ after a restart.
   */
  inode: z.string(),
  /** The name of the folder as a backup. */
  backup: z.string().regex(BACKUP_NAME),
  /** The backup to restore as the folder. */
  restore: z.object({ from: z.string().regex(BACKUP_NAME), hasBase: z.boolean() }).optional(),
  /** Written into the folder once it is in place. */
  syncedFrom: z.string().max(64).optional(),
  /** Applied only if the snapshot has that time: publishing changes two folders, and may have stopped before the other one. */
  isPublishing: z.boolean().optional(),
});
export type Plan = z.infer<typeof PLAN>;

export const PLAN_FILE = 'plan.json';
const MOST_PLAN_BYTES = 4_096;

export type IsPublished = (updatedAt: string) => Promise<boolean>;

/** Finishes a committed update and drops any other. Called with the folder's lock. Throws if it can't be finished. */
export async function recoverSide(host: Host, side: Side, isPublished: IsPublished): Promise<void> {
  await whileHolding(async (hold) => {
    const held = await holdSideIfThere(hold, host, side);
    if (held === undefined) return;
    if ((await held.stateFolder.lstat('next')) !== undefined) await finish(host, hold, held, isPublished);
    await clearStaging(held.stateFolder);
  });
}

export async function holdSideIfThere(hold: Hold, host: Host, side: Side): Promise<HeldSide | undefined> {
  const parentFolder = await holdIfThere(hold, host, side.parent);
  const all = parentFolder && (await enterIfThere(hold, parentFolder, '.coppice'));
  const stateFolder = all && (await enterIfThere(hold, all, side.name));
  return parentFolder && stateFolder && { ...side, parentFolder, stateFolder };
}

async function finish(host: Host, hold: Hold, held: HeldSide, isPublished: IsPublished): Promise<void> {
  const plan = await readPlan(host, hold, held.stateFolder);
  const isOff = plan.isPublishing === true && !(await isPublished(plan.syncedFrom ?? ''));
  if (isOff) return dropUpdate(host, held);
  await placeFolder(hold, held, plan);
  await finishStamp(hold, held, plan);
  await finishBase(host, hold, held, plan);
}

async function readPlan(host: Host, hold: Hold, stateFolder: HeldFolder): Promise<Plan> {
  const next = await hold(stateFolder.enter('next'));
  const read = await readPlainFile(next, PLAN_FILE, MOST_PLAN_BYTES);
  try {
    const plan = read.kind === 'read' ? PLAN.parse(JSON.parse(read.bytes.toString('utf8'))) : undefined;
    const isOurs = plan !== undefined && plan.inode === (await inodeOf(stateFolder, 'next'));
    if (isOurs && !(await isCommitted(host, next))) return plan;
  } catch {
    // Reported below.
  }
  throw new Error(`${next.path} was not made on this machine: check what is in it, and remove it`);
}

/** Some file systems number new files one by one, so the author of a committed plan could predict the inode. */
async function isCommitted(host: Host, next: HeldFolder): Promise<boolean> {
  // In that folder, for the repository it is in, which may be a submodule. Without a repository nothing came with a pull.
  const git = await openGit(host, next.processPath, { trusted: true });
  const { ok, stdout } = await git(['ls-files', '-z', '--', '.']);
  return ok && stdout.length > 0;
}

export async function inodeOf(folder: HeldFolder, name: string): Promise<string> {
  const found = await folder.lstat(name);
  return found?.identity.slice(found.identity.indexOf(':') + 1) ?? '';
}

/** The location of the new folder before it is placed. Undefined if it is in place, or there is none. */
async function waiting(hold: Hold, { stateFolder }: HeldSide, plan: Plan) {
  const from = await enterIfThere(hold, stateFolder, plan.restore === undefined ? 'next' : 'backups');
  const name = plan.restore?.from ?? 'folder';
  return (await from?.lstat(name)) === undefined || from === undefined ? undefined : { from, name };
}

/** Moves the old folder to a backup and the new one into its place. Returns the backup's name, if there was a folder. */
export async function placeFolder(hold: Hold, held: HeldSide, plan: Plan): Promise<string | undefined> {
  const { parentFolder, stateFolder, name } = held;
  await stateFolder.sync();
  const found = await waiting(hold, held, plan);
  if (found === undefined) return undefined;
  let backup: string | undefined;
  // It may have been created again after a crash: that one becomes a backup too.
  if ((await parentFolder.lstat(name)) !== undefined) {
    const backups = await hold(stateFolder.makeFolder('backups', 0o700));
    backup = (await backups.lstat(plan.backup)) === undefined ? plan.backup : await freeNumber(hold, stateFolder);
    await parentFolder.move(name, backups, backup);
    await backups.sync();
  }
  await found.from.move(found.name, parentFolder, name);
  await parentFolder.sync();
  return backup;
}

export async function isPlaced(hold: Hold, held: HeldSide, plan: Plan): Promise<boolean> {
  return (await waiting(hold, held, plan)) === undefined;
}

/** The backup of the old folder, if there was one. */
export async function backupOf(hold: Hold, { stateFolder }: HeldSide, { backup }: Plan): Promise<string | undefined> {
  const backups = await enterIfThere(hold, stateFolder, 'backups');
  return (await backups?.lstat(backup)) === undefined ? undefined : backup;
}

/** Cancels the update and moves the old folder back. */
export async function withdraw(host: Host, hold: Hold, held: HeldSide, plan: Plan): Promise<void> {
  const { parentFolder, stateFolder, name } = held;
  if ((await parentFolder.lstat(name)) === undefined) {
    const backups = await enterIfThere(hold, stateFolder, 'backups');
    if ((await backups?.lstat(plan.backup)) !== undefined) await backups?.move(plan.backup, parentFolder, name);
  }
  await dropUpdate(host, held);
}

/** Writes the stamp, after the folder is placed. */
export async function finishStamp(hold: Hold, { parentFolder, name, isPrivate }: HeldSide, plan: Plan): Promise<void> {
  if (plan.syncedFrom === undefined) return;
  const folder = await hold(parentFolder.makeFolder(name, isPrivate ? 0o700 : undefined));
  await writeSyncedFrom(folder, plan.syncedFrom);
}

/** Places the base for merging, after the stamp, and ends the update. */
export async function finishBase(host: Host, hold: Hold, held: HeldSide, plan: Plan): Promise<void> {
  const { stateFolder } = held;
  const next = await hold(stateFolder.enter('next'));
  if (plan.restore === undefined) {
    if ((await next.lstat('base')) !== undefined) {
      await keepBase(hold, held, next, plan);
      await next.move('base', stateFolder, 'base');
    }
  } else {
    const bases = await hold(stateFolder.makeFolder('bases', 0o700));
    const isWaiting = (await bases.lstat(plan.restore.from)) !== undefined;
    // There was none then, or it is among `bases`: the current one belongs to the folder that was replaced.
    if (isWaiting || !plan.restore.hasBase) await keepBase(hold, held, next, plan);
    if (isWaiting) await bases.move(plan.restore.from, stateFolder, 'base');
  }
  await stateFolder.sync();
  await dropUpdate(host, held);
}

/** Moves the base to the backup it belongs to, or to what is removed. */
async function keepBase(hold: Hold, held: HeldSide, next: HeldFolder, plan: Plan): Promise<void> {
  const { stateFolder } = held;
  if ((await stateFolder.lstat('base')) === undefined) return;
  if ((await backupOf(hold, held, plan)) === undefined) return stateFolder.move('base', next, 'old-base');
  const bases = await hold(stateFolder.makeFolder('bases', 0o700));
  await stateFolder.move('base', bases, plan.backup);
}

/** Throws if the stamp can't be written. Checked before the commit, because a committed update would never end. */
export async function checkStamp(folder: HeldFolder | undefined): Promise<void> {
  if ((await folder?.lstat(SYNCED_FILE))?.kind === 'folder')
    throw new Error(`${folder?.path}/${SYNCED_FILE} is a folder: remove it`);
}

export async function writeSyncedFrom(folder: HeldFolder, syncedFrom: string): Promise<void> {
  await folder.replace(SYNCED_FILE, syncedFromText(syncedFrom), { mode: 0o600, exact: true });
  // Without it, a power loss can only repeat the question.
  await folder.sync().catch(() => {});
}

/** Ends the update by renaming it, even if some of it can't be removed now. */
export async function dropUpdate(host: Host, { stateFolder }: HeldSide): Promise<void> {
  const name = `${STAGING}${host.newShortId()}`;
  await stateFolder.move('next', stateFolder, name);
  // If a power loss undoes this, it is repeated.
  await stateFolder.sync().catch(() => {});
  await removeTree(stateFolder, name).catch(() => {});
}

export const STAGING = 'staging-';
const MOST_STAGING = 1_000;

async function clearStaging(stateFolder: HeldFolder): Promise<void> {
  for (const { name } of await stateFolder.list(MOST_STAGING)) {
    if (name.startsWith(STAGING)) await removeTree(stateFolder, name).catch(() => {});
  }
}

/**
 * A number above those of all backups and bases. Throws if there is none left: a repository can contain the highest one,
 * and a backup with a longer name would not be found again.
 */
export async function freeNumber(hold: Hold, stateFolder: HeldFolder): Promise<string> {
  let highest = 0;
  for (const part of ['backups', 'bases']) {
    const folder = await enterIfThere(hold, stateFolder, part);
    for (const { name } of (await folder?.list(MOST_BACKUPS)) ?? []) {
      if (BACKUP_NAME.test(name)) highest = Math.max(highest, Number(name));
    }
  }
  const free = String(highest + 1).padStart(6, '0');
  if (BACKUP_NAME.test(free)) return free;
  throw new Error(
    `${stateFolder.path} has a backup ${highest}, and no higher number is possible: check what it is, and move it elsewhere`,
  );
}

export const MOST_BACKUPS = 1_000_000;
