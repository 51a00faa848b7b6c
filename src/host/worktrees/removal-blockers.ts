/**
 * Reasons that block a removal, regardless of who asks and of the content: the worktree is not in its proper place,
 * someone else has locked it, or a process works in it (WT-8).
 */

import { dirname, join, sep } from 'node:path';
import type { Checkout } from '../git/checkout.js';
import type { Host } from '../host.js';
import { type Located, readGitLock } from './locate-worktree.js';
import { isOwnLock, WORKTREES_FOLDER, type WorktreeRecord } from './worktree-record.js';

/** For people; empty: none. Throws errors of the file system. */
export async function findBlockers(
  host: Host,
  checkout: Checkout,
  record: WorktreeRecord,
  located: Located,
): Promise<readonly string[]> {
  switch (located.kind) {
    case 'nothing':
      return [];
    case 'damaged':
      return [located.reason];
    case 'unregistered': {
      if (!located.isEmpty) return [`${located.path} is not registered with git: remove the folder yourself`];
      return checkPlace(host, checkout, record, located.path);
    }
    case 'missing':
      return [
        ...checkRegistration(checkout, located),
        ...(located.folder === 'empty' ? await checkPlace(host, checkout, record, record.path) : []),
        ...(await checkLock(host, located.gitDir)),
      ];
    case 'here':
    case 'moved':
      return [
        ...checkRegistration(checkout, located),
        ...(await checkPlace(host, checkout, record, located.path)),
        ...(await checkLock(host, located.gitDir)),
      ];
  }
}

/** Only linked worktrees of this repository have their git folder there. */
function checkRegistration({ commonDir }: Checkout, { gitDir }: { readonly gitDir: string }): readonly string[] {
  return dirname(gitDir) === join(commonDir, 'worktrees') ? [] : [`${gitDir} is not a worktree of ${commonDir}`];
}

/** Its real path must be in the worktrees folder of a checkout of this repository. */
async function checkPlace(
  host: Host,
  checkout: Checkout,
  record: WorktreeRecord,
  path: string,
): Promise<readonly string[]> {
  const end = sep + join(WORKTREES_FOLDER, record.name);
  const outside = [`${path} is not in a ${WORKTREES_FOLDER} folder of this repository: git worktree remove removes it`];
  if (!record.path.endsWith(end)) return outside;
  const home = await realOf(host, record.path.slice(0, -end.length));
  const real = await realOf(host, path);
  if (home === undefined || real === undefined) return outside;
  if (dirname(real) !== join(home, WORKTREES_FOLDER)) return outside;
  const tops = await listCheckouts(host, checkout);
  if (tops.includes(real) && (await host.files.lstat(join(real, '.git')))?.kind === 'folder') {
    return [`${path} is the main checkout of a repository`];
  }
  const inner = tops.find((top) => top?.startsWith(real + sep));
  if (inner !== undefined) return [`another worktree is in it (${inner})`];
  return tops.includes(home) || home === checkout.top ? [] : outside;
}

async function listCheckouts(host: Host, { git }: Checkout): Promise<readonly (string | undefined)[]> {
  const listed = await git(['worktree', 'list', '--porcelain', '-z']);
  if (!listed.ok) throw new Error(listed.reason);
  const paths = listed.text.split('\0').flatMap((line) => /^worktree ([\s\S]*)$/.exec(line)?.[1] ?? []);
  return Promise.all(paths.map((path) => realOf(host, path)));
}

async function checkLock(host: Host, gitDir: string): Promise<readonly string[]> {
  const reason = await readGitLock(host, gitDir);
  if (reason === undefined || isOwnLock(reason)) return [];
  return [`it is locked by somebody else${reason === '' ? '' : ` (${reason})`}: git worktree unlock gives it free`];
}

/**
 * Finds processes that work in it, before anything else, because they may change what is found. Also checks a path that
 * does not exist: a git whose parent was killed may be about to create it. Checks several times, because the git commands
 * of an editor run every few seconds and end quickly.
 */
export async function findProcesses(
  host: Host,
  checkout: Checkout,
  record: WorktreeRecord,
): Promise<readonly string[]> {
  for (let scan = 1; ; scan += 1) {
    const real = (await realOf(host, record.path)) ?? record.path;
    const inside = await host.processes.workingIn(real);
    const found = record.stage === 'made' ? inside : [...inside, ...(await findGitsAbout(host, checkout, record))];
    if (found.length === 0) return [];
    if (scan === SCANS) {
      if (found.some(({ pid }) => pid === process.pid)) return ['you are in it: go to another folder first'];
      return found.slice(0, MOST_SHOWN).map(({ pid, command }) => `process ${pid} is in it (${command})`);
    }
    await host.clock.sleep(BETWEEN_SCANS_MS);
  }
}

/** Git processes that create or remove its branch, left by a process that was killed. */
async function findGitsAbout(host: Host, { top }: Checkout, { branch }: WorktreeRecord) {
  const found = await host.processes.workingIn(top);
  return found.filter(({ command }) => /^(?:\S*\/)?git\s/.test(command) && command.includes(branch));
}

const SCANS = 4;
const MOST_SHOWN = 4;
const BETWEEN_SCANS_MS = 50;

async function realOf(host: Host, path: string): Promise<string | undefined> {
  return host.files.realpath(path).catch(() => undefined);
}
