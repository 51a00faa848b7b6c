/** Finds folders inside a root with protected names: submodules, other repositories, packages with settings. */

import { join, relative } from 'node:path';
import type { Host } from '../../../host/host.js';
import { isProtected } from './find-guards.js';

const DEEPEST = 3;
const MOST_FOLDERS = 300;
const KEPT_MS = 60_000;
const NOT_ENTERED = new Set(['node_modules', 'target', 'dist', 'build', '__pycache__', 'venv']);

export type NestedFolders = {
  /** The folders that exist now, within limits. Cached for a minute, because searching costs more than a command. */
  find(root: string): Promise<readonly string[]>;
};

export function createNestedFolders(host: Host): NestedFolders {
  const kept = new Map<string, { readonly at: number; readonly folders: readonly string[] }>();
  return {
    find: async (root) => {
      const known = kept.get(root);
      if (known !== undefined && host.clock.elapsed() - known.at < KEPT_MS) return stillThere(host, known.folders);
      const folders = await look(host, root);
      kept.set(root, { at: host.clock.elapsed(), folders });
      return folders;
    },
  };
}

/** Every folder from below `root` down to `folder`, both real paths. */
export function foldersBetween(root: string, folder: string): readonly string[] {
  const way = relative(root, folder);
  if (way === '' || way === '..' || way.startsWith('../')) return [];
  const names = way.split('/');
  return names.map((_, index) => join(root, ...names.slice(0, index + 1)));
}

async function look(host: Host, root: string): Promise<readonly string[]> {
  const found: string[] = [];
  let level = [root];
  let seen = 0;
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      seen += 1;
      if (seen > MOST_FOLDERS) return found;
      const entries = await host.files.list(folder).catch(() => []);
      if (folder !== root && entries.some(({ name }) => isProtected(name, 'root'))) found.push(folder);
      for (const { name, kind } of entries) {
        if (kind === 'folder' && !name.startsWith('.') && !NOT_ENTERED.has(name)) next.push(join(folder, name));
      }
    }
    level = next;
  }
  return found;
}

/** A folder that was replaced by a link since is no longer the one that was checked. */
async function stillThere(host: Host, folders: readonly string[]): Promise<readonly string[]> {
  const there = await Promise.all(
    folders.map(async (folder) => (await host.files.realpath(folder).catch(() => undefined)) === folder),
  );
  return folders.filter((_, index) => there[index]);
}
