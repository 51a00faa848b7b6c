/** Sets aside, after a run, protected names that appeared although they could not be guarded, and changed links. */

import { dirname, join } from 'node:path';
import type { Host } from '../../../host/host.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import type { RecordedPath } from '../sandbox.js';
import { findMoved } from '../view/places.js';
import { isProtected, type WatchedFolder, type WatchedLink } from './find-guards.js';

export type AfterRun = {
  readonly watched: readonly WatchedFolder[];
  readonly links: readonly WatchedLink[];
  /** Names that must not appear. */
  readonly absent: readonly string[];
  /** The roots, as they were. */
  readonly roots: readonly RecordedPath[];
  /** What the command could write to. */
  readonly open: readonly string[];
  /** Stubs of other runs, and everything granted: not caused by this run, or intended. */
  readonly excepted: readonly string[];
};

/** Returns a line for each thing it set aside. */
export async function setAsideWhatAppeared(host: Host, after: AfterRun): Promise<readonly string[]> {
  const lines: string[] = [];
  const moved = findMoved(after.roots, host.files.sync);
  if (moved !== undefined) lines.push(`the command moved or replaced the folder ${moved}: check what is there now`);
  for (const path of after.absent) {
    if (await exists(host, path)) lines.push(await setAside(host, path, 'is a protected name'));
  }
  for (const path of await findAppeared(host, after)) lines.push(await setAside(host, path, 'is a protected name'));
  for (const link of after.links) {
    const { missing } = link;
    const reachable = missing !== undefined && after.open.some((folder) => isWithin(missing, folder));
    if (reachable && (await exists(host, missing))) {
      lines.push(await setAside(host, missing, `is where the protected link ${link.path} leads`));
    }
    const found = await readTarget(host, link.path);
    if (found === link.target) continue;
    if (found !== undefined) lines.push(await setAside(host, link.path, `replaced a link to ${link.target}`));
    else lines.push(`the protected link ${link.path} (to ${link.target}) was removed by the command`);
  }
  return lines;
}

/** Protected names that are in a watched folder now and were not before. */
export async function findAppeared(
  host: Host,
  { watched, excepted }: Pick<AfterRun, 'watched' | 'excepted'>,
): Promise<readonly string[]> {
  const appeared: string[] = [];
  for (const folder of watched) {
    // In a folder that is gone, or a link now, nothing at this path counts.
    if ((await host.files.realpath(folder.path).catch(() => undefined)) !== folder.path) continue;
    const names = (await host.files.list(folder.path)).map(({ name }) => name);
    const isNew = (name: string) => !folder.names.includes(name);
    for (const name of names) if (isNew(name) && isProtected(name, folder.as)) appeared.push(join(folder.path, name));
    if (folder.as === 'root' && isNew('HEAD') && becameRepository(names, folder.names)) {
      appeared.push(join(folder.path, 'HEAD'));
    }
  }
  return appeared.filter((path) => !excepted.some((except) => isWithin(path, except)));
}

/** `HEAD`, `objects` and `refs` make any folder a repository, with a `config` that git obeys. */
function becameRepository(names: readonly string[], before: readonly string[]): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => names.includes(name)) && !before.includes('.git');
}

async function setAside(host: Host, path: string, what: string): Promise<string> {
  const aside = `${path}.set-aside-${host.newId()}`;
  try {
    // The command may have created a link on the way, to make us move something that isn't its own.
    if ((await host.files.realpath(dirname(path))) !== dirname(path))
      throw new Error('its folder was replaced by a link');
    // A rename does not follow a link as the last name, and destroys nothing.
    await host.files.rename(path, aside);
    return `${path} ${what}, which this command may not create: it was moved to ${aside}`;
  } catch (error) {
    const reason = reasonOf(error);
    return `${path} ${what} and appeared during this command, but could not be set aside (${reason}): check it before you use it`;
  }
}

async function exists(host: Host, path: string): Promise<boolean> {
  return (await host.files.lstat(path).catch(() => undefined)) !== undefined;
}

/** Undefined if nothing is there; an empty string if it is not a link. */
async function readTarget(host: Host, path: string): Promise<string | undefined> {
  if (!(await exists(host, path))) return undefined;
  return host.files.readLink(path).catch(() => '');
}
