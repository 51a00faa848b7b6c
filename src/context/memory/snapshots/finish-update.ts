/**
 * The second half of an update of a memory folder: from the moment it is certain (`next` is there) to its end. Every step
 * can be done again: after a crash, whoever comes next does those that are left.
 *
 *     <parent>/<name>/                      the folder
 *     <parent>/.coppice/<name>/next/        an update that is certain: plan.json, and the new `folder` and `base`
 *     <parent>/.coppice/<name>/staging-…/   one that is not, or is over
 *     <parent>/.coppice/<name>/backups/<n>/ the folder as it was before an update
 *     <parent>/.coppice/<name>/base/        the snapshot's .md files as last taken or published, for merging
 *     <parent>/.coppice/<name>/bases/<n>/   the base that belongs to the backup of that number
 *
 * The new base is in `next` with the new folder, and `next` goes away last: so no crash can separate the two.
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
  readonly around: HeldFolder;
  /** `.coppice/<name>` */
  readonly beside: HeldFolder;
};

export const BACKUP_NAME = /^\d{6,12}$/;
const PLAN = z.object({
  v: z.literal(1),
  /**
   * Of the folder it is in. A repository can contain a `next`, but does not know this number: what comes with a pull must
   * not take the place of a memory unasked. The device is left out: it may have another number after a restart.
   */
  inode: z.string(),
  /** What the folder is called when it is a backup. */
  backup: z.string().regex(BACKUP_NAME),
  /** The folder is this backup again. */
  restore: z.object({ from: z.string().regex(BACKUP_NAME), hasBase: z.boolean() }).optional(),
  /** Written into the folder when it is in its place. */
  syncedFrom: z.string().max(64).optional(),
  /** Only if the snapshot has that time: publishing changes two folders, and the other one may not have come to it. */
  isPublishing: z.boolean().optional(),
});
export type Plan = z.infer<typeof PLAN>;

export const PLAN_FILE = 'plan.json';
const MOST_PLAN_BYTES = 4_096;

export type IsPublished = (updatedAt: string) => Promise<boolean>;

/** Finishes what is certain, drops what is not. In the folder's turn. Throws if it can't be finished. */
export async function recoverSide(host: Host, side: Side, isPublished: IsPublished): Promise<void> {
  await whileHolding(async (hold) => {
    const held = await holdSideIfThere(hold, host, side);
    if (held === undefined) return;
    if ((await held.beside.lstat('next')) !== undefined) await finish(host, hold, held, isPublished);
    await clearStaging(held.beside);
  });
}

export async function holdSideIfThere(hold: Hold, host: Host, side: Side): Promise<HeldSide | undefined> {
  const around = await holdIfThere(hold, host, side.parent);
  const all = around && (await enterIfThere(hold, around, '.coppice'));
  const beside = all && (await enterIfThere(hold, all, side.name));
  return around && beside && { ...side, around, beside };
}

async function finish(host: Host, hold: Hold, held: HeldSide, isPublished: IsPublished): Promise<void> {
  const plan = await readPlan(host, hold, held.beside);
  const isOff = plan.isPublishing === true && !(await isPublished(plan.syncedFrom ?? ''));
  if (isOff) return dropUpdate(host, held);
  await placeFolder(hold, held, plan);
  await finishStamp(hold, held, plan);
  await finishBase(host, hold, held, plan);
}

async function readPlan(host: Host, hold: Hold, beside: HeldFolder): Promise<Plan> {
  const next = await hold(beside.enter('next'));
  const read = await readPlainFile(next, PLAN_FILE, MOST_PLAN_BYTES);
  try {
    const plan = read.kind === 'read' ? PLAN.parse(JSON.parse(read.bytes.toString('utf8'))) : undefined;
    const isOurs = plan !== undefined && plan.inode === (await inodeOf(beside, 'next'));
    if (isOurs && !(await isCommitted(host, next))) return plan;
  } catch {
    // Said below.
  }
  throw new Error(`${next.path} was not made here: look what is in it, and remove it`);
}

/** Some file systems number what is made one by one: then whoever commits a plan can foretell the number. */
async function isCommitted(host: Host, next: HeldFolder): Promise<boolean> {
  // In that folder: whichever repository it is in, a submodule too. Where git finds none, nothing came with a pull.
  const git = await openGit(host, next.processPath, { trusted: true });
  const { ok, stdout } = await git(['ls-files', '-z', '--', '.']);
  return ok && stdout.length > 0;
}

export async function inodeOf(folder: HeldFolder, name: string): Promise<string> {
  const found = await folder.lstat(name);
  return found?.identity.slice(found.identity.indexOf(':') + 1) ?? '';
}

/** Where the new folder waits. Undefined: it is in its place, or there is none. */
async function waiting(hold: Hold, { beside }: HeldSide, plan: Plan) {
  const from = await enterIfThere(hold, beside, plan.restore === undefined ? 'next' : 'backups');
  const name = plan.restore?.from ?? 'folder';
  return (await from?.lstat(name)) === undefined || from === undefined ? undefined : { from, name };
}

