/**
 * Finds work in a worktree that a killed process left half made or half removed: files may be missing or cut short, and
 * git's index may not exist. So the files are compared with the commit it starts from.
 */

import { dirname, join } from 'node:path';
import type { Git } from '../../git/git.js';
import { splitNul } from '../../git/snapshot.js';
import type { Host } from '../../host.js';
import { type Placed, recordsFolder, type WorktreeRecord } from '../worktree-record.js';
import { describeFiles } from './files-work.js';
import { describeChange, sha256Of } from './placed-work.js';

export type HalfMade = {
  readonly host: Host;
  readonly commonDir: string;
  readonly path: string;
  readonly record: WorktreeRecord;
  /** Git in its folder, with the repository's settings. */
  readonly open: () => Promise<Git>;
};

/** Throws if git fails. */
export async function findHalfMadeWork(half: HalfMade): Promise<readonly string[]> {
  const { host, path, commonDir, record } = half;
  if ((await host.files.list(path)).every(({ name, kind }) => name === '.git' && kind === 'file')) return [];
  const index = join(dirname(recordsFolder(commonDir)), `index-${host.newShortId()}`);
  // Its own git folder may be incomplete, too.
  const env = { GIT_DIR: commonDir, GIT_WORK_TREE: path, GIT_INDEX_FILE: index };
  const git = await half.open();
  const run = async (args: readonly string[], mayDiffer = false) => {
    const done = await git(['-c', 'core.sparseCheckout=false', '-c', 'core.ignoreCase=false', ...args], { env });
    if (!done.ok && !mayDiffer) throw new Error(done.reason);
    return splitNul(done.stdout);
  };
  try {
    await run(['read-tree', record.start]);
    await run(['update-index', '-q', '--refresh'], true);
    const differing = await run(['diff-files', '--name-only', '--diff-filter=d', '--ignore-submodules=dirty', '-z']);
    const others = await run(['ls-files', '--others', '-z']);
    const changed = await filter(differing, async (name) => !(await isCutShort(half, git, env, name)));
    const added = await filter(others, async (name) => !(await isOurs(half, name.toString('utf8'))));
    return [...describeFiles('changed', changed), ...describeFiles('untracked', added)];
  } finally {
    for (const file of [index, `${index}.lock`]) await host.files.remove(file).catch(() => {});
  }
}

async function filter(names: readonly Buffer[], matches: (name: Buffer) => Promise<boolean>) {
  const matching: string[] = [];
  for (const name of names) if (await matches(name)) matching.push(name.toString('utf8'));
  return matching;
}

async function isCutShort(half: HalfMade, git: Git, env: Record<string, string>, name: Buffer): Promise<boolean> {
  const file = join(half.path, name.toString('utf8'));
  if ((await half.host.files.lstat(file))?.kind !== 'file') return false;
  const whole = await git(['cat-file', '--filters', `${half.record.start}:${name.toString('utf8')}`], { env });
  return whole.ok && begins(whole.stdout, await half.host.files.read(file));
}

function begins(whole: Buffer, part: Buffer): boolean {
  return whole.subarray(0, part.length).equals(part);
}

/** True for files that we placed or were placing. */
async function isOurs(half: HalfMade, name: string): Promise<boolean> {
  const { host, path, record } = half;
  const placed = record.placed.find((one) => one.path === name);
  if (placed === undefined) return TEMPORARY.test(name);
  if ((await describeChange(host, path, placed)) === undefined) return true;
  return isPartlyCopied(half, placed);
}

/** Left by a process that was killed while replacing a file. */
const TEMPORARY = /(?:^|\/)\.[^/]{1,60}\.[0-9a-f-]{36}\.coppice-tmp$/;

async function isPartlyCopied({ host, path, record }: HalfMade, placed: Placed): Promise<boolean> {
  if (placed.kind !== 'copy') return false;
  const [from, to] = [join(record.from, placed.path), join(path, placed.path)];
  for (const file of [from, to]) if ((await host.files.lstat(file))?.kind !== 'file') return false;
  const source = await host.files.read(from);
  return sha256Of(source) === placed.sha256 && begins(source, await host.files.read(to));
}
