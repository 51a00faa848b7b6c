/**
 * What is known of a worktree of ours. The record is written before anything is made and dropped after everything is
 * removed, so that whatever a crash leaves is found by it. A worktree without a record is somebody else's.
 */

import { dirname, join } from 'node:path';
import { errorCode } from '../files.js';
import type { Host } from '../host.js';

export type WorktreeRecord = {
  readonly v: 1;
  /** `agent-1a2b3c4d`, or the name a person gave. */
  readonly name: string;
  /** Where it was made. A person may have moved it since: see its `gitdir`. */
  readonly path: string;
  readonly branch: string;
  /** Its record in git's own folder; absent until it is made. */
  readonly gitDir?: string;
  /** The commit the parent's checkout was at. */
  readonly base: string;
  /** What it begins with: the base, or a commit on it with the parent's uncommitted changes. */
  readonly start: string;
  readonly madeBy: 'git' | 'hook';
  /**
   * `making`: nobody has worked in it yet. `removing`: it was looked at, and held no work. In both, files may be missing or
   * cut short.
   */
  readonly stage: 'making' | 'made' | 'removing';
  readonly created: string;
  readonly owner: WorktreeOwner;
  /** The checkout it was made from. */
  readonly from: string;
  /** Only these paths were checked out. */
  readonly sparse?: readonly string[];
  readonly placed: readonly Placed[];
  /** Stashes that were there before it, by commit: stashes are shared by all worktrees. */
  readonly stashes: readonly string[];
  /** What was last brought from it into a checkout, as a tree, by that one's git folder. */
  readonly applied?: Readonly<Record<string, string>>;
};

export type WorktreeOwner = {
  readonly session: string;
  /** Absent: the session itself works in it. */
  readonly agent?: string;
};

/** Something we put there ourselves; it counts as a change only if it differs. Paths are relative. */
export type Placed =
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'copy'; readonly path: string; readonly sha256: string };

/** A name of a worktree: it becomes part of a path and of a branch. Checked by every action that takes one. */
export function isWorktreeName(name: string): boolean {
  return /^[a-z0-9._-]{1,64}$/.test(name) && !name.includes('..') && !/^[.-]|[.]$|\.lock$/.test(name);
}

export const NAME_RULE =
  'use 1 to 64 of a-z, 0-9, ".", "_" and "-"; no "..", no "." or "-" at the start, no "." or ".lock" at the end';

/** The folder of our worktrees in a checkout. */
export const WORKTREES_FOLDER = '.claude/worktrees';

export function agentWorktreeName(agentId: string): string {
  return `agent-${agentId.slice(0, 8)}`;
}

export function branchOf(name: string): string {
  return `worktree-${name}`;
}

const LOCK_WORD = 'coppice: ';

/** Why git's own lock is there, with who holds it. */
export function lockReason({ session, agent }: WorktreeOwner): string {
  const who = agent === undefined ? `session ${session}` : `agent ${agent} of session ${session}`;
  return `${LOCK_WORD}in use by ${who} (process ${process.pid})`;
}

export function isOwnLock(reason: string): boolean {
  return reason.startsWith(LOCK_WORD);
}

/** Where records are kept: in the git folder that all worktrees share. */
export function recordsFolder(commonDir: string): string {
  return join(commonDir, 'coppice', 'worktrees');
}

/** Held by the process that uses the worktree. */
export function useLock(commonDir: string, name: string): string {
  return join(recordsFolder(commonDir), `${name}.lock`);
}

/** Held by whoever makes or removes a worktree of this repository. */
export function repositoryLock(commonDir: string): string {
  return join(recordsFolder(commonDir), '..', 'lock');
}

export interface WorktreeRecords {
  /** Undefined: there is none. Throws if it can't be read: it is not known whose it is. */
  read(name: string): Promise<WorktreeRecord | undefined>;
  /** In order of creation; with the reasons for those that can't be read. */
  list(): Promise<{ readonly records: readonly WorktreeRecord[]; readonly problems: readonly string[] }>;
  /** On disk when it resolves. */
  write(record: WorktreeRecord): Promise<void>;
  drop(name: string): Promise<void>;
  /** When it was last used. */
  usedAt(name: string): Promise<number>;
  /** It is used now: no clean-up takes it for 30 days. */
  touch(name: string): Promise<void>;
}

