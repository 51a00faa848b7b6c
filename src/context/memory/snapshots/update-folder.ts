/**
 * The only way to change a memory folder. The new folder is written next to it and synced; one rename commits the update;
 * then the old folder becomes a backup and the new one takes its place (finish-update.ts). The folder is always the old
 * or the new one, and the next process to use it finishes an update that a crash interrupted.
 */

import type { HeldFolder } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { carryOver, writeCopy } from './carry-over.js';
import {
  backupOf,
  checkStamp,
  dropUpdate,
  finishBase,
  finishStamp,
  freeNumber,
  type HeldSide,
  holdSideIfThere,
  inodeOf,
  isPlaced,
  PLAN_FILE,
  type Plan,
  placeFolder,
  type Side,
  STAGING,
  withdraw,
} from './finish-update.js';
import { enterIfThere, type Hold, holdOrMake, plainReason, removeTree, whileHolding } from './held-folders.js';
import { newBudget, type Texts } from './read-texts.js';

export type FolderUpdate = {
  /** The new folder: these .md files, the stamp, and what the old one holds other than .md files. */
  readonly folder?: {
    readonly texts: Texts;
    readonly stamp: { readonly file: string; readonly text: string | undefined };
  };
  /** For merging later. */
  readonly base?: Texts;
  readonly plan?: Omit<Plan, 'v' | 'inode' | 'backup'>;
};

export type UpdatedFolder = {
  /** Undefined if there was nothing. */
  readonly backup: string | undefined;
  readonly remarks: readonly string[];
};

/** Called with the folder's lock, after an earlier update is finished. Throws if nothing was changed. */
export async function updateFolder(host: Host, side: Side, update: FolderUpdate): Promise<UpdatedFolder> {
  return whileHolding(async (hold) => {
    const held = await holdSide(hold, host, side);
    const { plan, remarks } = await stage(host, hold, held, update);
    const backup = await place(host, hold, held, plan);
    try {
      await finishStamp(hold, held, plan);
    } catch (error) {
      // Nothing was changed yet, unless a folder was placed.
      if (update.folder === undefined && plan.restore === undefined) {
        await dropUpdate(host, held);
        throw error;
      }
      return { backup, remarks: [...remarks, restLater(error)] };
    }
    try {
      await finishBase(host, hold, held, plan);
      return { backup, remarks };
    } catch (error) {
      return { backup, remarks: [...remarks, restLater(error)] };
    }
  });
}

function restLater(error: unknown): string {
  return `the rest follows at the next use: ${plainReason(error)}`;
}

/** Commits an update without finishing it; `recoverSide` does that. */
export async function prepareUpdate(host: Host, side: Side, update: FolderUpdate): Promise<void> {
  await whileHolding(async (hold) => {
    const held = await holdSide(hold, host, side);
    const { plan } = await stage(host, hold, held, update);
    await held.stateFolder.sync().catch(async (error: unknown) => {
      await withdraw(host, hold, held, plan);
      throw error;
    });
  });
}

/** Cancels a prepared update. */
export async function cancelUpdate(host: Host, side: Side): Promise<void> {
  await whileHolding(async (hold) => {
    const held = await holdSideIfThere(hold, host, side);
    if (held !== undefined) await dropUpdate(host, held);
  });
}

async function place(host: Host, hold: Hold, held: HeldSide, plan: Plan): Promise<string | undefined> {
  try {
    return await placeFolder(hold, held, plan);
  } catch (error) {
    try {
      if (await isPlaced(hold, held, plan)) return await backupOf(hold, held, plan);
      await withdraw(host, hold, held, plan);
    } catch {
      throw new Error(`${plainReason(error)}. The update is ready and is applied at the next use`, { cause: error });
    }
    throw error;
  }
}

export async function holdSide(hold: Hold, host: Host, side: Side): Promise<HeldSide> {
  const parentFolder = await holdOrMake(hold, host, side.parent, side.isPrivate);
  const all = await hold(parentFolder.makeFolder('.coppice', 0o700));
  const stateFolder = await hold(all.makeFolder(side.name, 0o700));
  return { ...side, parentFolder, stateFolder };
}

async function stage(host: Host, hold: Hold, held: HeldSide, { folder, base, plan: more }: FolderUpdate) {
  const { stateFolder } = held;
  if (more?.syncedFrom !== undefined) await checkStamp(await enterIfThere(hold, held.parentFolder, held.name));
  const backup = await freeNumber(hold, stateFolder);
  const name = `${STAGING}${host.newShortId()}`;
  try {
    const staging = await hold(stateFolder.makeFolder(name, 0o700));
    const remarks = folder === undefined ? [] : await stageFolder(hold, held, staging, folder);
    if (base !== undefined) {
      const stagedBase = await hold(staging.makeFolder('base', 0o700));
      await writeTexts(stagedBase, base, true);
    }
    const plan: Plan = { v: 1, inode: await inodeOf(stateFolder, name), backup, ...more };
    await writeCopy(staging, PLAN_FILE, Buffer.from(`${JSON.stringify(plan)}\n`), 'private');
    await staging.sync();
    await stateFolder.move(name, stateFolder, 'next');
    return { plan, remarks };
  } catch (error) {
    await removeTree(stateFolder, name).catch(() => {});
    throw error;
  }
}

async function stageFolder(
  hold: Hold,
  { parentFolder, name, isPrivate }: HeldSide,
  staging: HeldFolder,
  { texts, stamp }: NonNullable<FolderUpdate['folder']>,
): Promise<readonly string[]> {
  const folder = await hold(staging.makeFolder('folder', isPrivate ? 0o700 : undefined));
  await writeTexts(folder, texts, isPrivate);
  const old = await enterIfThere(hold, parentFolder, name);
  const isReplaced = (file: string) => texts.has(file) || file === stamp.file;
  const carrying = { isPrivate, budget: newBudget(), isReplaced };
  const remarks = old === undefined ? [] : await carryOver(old, folder, carrying);
  // Last, so that the stamp never describes more than the folder contains (ME-5).
  if (stamp.text !== undefined)
    await writeCopy(folder, stamp.file, Buffer.from(stamp.text), isPrivate ? 'private' : 0o666);
  await folder.sync();
  return remarks;
}

async function writeTexts(folder: HeldFolder, texts: Texts, isPrivate: boolean): Promise<void> {
  for (const [name, bytes] of texts) await writeCopy(folder, name, bytes, isPrivate ? 'private' : 0o666);
  await folder.sync();
}
