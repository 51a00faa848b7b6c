/**
 * Finds work in the files of a worktree: everything that git did not put there, including what git is told to ignore
 * (ignored files, files marked as unchanged), and everything in submodules (WT-7).
 */

import { join } from 'node:path';
import { joinSome } from '../../../protocol/text/one-line.js';
import { errorCode } from '../../files.js';
import { splitNul } from '../../git/snapshot.js';
import type { WorkQuery } from './history-work.js';
import { describeChange } from './placed-work.js';

export type FilesQuery = WorkQuery & { readonly path: string };

/** Throws if git fails. */
export async function findFilesWork(query: FilesQuery): Promise<readonly string[]> {
  const [status, hidden, placed] = await Promise.all([checkStatus(query), checkIndex(query), checkPlaced(query)]);
  return [...status, ...hidden, ...placed];
}

/** Overrides user settings that make git check less thoroughly. */
const THOROUGH = [
  ...['core.trustctime=true', 'core.checkStat=default', 'core.ignoreCase=false', 'core.untrackedCache=false'],
].flatMap((setting) => ['-c', setting]);

/** We check submodules ourselves: git would run itself in them, with their configuration. */
const STATUS = [
  ...['status', '--porcelain=v2', '-z', '--untracked-files=all', '--ignored=traditional'],
  ...['--ignore-submodules=dirty', '--no-renames', '--no-ahead-behind'],
];

async function checkStatus({ git, record }: FilesQuery): Promise<readonly string[]> {
  const status = await git([...THOROUGH, ...STATUS]);
  // Git only warns about a folder that can't be read, and treats it as empty.
  if (!status.ok || UNREADABLE.test(status.reason)) throw new Error(status.reason);
  const placed = new Set(record.placed.map(({ path }) => path));
  const found = { changed: [] as string[], untracked: [] as string[], ignored: [] as string[] };
  for (const entry of splitNul(status.stdout)) {
    const kind = entry.toString('latin1', 0, 2);
    const name = entry.toString('utf8', 2);
    if (kind === '? ' || kind === '! ') {
      if (!placed.has(name)) (kind === '? ' ? found.untracked : found.ignored).push(name);
    } else if (kind === '1 ') found.changed.push(nameAfter(entry, CHANGED_FIELDS));
    else found.changed.push(nameAfter(entry, UNMERGED_FIELDS));
  }
  return [
    ...describeFiles('changed', found.changed),
    ...describeFiles('untracked', found.untracked),
    ...describeFiles('new, though ignored', found.ignored),
  ];
}

const UNREADABLE = /could not open|unable to|cannot|permission denied/i;
/** The number of fields before the name in an entry of kind `1`, and of kind `u`. */
const CHANGED_FIELDS = 8;
const UNMERGED_FIELDS = 10;
const SPACE = 0x20;

function nameAfter(entry: Buffer, fields: number): string {
  let at = 0;
  for (let field = 0; field < fields; field += 1) at = entry.indexOf(SPACE, at) + 1;
  return entry.toString('utf8', at);
}

export function describeFiles(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.map((name) => name.replace(/\p{Cc}/gu, '?'));
  return [`${what}: ${joinSome(shown, MOST_NAMES)}`];
}

const MOST_NAMES = 3;

/** Checks files whose changes git is told to ignore, and the folders of submodules. */
async function checkIndex(query: FilesQuery): Promise<readonly string[]> {
  const listed = await query.git(['ls-files', '-v', '--stage', '-z']);
  if (!listed.ok) throw new Error(listed.reason);
  const marked: Buffer[] = [];
  const submodules: string[] = [];
  for (const entry of splitNul(listed.stdout)) {
    const name = entry.subarray(entry.indexOf(TAB) + 1);
    const [tag = '', mode] = entry.toString('latin1', 0, 8).split(' ');
    if (mode === '160000' && !(await isEmpty(query, name))) submodules.push(name.toString('utf8'));
    if (tag !== 'H' && tag !== 'M') marked.push(name);
  }
  return [...describeFiles('submodules with files in them', submodules), ...(await checkMarked(query, marked))];
}

const TAB = 0x09;

async function isEmpty({ host, path }: FilesQuery, name: Buffer): Promise<boolean> {
  try {
    return (await host.files.list(join(path, name.toString('utf8')), 1)).length === 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

/** Compares them with a copy of the index without these marks. A marked file that does not exist was not checked out. */
async function checkMarked(query: FilesQuery, marked: readonly Buffer[]): Promise<readonly string[]> {
  const { host, git, gitDir, path } = query;
  const isThere = async (name: Buffer) => (await host.files.lstat(join(path, name.toString('utf8')))) !== undefined;
  const there: Buffer[] = [];
  for (const name of marked) if (!isText(name) || (await isThere(name))) there.push(name);
  if (there.length === 0) return [];
  const index = join(gitDir, `coppice-index-${host.newShortId()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await host.files.create(index, await host.files.read(join(gitDir, 'index')));
    const input = Buffer.concat(there.flatMap((name) => [name, NUL]));
    for (const mark of ['--no-assume-unchanged', '--no-skip-worktree']) {
      const cleared = await git([...EXPECTED, 'update-index', mark, '-z', '--stdin'], { env, input });
      if (!cleared.ok) throw new Error(cleared.reason);
    }
    // Its exit code only tells whether something differs, which the next command lists.
    await git([...THOROUGH, ...EXPECTED, 'update-index', '-q', '--really-refresh'], { env });
    const differing = await git([...THOROUGH, ...EXPECTED, ...DIFFERING], { env });
    if (!differing.ok) throw new Error(differing.reason);
    const names = splitNul(differing.stdout).map((name) => name.toString('utf8'));
    return describeFiles('changed, though marked as unchanged', names);
  } finally {
    for (const file of [index, `${index}.lock`]) await host.files.remove(file).catch(() => {});
  }
}

/** Otherwise a sparse checkout would set the marks again. */
const EXPECTED = ['-c', 'sparse.expectFilesOutsideOfPatterns=true'];
const DIFFERING = ['diff-files', '--name-only', '--diff-filter=d', '--ignore-submodules=dirty', '-z'];
const NUL = Buffer.from([0]);

function isText(name: Buffer): boolean {
  return Buffer.from(name.toString('utf8'), 'utf8').equals(name);
}

async function checkPlaced({ host, path, record }: FilesQuery): Promise<readonly string[]> {
  const changes = await Promise.all(record.placed.map((placed) => describeChange(host, path, placed)));
  return changes.flatMap((change) => change ?? []);
}