export function openRecords(host: Host, commonDir: string): WorktreeRecords {
  const { files, clock } = host;
  const folder = recordsFolder(commonDir);
  const fileOf = (name: string) => {
    if (!isWorktreeName(name)) throw new RangeError(`not a name of a worktree: ${JSON.stringify(name)}`);
    return join(folder, `${name}.json`);
  };
  const read = async (name: string) => {
    let text: string;
    try {
      text = (await files.read(fileOf(name))).toString('utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    const record = parseRecord(text);
    if (record === undefined || record.name !== name) throw new Error(`${fileOf(name)} is damaged`);
    return record;
  };
  return {
    read,
    list: async () => {
      const records: WorktreeRecord[] = [];
      const problems: string[] = [];
      const entries = await files.list(folder).catch((error) => {
        if (errorCode(error) === 'ENOENT') return [];
        throw error;
      });
      for (const { name: file } of entries) {
        const name = /^(.+)\.json$/.exec(file)?.[1];
        if (name === undefined || !isWorktreeName(name)) continue;
        try {
          const record = await read(name);
          if (record !== undefined) records.push(record);
        } catch (error) {
          problems.push(error instanceof Error ? error.message : String(error));
        }
      }
      records.sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : a.name < b.name ? -1 : 1));
      return { records, problems };
    },
    write: async (record) => {
      await files.makeFolder(folder, 0o700);
      await files.replace(fileOf(record.name), `${JSON.stringify(record, null, 2)}\n`);
      await files.syncFolder(folder);
      await files.syncFolder(dirname(folder));
    },
    drop: (name) => files.remove(fileOf(name)),
    usedAt: async (name) => (await files.stat(fileOf(name)))?.mtimeMs ?? 0,
    touch: async (name) => {
      if ((await files.stat(fileOf(name))) !== undefined) await files.touch(fileOf(name), clock.now());
    },
  };
}

/**
 * Written by ourselves, but a version of us, or a person with an editor, may have made it something else; or it came
 * with a repository from elsewhere.
 */
function parseRecord(text: string): WorktreeRecord | undefined {
  try {
    const { v, name, path, branch, base, start, madeBy, stage, created, owner, from, placed, stashes } = JSON.parse(
      text,
    ) as Record<string, unknown>;
    const words = [name, path, branch, base, start, created, from];
    const isWhole = v === 1 && words.every((word) => typeof word === 'string') && isOwner(owner);
    const isKnown = isOneOf(madeBy, ['git', 'hook']) && isOneOf(stage, ['making', 'made', 'removing']);
    if (!isWhole || !isKnown || !Array.isArray(placed) || !Array.isArray(stashes)) return undefined;
    const record = JSON.parse(text) as WorktreeRecord;
    return isSafe(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Its words become arguments of git and paths of files to remove: none is an option, or leads elsewhere. */
function isSafe({ name, branch, base, start, madeBy, placed, stashes, applied = {} }: WorktreeRecord): boolean {
  // A hook may be behind other version control: then there is no branch and no commit.
  const mayLack = (word: string) => madeBy === 'hook' && word === '';
  const isBranch = branch === branchOf(name) || mayLack(branch);
  const commits = [base, start].filter((word) => !mayLack(word));
  const areNamed = [...commits, ...stashes, ...Object.values(applied)].every(isObjectName);
  return isBranch && areNamed && placed.every((one) => isPathInside(one?.path));
}

function isObjectName(word: unknown): boolean {
  return typeof word === 'string' && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(word);
}

/** A path below the top of a checkout, as git names it, and in no git folder. */
export function isPathInside(path: unknown): boolean {
  if (typeof path !== 'string' || path.includes('\0')) return false;
  return path.split('/').every((part) => !['', '.', '..', '.git'].includes(part.toLowerCase()));
}

function isOwner(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'session' in value && typeof value.session === 'string';
}

function isOneOf(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'string' && names.includes(value);
}
