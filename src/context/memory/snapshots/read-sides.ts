/** The current contents of the two folders of a local memory. */

import type { HeldFolder } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import type { Side } from './finish-update.js';
import { enterIfThere, type Hold, holdIfThere, whileHolding } from './held-folders.js';
import type { Stamp } from './judge-snapshot.js';
import { readSyncedFrom, readUpdatedAt } from './read-stamp.js';
import { hasTexts, newBudget, type ReadTexts, readTexts, type Texts } from './read-texts.js';

export type LocalMemory = ReadTexts & {
  readonly syncedFrom: Stamp;
  /** True if there is an .md file of any kind. */
  readonly hasTexts: boolean;
  /** The snapshot's .md files as last taken or published; undefined if that is not known. */
  readonly base: Texts | undefined;
};

export function readLocal(host: Host, local: Side): Promise<LocalMemory> {
  return whileHolding(async (hold) => {
    const parentFolder = await holdIfThere(hold, host, local.parent);
    const folder = parentFolder && (await enterIfThere(hold, parentFolder, local.name));
    return {
      ...(folder === undefined ? NOTHING : await readTexts(folder, newBudget())),
      syncedFrom: await readSyncedFrom(folder),
      hasTexts: folder !== undefined && (await hasTexts(folder)),
      base: parentFolder && (await readBase(hold, parentFolder, local.name)),
    };
  });
}

const NOTHING: ReadTexts = { texts: new Map(), leftOut: [], folders: [], remarks: [] };

async function readBase(hold: Hold, parentFolder: HeldFolder, name: string): Promise<Texts | undefined> {
  const all = await enterIfThere(hold, parentFolder, '.coppice');
  const stateFolder = all && (await enterIfThere(hold, all, name));
  const base = stateFolder && (await enterIfThere(hold, stateFolder, 'base'));
  return base && (await readTexts(base, newBudget())).texts;
}

export type TeamMemory = ReadTexts & { readonly updatedAt: Stamp };

/** Reads again if the stamp changed meanwhile: git may be updating the folder. */
export async function readTeam(host: Host, team: Side): Promise<TeamMemory> {
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const read = await whileHolding(async (hold) => {
      const parentFolder = await holdIfThere(hold, host, team.parent);
      const folder = parentFolder && (await enterIfThere(hold, parentFolder, team.name));
      const updatedAt = await readUpdatedAt(folder);
      const texts = folder === undefined ? NOTHING : await readTexts(folder, newBudget());
      const after = await readUpdatedAt(folder);
      return isSame(updatedAt, after) ? { ...texts, updatedAt } : undefined;
    });
    if (read !== undefined) return read;
  }
  throw new Error(`the snapshot in ${team.parent}/${team.name} is being changed: try again`);
}

const MOST_TRIES = 3;

function isSame(a: Stamp, b: Stamp): boolean {
  return a.kind === b.kind && (a.kind !== 'time' || b.kind !== 'time' || a.text === b.text);
}
