/** What the two folders of a local memory hold now. */

import type { HeldFolder } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import type { Side } from './finish-update.js';
import { enterIfThere, type Hold, holdIfThere, whileHolding } from './held-folders.js';
import type { Stamp } from './judge-snapshot.js';
import { readSyncedFrom, readUpdatedAt } from './read-stamp.js';
import { hasTexts, newBudget, type ReadTexts, readTexts, type Texts } from './read-texts.js';

export type LocalMemory = ReadTexts & {
  readonly syncedFrom: Stamp;
  /** Whether there is an .md file of any kind. */
  readonly hasTexts: boolean;
  /** The snapshot's .md files as last taken or published; undefined if that is not known. */
  readonly base: Texts | undefined;
};

export function readLocal(host: Host, local: Side): Promise<LocalMemory> {
  return whileHolding(async (hold) => {
    const around = await holdIfThere(hold, host, local.parent);
    const folder = around && (await enterIfThere(hold, around, local.name));
    return {
      ...(folder === undefined ? NOTHING : await readTexts(folder, newBudget())),
      syncedFrom: await readSyncedFrom(folder),
      hasTexts: folder !== undefined && (await hasTexts(folder)),
      base: around && (await readBase(hold, around, local.name)),
    };
  });
}

const NOTHING: ReadTexts = { texts: new Map(), leftOut: [], folders: [], remarks: [] };

async function readBase(hold: Hold, around: HeldFolder, name: string): Promise<Texts | undefined> {
  const all = await enterIfThere(hold, around, '.coppice');
  const beside = all && (await enterIfThere(hold, all, name));
  const base = beside && (await enterIfThere(hold, beside, 'base'));
  return base && (await readTexts(base, newBudget())).texts;
}

export type TeamMemory = ReadTexts & { readonly updatedAt: Stamp };

/** Its files belong to its stamp: git may be changing it just now. */
export async function readTeam(host: Host, team: Side): Promise<TeamMemory> {
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const read = await whileHolding(async (hold) => {
      const around = await holdIfThere(hold, host, team.parent);
      const folder = around && (await enterIfThere(hold, around, team.name));
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
