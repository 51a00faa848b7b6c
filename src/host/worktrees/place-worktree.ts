/** Where a worktree is made: in its checkout's folder for them, never through a link and never outside (WT-1). */

import { dirname, join, sep } from 'node:path';
import type { Checkout } from '../git/checkout.js';
import type { Host } from '../host.js';
import { openRecords, WORKTREES_FOLDER } from './worktree-record.js';

export type Place = {
  readonly path: string;
  /** The checkout it is made in. */
  readonly home: string;
};

export type FoundPlace = ({ readonly ok: true } & Place) | { readonly ok: false; readonly reason: string };

/** The place for a name that nothing has taken. Changes nothing. */
export async function findPlace(host: Host, checkout: Checkout, name: string): Promise<FoundPlace> {
  const { files } = host;
  const home = await homeOf(host, checkout);
  for (const folder of foldersOf(home)) {
    const found = await files.lstat(folder);
    if (found === undefined) break;
    if (found.kind === 'link') return refuse(`${folder} is a link: worktrees are made in a plain folder, remove it`);
    if (found.kind !== 'folder') return refuse(`${folder} is not a folder: worktrees are made in it`);
    const real = await files.realpath(folder);
    if (!real.startsWith(home + sep)) return refuse(`${folder} leads to ${real}, outside of ${home}`);
  }
  const path = join(home, WORKTREES_FOLDER, name);
  if ((await files.lstat(path)) !== undefined)
    return refuse(`${path} exists already: choose another name, or remove it`);
  const record = await openRecords(host, checkout.commonDir).read(name);
  if (record !== undefined) return refuse(`there is a worktree named ${name} already (${record.path})`);
  return { ok: true, path, home };
}

/** Makes the folder it will be in, and gives the parts that were not there. */
export async function openPlace(host: Host, { home }: Place): Promise<readonly string[]> {
  const made: string[] = [];
  let held = await host.files.holdFolder(home);
  try {
    for (const folder of foldersOf(home)) {
      const name = folder.slice(dirname(folder).length + 1);
      if ((await held.lstat(name)) === undefined) made.push(folder);
      const inner = await held.makeFolder(name);
      await held.close();
      held = inner;
    }
  } finally {
    await held.close();
  }
  return made;
}

/** A worktree of ours is no home for others: it may be removed. They are made beside it. */
async function homeOf(host: Host, { top, gitDir, commonDir }: Checkout): Promise<string> {
  if (gitDir === commonDir) return top;
  const { records } = await openRecords(host, commonDir).list();
  const own = records.find((record) => record.gitDir === gitDir);
  if (own === undefined) return top;
  const end = `${sep}${join(WORKTREES_FOLDER, own.name)}`;
  const home = own.path.endsWith(end) ? own.path.slice(0, -end.length) : top;
  return (await host.files.stat(home))?.kind === 'folder' ? home : top;
}

function foldersOf(home: string): readonly string[] {
  const parts = WORKTREES_FOLDER.split('/');
  return parts.map((_, index) => join(home, ...parts.slice(0, index + 1)));
}

function refuse(reason: string): FoundPlace {
  return { ok: false, reason };
}
