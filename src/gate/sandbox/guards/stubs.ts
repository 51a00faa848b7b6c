/**
 * Empty folders that stand in for absent names while a command runs. A run first claims its stubs in a file, so that
 * no other run removes them, and a later process finds what a killed one left.
 */

import { dirname, join } from 'node:path';
import * as z from 'zod';
import { errorCode } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { removeTree } from '../remove-tree.js';
import type { WatchedFolder } from './find-guards.js';
import { isOwnerAlive, writeOwner } from './run-owner.js';

const claimSchema = z.object({
  stubs: z.array(z.string()),
  watched: z.array(z.object({ path: z.string(), as: z.enum(['root', 'git']), names: z.array(z.string()) })),
});

export type Claim = { readonly stubs: readonly string[]; readonly watched: readonly WatchedFolder[] };

export interface Stubs {
  /** Creates the absent stubs. Returns those that exist, from this or another run; the rest could not be created. */
  take(run: string, wanted: readonly string[], watched: readonly WatchedFolder[]): Promise<readonly string[]>;
  /** Removes stubs that no other run uses. Returns those that could not be removed because they are not empty. */
  giveBack(run: string): Promise<readonly string[]>;
  /** The stubs that any run uses. */
  held(): Promise<ReadonlySet<string>>;
}

/** `folder` is inside `state`, which all processes share. Calls must not overlap. */
export async function openStubs(host: Host, state: string, folder: string): Promise<Stubs> {
  await writeOwner(host, folder);
  const claims = new Map<string, readonly string[]>();
  const claimFile = (run: string) => join(folder, `run-${run}.json`);

  const claimedByOthers = async (run: string | undefined): Promise<ReadonlySet<string>> => {
    const claimed = new Set<string>();
    for (const [other, paths] of claims) if (other !== run) for (const path of paths) claimed.add(path);
    for (const { name } of await host.files.list(state)) {
      const owned = join(state, name);
      if (owned === folder || !(await isOwnerAlive(host, owned))) continue;
      for (const claim of await readClaims(host, owned)) for (const path of claim.stubs) claimed.add(path);
    }
    return claimed;
  };

  return {
    take: async (run, wanted, watched) => {
      claims.set(run, wanted);
      await host.files.create(claimFile(run), JSON.stringify({ stubs: wanted, watched }));
      const made = await Promise.all(wanted.map((path) => makeStub(host, path)));
      return wanted.filter((_, index) => made[index]);
    },
    giveBack: async (run) => {
      const wanted = claims.get(run) ?? [];
      claims.delete(run);
      await host.files.remove(claimFile(run));
      const others = await claimedByOthers(run);
      const ours = wanted.filter((path) => !others.has(path));
      const removed = await Promise.all(ours.map((path) => removeStub(host, path)));
      return ours.filter((_, index) => !removed[index]);
    },
    held: () => claimedByOthers(undefined),
  };
}

/** Removes what dead processes left behind. Returns their claims. */
export async function clearAfterCrash(host: Host, state: string): Promise<readonly Claim[]> {
  const left: Claim[] = [];
  const entries = await host.files.list(state).catch(() => []);
  const alive = new Set<string>();
  const dead: string[] = [];
  for (const { name, kind } of entries) {
    if (kind !== 'folder') continue;
    const owned = join(state, name);
    if (!(await isOwnerAlive(host, owned))) dead.push(owned);
    else for (const claim of await readClaims(host, owned)) for (const path of claim.stubs) alive.add(path);
  }
  for (const owned of dead) {
    for (const claim of await readClaims(host, owned)) {
      for (const path of claim.stubs) if (!alive.has(path)) await removeStub(host, path);
      left.push(claim);
    }
    await removeTree(host, owned);
  }
  return left;
}

async function makeStub(host: Host, path: string): Promise<boolean> {
  try {
    await host.files.makeFolder(path, 0o755);
    return (await host.files.lstat(path))?.kind === 'folder';
  } catch {
    // We may not write to this folder: neither can the command, or what it creates there is found afterwards.
    return false;
  }
}

/** True if nothing is there any more. If the parent became a link, nothing there is ours. */
async function removeStub(host: Host, path: string): Promise<boolean> {
  try {
    if ((await host.files.realpath(dirname(path))) !== dirname(path)) return true;
    if ((await host.files.lstat(path))?.kind !== 'folder') return true;
    await host.files.removeFolder(path);
    return true;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

async function readClaims(host: Host, folder: string): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  for (const { name } of await host.files.list(folder).catch(() => [])) {
    if (!/^run-.*\.json$/.test(name)) continue;
    try {
      const read = claimSchema.safeParse(JSON.parse((await host.files.read(join(folder, name))).toString('utf8')));
      if (read.success) claims.push(read.data);
    } catch {
      // Released meanwhile, or cut off by the crash: then no stub had been created yet.
    }
  }
  return claims;
}