/** The old folder becomes a backup, the new one takes its place. Gives the backup's name, if there was something. */
export async function placeFolder(hold: Hold, held: HeldSide, plan: Plan): Promise<string | undefined> {
  const { around, beside, name } = held;
  await beside.sync();
  const found = await waiting(hold, held, plan);
  if (found === undefined) return undefined;
  let backup: string | undefined;
  // Somebody may have made it again after a crash: that is kept, too.
  if ((await around.lstat(name)) !== undefined) {
    const backups = await hold(beside.makeFolder('backups', 0o700));
    backup = (await backups.lstat(plan.backup)) === undefined ? plan.backup : await freeNumber(hold, beside);
    await around.move(name, backups, backup);
    await backups.sync();
  }
  await found.from.move(found.name, around, name);
  await around.sync();
  return backup;
}

export async function isPlaced(hold: Hold, held: HeldSide, plan: Plan): Promise<boolean> {
  return (await waiting(hold, held, plan)) === undefined;
}

/** What it made of the old folder, if there was one. */
export async function backupOf(hold: Hold, { beside }: HeldSide, { backup }: Plan): Promise<string | undefined> {
  const backups = await enterIfThere(hold, beside, 'backups');
  return (await backups?.lstat(backup)) === undefined ? undefined : backup;
}

/** The old folder is in its place again, and the update is off. */
export async function withdraw(host: Host, hold: Hold, held: HeldSide, plan: Plan): Promise<void> {
  const { around, beside, name } = held;
  if ((await around.lstat(name)) === undefined) {
    const backups = await enterIfThere(hold, beside, 'backups');
    if ((await backups?.lstat(plan.backup)) !== undefined) await backups?.move(plan.backup, around, name);
  }
  await dropUpdate(host, held);
}

/** After the folder: its stamp. */
export async function finishStamp(hold: Hold, { around, name, isPrivate }: HeldSide, plan: Plan): Promise<void> {
  if (plan.syncedFrom === undefined) return;
  const folder = await hold(around.makeFolder(name, isPrivate ? 0o700 : undefined));
  await writeSyncedFrom(folder, plan.syncedFrom);
}

/** After the stamp: the base for merging. Then it is over. */
export async function finishBase(host: Host, hold: Hold, held: HeldSide, plan: Plan): Promise<void> {
  const { beside } = held;
  const next = await hold(beside.enter('next'));
  if (plan.restore === undefined) {
    if ((await next.lstat('base')) !== undefined) {
      await keepBase(hold, held, next, plan);
      await next.move('base', beside, 'base');
    }
  } else {
    const bases = await hold(beside.makeFolder('bases', 0o700));
    const isWaiting = (await bases.lstat(plan.restore.from)) !== undefined;
    // There was none then, or it waits: the one that is there belongs to the folder that was replaced.
    if (isWaiting || !plan.restore.hasBase) await keepBase(hold, held, next, plan);
    if (isWaiting) await bases.move(plan.restore.from, beside, 'base');
  }
  await beside.sync();
  await dropUpdate(host, held);
}

/** With the backup it belongs to, or among what is removed. */
async function keepBase(hold: Hold, held: HeldSide, next: HeldFolder, plan: Plan): Promise<void> {
  const { beside } = held;
  if ((await beside.lstat('base')) === undefined) return;
  if ((await backupOf(hold, held, plan)) === undefined) return beside.move('base', next, 'old-base');
  const bases = await hold(beside.makeFolder('bases', 0o700));
  await beside.move('base', bases, plan.backup);
}

/** Throws where the stamp could not be written: found out before an update is certain, or it would never end. */
export async function checkStamp(folder: HeldFolder | undefined): Promise<void> {
  if ((await folder?.lstat(SYNCED_FILE))?.kind === 'folder')
    throw new Error(`${folder?.path}/${SYNCED_FILE} is a folder: remove it`);
}

export async function writeSyncedFrom(folder: HeldFolder, syncedFrom: string): Promise<void> {
  await folder.replace(SYNCED_FILE, syncedFromText(syncedFrom), { mode: 0o600, exact: true });
  // Without it, a power loss may bring the question again, and no more.
  await folder.sync().catch(() => {});
}

/** By its new name it is over, whatever of it can be removed now. */
export async function dropUpdate(host: Host, { beside }: HeldSide): Promise<void> {
  const name = `${STAGING}${host.newShortId()}`;
  await beside.move('next', beside, name);
  // Where this is undone by a power loss, it is done again.
  await beside.sync().catch(() => {});
  await removeTree(beside, name).catch(() => {});
}

export const STAGING = 'staging-';
const MOST_STAGING = 1_000;

async function clearStaging(beside: HeldFolder): Promise<void> {
  for (const { name } of await beside.list(MOST_STAGING)) {
    if (name.startsWith(STAGING)) await removeTree(beside, name).catch(() => {});
  }
}

/**
 * Higher than any that a backup or its base has. Throws where there is none: a repository can contain the last one, and
 * what is put behind it would not be found again.
 */
export async function freeNumber(hold: Hold, beside: HeldFolder): Promise<string> {
  let highest = 0;
  for (const part of ['backups', 'bases']) {
    const folder = await enterIfThere(hold, beside, part);
    for (const { name } of (await folder?.list(MOST_BACKUPS)) ?? []) {
      if (BACKUP_NAME.test(name)) highest = Math.max(highest, Number(name));
    }
  }
  const free = String(highest + 1).padStart(6, '0');
  if (BACKUP_NAME.test(free)) return free;
  throw new Error(
    `${beside.path} has a backup ${highest}, and none can follow it: look what it is, and move it elsewhere`,
  );
}

export const MOST_BACKUPS = 1_000_000;
