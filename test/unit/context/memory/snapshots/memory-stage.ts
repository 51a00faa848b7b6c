/** A project with a local memory and a snapshot, in a home of its own: for tests of what is done with them. */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findMemory, type MemoryFolder } from '../../../../../src/context/memory/find-memory.js';
import type { Host } from '../../../../../src/host/host.js';
import { nodeHost } from '../../../../../src/host/node-host.js';

export type MemoryStage = {
  readonly host: Host;
  readonly env: NodeJS.ProcessEnv;
  readonly root: string;
  readonly place: MemoryFolder;
  /** The local folder. */
  readonly mine: string;
  /** The snapshot's. */
  readonly team: string;
  /** What belongs to updates of the local folder. */
  readonly beside: string;
};

export type Content = string | Buffer;
export type Tree = Readonly<Record<string, Content>>;

export async function memoryStage(mine?: Tree, team?: Tree): Promise<MemoryStage> {
  const top = quickFolder();
  const [home, root] = [join(top, 'home'), join(top, 'project')];
  mkdirSync(home);
  mkdirSync(root);
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), COPPICE_REMOTE_MEMORY_DIR: '' };
  const stage = await openStage(root, env);
  if (mine !== undefined) put(stage.mine, mine);
  if (team !== undefined) put(stage.team, team);
  return stage;
}

/** In memory where there is such a place: everything here is synced again and again, which is not what is tested. */
export function quickFolder(): string {
  const at = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = realpathSync(mkdtempSync(join(at, 'coppice-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Of a project that is there. */
export async function openStage(root: string, env: NodeJS.ProcessEnv): Promise<MemoryStage> {
  const host = nodeHost(root, env);
  const found = await findMemory(host, { scope: 'local', type: 'notes', known: [], root });
  if (!found.ok || found.place.snapshot === undefined) throw new Error('no place');
  const { place } = found;
  const beside = join(place.parent, '.coppice', place.name);
  return { host, env, root, place, mine: place.folder, team: found.place.snapshot.folder, beside };
}

/** Writes files, with their folders. */
export function put(folder: string, tree: Tree): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export function replaceAll(folder: string, tree: Tree): void {
  rmSync(folder, { recursive: true, force: true });
  put(folder, tree);
}

export const snapshotJson = (updatedAt: string) => `{"updatedAt":"${updatedAt}"}`;
export const syncedJson = (syncedFrom: string) => `{"syncedFrom":"${syncedFrom}"}`;

/** What is in a folder, by path: contents one character per byte, links by where they lead. Undefined: it is not there. */
export function treeOf(folder: string): Record<string, string> | undefined {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return undefined;
  const found: Record<string, string> = {};
  const walk = (below: string) => {
    for (const name of readdirSync(join(folder, below)).sort()) {
      const path = below === '' ? name : `${below}/${name}`;
      const stats = lstatSync(join(folder, path));
      if (stats.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`;
      else if (stats.isDirectory()) {
        found[`${path}/`] = '';
        walk(path);
      } else if (stats.isFile()) found[path] = readFileSync(join(folder, path), 'latin1');
      else found[path] = 'other';
    }
  };
  walk('');
  return found;
}

/** Kinds and rights, by path; '' is the folder itself. */
export function modesOf(folder: string): Record<string, string> {
  const found: Record<string, string> = { '': mode(folder) };
  for (const path of Object.keys(treeOf(folder) ?? {})) found[path] = mode(join(folder, path));
  return found;
}

function mode(path: string): string {
  return (lstatSync(path).mode & 0o7777).toString(8);
}

/** The stamp of the local folder, as it stands there. */
export function syncedIn(folder: string): string | undefined {
  const text = treeOf(folder)?.['.snapshot-synced.json'];
  return text === undefined ? undefined : (JSON.parse(text) as { syncedFrom: string }).syncedFrom;
}

/** The .md files directly in a folder. */
export function textsOf(folder: string): Record<string, string> {
  const all = Object.entries(treeOf(folder) ?? {});
  return Object.fromEntries(all.filter(([path]) => path.endsWith('.md') && !path.includes('/')));
}
