/** Finds work in git's own records: commits, including those only in a reflog, stashes, operations in progress (WT-7). */

import { join } from 'node:path';
import { plural } from '../../../protocol/format-numbers.js';
import { errorCode } from '../../files.js';
import type { Git } from '../../git/git.js';
import type { Host } from '../../host.js';
import type { WorktreeRecord } from '../worktree-record.js';

export type WorkQuery = {
  readonly host: Host;
  /** Git in the worktree itself. */
  readonly git: Git;
  readonly gitDir: string;
  readonly record: WorktreeRecord;
};

/** Throws if git fails. */
export async function findHistoryWork(query: WorkQuery): Promise<readonly string[]> {
  const [commits, stashes, operations] = await Promise.all([
    checkCommits(query),
    checkStashes(query),
    checkOperations(query),
  ]);
  return [...commits, ...stashes, ...operations];
}

/** Returns the commits of its branch, for a worktree whose folder and registration are gone. */
export async function findBranchWork(git: Git, record: WorktreeRecord): Promise<readonly string[]> {
  const tip = await readTip(git, record.branch);
  if (tip === undefined) return [];
  if (tip !== record.start) return [await describeTip(git, record, tip, `its branch ${record.branch}`)];
  return findUnreachable(git, record, await listReflogs(git, [`refs/heads/${record.branch}`]));
}

/** The commit a branch is at; undefined if there is no such branch. */
export async function readTip(git: Git, branch: string): Promise<string | undefined> {
  const found = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
  if (found.ok) return found.text;
  if (found.code === 1) return undefined;
  throw new Error(found.reason);
}

async function checkCommits(query: WorkQuery): Promise<readonly string[]> {
  const { git, record } = query;
  const branch = `refs/heads/${record.branch}`;
  const [head, listed] = await Promise.all([
    git(['rev-parse', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD']),
    git(['for-each-ref', '--format=%(objectname) %(refname)', branch, ...OWN_REFS]),
  ]);
  if (!listed.ok) throw new Error(listed.reason);
  const refs = listed.text.split('\n').map((line) => line.split(' '));
  const tip = refs.find(([, name]) => name === branch)?.[0];
  const own = refs.flatMap(([, name]) => (name === undefined || name === branch ? [] : [name]));
  const reasons = own.length > 0 ? [`it has references of its own (${own[0]})`] : [];
  // Git may have been killed before it recorded the branch.
  if (!head.ok && record.stage === 'made') reasons.push(`it is on no commit (${head.reason})`);
  const [commit, name = 'HEAD'] = head.ok ? head.text.split('\n') : [];
  if (commit !== undefined && commit !== record.start) reasons.push(await describeTip(git, record, commit, 'it'));
  if (name !== 'HEAD' && name !== branch) {
    reasons.push(`it is on another branch (${name.replace(/^refs\/heads\//, '')})`);
  }
  const isCovered = tip === commit && name === branch;
  if (tip !== undefined && tip !== record.start && !isCovered) {
    reasons.push(await describeTip(git, record, tip, `its branch ${record.branch}`));
  }
  if (reasons.length > 0) return reasons;
  const logs = [...(commit === undefined ? [] : ['HEAD']), ...(tip === undefined ? [] : [branch])];
  return findUnreachable(git, record, [...(await listReflogs(git, logs)), ...(await readOriginalHead(query))]);
}

/** References that belong to one worktree. */
const OWN_REFS = ['refs/worktree', 'refs/bisect', 'refs/rewritten'];

async function describeTip(git: Git, { start }: WorktreeRecord, tip: string, what: string): Promise<string> {
  const counted = await git(['rev-list', '--count', `${start}..${tip}`]);
  if (!counted.ok || counted.text === '0') return `${what} is not at its start any more, but at ${tip.slice(0, 10)}`;
  return `${what} has ${plural(Number(counted.text), 'commit')} beyond its start`;
}

async function listReflogs(git: Git, refs: readonly string[]): Promise<readonly string[]> {
  if (refs.length === 0) return [];
  const listed = await git(['reflog', 'show', '--format=%H', ...refs, '--']);
  if (!listed.ok) throw new Error(listed.reason);
  return listed.text.split('\n').filter((line) => line !== '');
}

/** The previous HEAD of `git reset` and others, which exists even without a reflog. */
async function readOriginalHead({ host, gitDir }: WorkQuery): Promise<readonly string[]> {
  try {
    const text = (await host.files.read(join(gitDir, 'ORIG_HEAD'))).toString('utf8').trim();
    return text === '' ? [] : [text];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Commits that were made and abandoned: once the worktree is removed, nothing refers to them. */
async function findUnreachable(git: Git, { start }: WorktreeRecord, commits: readonly string[]) {
  const others = [...new Set(commits)].filter((commit) => commit !== start);
  if (others.length === 0) return [];
  const input = `${others.join('\n')}\n^${start}\n`;
  const found = await git(['rev-list', '--count', '--stdin'], { input });
  if (!found.ok) throw new Error(found.reason);
  if (found.text === '0') return [];
  return [`${found.text} ${found.text === '1' ? 'commit was' : 'commits were'} made in it that only its reflog knows`];
}

/** Stashes are shared by all worktrees; their messages name the branch they were made on. */
async function checkStashes({ git, record }: WorkQuery): Promise<readonly string[]> {
  const listed = await git(['stash', 'list', '-z', '--format=%H %gs']);
  if (!listed.ok) throw new Error(listed.reason);
  const known = new Set(record.stashes);
  const reasons: string[] = [];
  for (const line of listed.text.split('\0')) {
    const commit = line.slice(0, line.indexOf(' '));
    const subject = line.slice(commit.length + 1).trim();
    if (line === '' || known.has(commit)) continue;
    const branch = /^(?:WIP on|On) ([^:]+): /.exec(subject)?.[1];
    const isAnothers = branch !== undefined && branch !== record.branch && (await readTip(git, branch)) !== undefined;
    if (!isAnothers) reasons.push(`a stash was made since (${subject})`);
  }
  return reasons;
}

/** Files of an idle worktree in git's folder. Any other means that an operation is in progress. */
const AT_REST = new Set(
  'HEAD ORIG_HEAD FETCH_HEAD COMMIT_EDITMSG commondir gitdir index locked logs refs info config.worktree'.split(' '),
);
const LEFT_BY_OURSELVES = /^(?:coppice-index-.*|sharedindex\.[0-9a-f]+)$/;

async function checkOperations({ host, gitDir, record }: WorkQuery): Promise<readonly string[]> {
  const names = (await host.files.list(gitDir)).map(({ name }) => name);
  const others = names.filter((name) => !AT_REST.has(name) && !LEFT_BY_OURSELVES.test(name));
  // A git that was killed while the worktree was made leaves its locks.
  const left = record.stage === 'made' ? others : others.filter((name) => !name.endsWith('.lock'));
  const inProgress = left.filter((name) => name !== 'modules').sort();
  return [
    ...(inProgress.length > 0 ? [`an operation of git is in progress (${inProgress.join(', ')})`] : []),
    ...(left.includes('modules') ? ['it has submodules of its own'] : []),
  ];
}
