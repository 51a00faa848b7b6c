/** Merges the snapshot into the local memory. */

import { openGit } from '../../../host/git/git.js';
import type { Host } from '../../../host/host.js';
import { once } from '../../../protocol/once.js';
import type { MemoryFolder } from '../find-memory.js';
import { type Side, STAGING } from './finish-update.js';
import { removeTree, whileHolding } from './held-folders.js';
import { changeMemory, type MemoryDone } from './memory-lock.js';
import { type MergedTexts, mergeTexts, type ThreeTexts } from './merge-texts.js';
import { readLocal, readTeam } from './read-sides.js';
import type { ReadTexts, Texts } from './read-texts.js';
import { noSnapshot, putTexts } from './take-memory.js';
import { holdSide } from './update-folder.js';

export function mergeMemory(host: Host, place: MemoryFolder): Promise<MemoryDone> {
  return changeMemory(host, place, async (sides): Promise<MemoryDone> => {
    const team = await readTeam(host, sides.team);
    if (team.updatedAt.kind === 'absent') return noSnapshot(place);
    const local = await readLocal(host, sides.local);
    const three = { mine: asBefore(local, local.base), theirs: asBefore(team, local.base), base: local.base };
    const { texts, notes } = await mergeBeside(host, sides.local, three);
    return putTexts(host, sides, { local, team, texts, notes });
  });
}

/** A name that is not a plain file on one side is treated as unchanged, not as removed. */
function asBefore({ texts, leftOut }: ReadTexts, base: Texts | undefined): Texts {
  const all = new Map(texts);
  for (const name of leftOut) {
    const before = base?.get(name);
    if (before !== undefined) all.set(name, before);
  }
  return all;
}

/** Git gets copies in a temporary folder. */
function mergeBeside(host: Host, side: Side, three: ThreeTexts): Promise<MergedTexts> {
  return whileHolding(async (hold) => {
    const { stateFolder } = await holdSide(hold, host, side);
    const name = `${STAGING}${host.newShortId()}`;
    const folder = await hold(stateFolder.makeFolder(name, 0o700));
    try {
      return await mergeTexts(
        three,
        folder,
        once(() => openGit(host, folder.processPath, { trusted: false })),
      );
    } finally {
      await removeTree(stateFolder, name).catch(() => {});
    }
  });
}
