/**
 * The record of one of our worktrees. It is written before anything is created and deleted after everything is removed, so
 * that leftovers of a crash are found. A worktree without a record is not ours.
 */

import { dirname, join } from 'node:path';
import { reasonOf } from '../../protocol/reason-of.js';
import { errorCode } from '../files.js';
import type { Host } from '../host.js';

export type WorktreeRecord = {
  readonly v: 1;
  /** `agent-1a2b3c4d`, or the name the user gave. */
  readonly name: string;
  /** Where it was made. It may have been moved since: see its `gitdir`. */
  readonly path: string;
  readonly branch: string;
  /** Its own folder in the git folder; absent until it exists. */
  readonly gitDir?: string;
  /** The commit the parent's checkout was at. */
  readonly base: string;
  /** The base, or a commit on top of it with the parent's uncommitted changes. */
  readonly start: string;
  readonly madeBy: 'git' | 'hook';
  /**
   * `making`: no one has worked in it yet. `removing`: it was checked and contains no work. In both, files may be
   * missing or cut short.
   */
  readonly stage: 'making' | 'made' | 'removing';
  readonly created: string;
  readonly owner: WorktreeOwner;
  /** The checkout it was made from. */
  readonly from: string;
  /** Only these paths were checked out. */
  readonly sparse?: readonly string[];
  readonly placed: readonly Placed[];
  /** The stashes that existed before it, by commit: all worktrees share stashes. */
  readonly stashes: readonly string[];
  /** The tree that was last applied to a checkout, by that checkout's git folder. */
  readonly applied?: Readonly<Record<string, string>>;
};

export type WorktreeOwner = {
  readonly session: string;
  /** Absent: the session itself works in it. */
  readonly agent?: string;
};

/** Something that we placed there; it is work only if it was changed. Paths are relative. */
export type Placed =
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'copy'; readonly path: string; readonly sha256: string };

/** Checks a worktree name, which becomes part of a path and of a branch. Used by every action that takes one. */
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

/** The reason of git's own lock, with its holder. */
export function lockReason({ session, agent }: WorktreeOwner): string {
  const who = agent === undefined ? `session ${session}` : `agent ${agent} of session ${session}`;
  return `${LOCK_WORD}in use by ${who} (process ${process.pid})`;
}

export function isOwnLock(reason: string): boolean {
  return reason.startsWith(LOCK_WORD);
}

/** The folder of the records: in the git folder that all worktrees share. */
export function recordsFolder(commonDir: string): string {
  return join(commonDir, 'coppice', 'worktrees');
}

/** The lock of the process that uses the worktree. */
export function useLock(commonDir: string, name: string): string {
  return join(recordsFolder(commonDir), `${name}.lock`);
}

/** The lock for creating or removing worktrees of this repository. */
export function repositoryLock(commonDir: string): string {
  return join(recordsFolder(commonDir), '..', 'lock');
}

export interface WorktreeRecords {
  /** Undefined: there is none. Throws if it can't be read, because its owner is unknown then. */
  read(name: string): Promise<WorktreeRecord | undefined>;
  /** In order of creation; with the reasons for unreadable ones. */
  list(): Promise<{ readonly records: readonly WorktreeRecord[]; readonly problems: readonly string[] }>;
  /** Resolves when it is on disk. */
  write(record: WorktreeRecord): Promise<void>;
  drop(name: string): Promise<void>;
  /** When it was last used. */
  usedAt(name: string): Promise<number>;
  /** Marks it as used now: no cleanup removes it for 30 days. */
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
          problems.push(reasonOf(error));
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

/** Parses our own file, which may have been written by another version or by hand, or may have come with a repository. */
function parseRecord(text: string): WorktreeRecord | undefined {
  try {
    const { v, name, path, branch, base, start, madeBy, stage, created, owner, from, placed, stashes } = JSON.parse(
      text,
    ) as Record<string, unknown>;
    const texts = [name, path, branch, base, start, created, from];
    const isWhole = v === 1 && texts.every((text) => typeof text === 'string') && isOwner(owner);
    const isKnown = isOneOf(madeBy, ['git', 'hook']) && isOneOf(stage, ['making', 'made', 'removing']);
    if (!isWhole || !isKnown || !Array.isArray(placed) || !Array.isArray(stashes)) return undefined;
    const record = JSON.parse(text) as WorktreeRecord;
    return isSafe(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Its fields become arguments of git and paths of files to remove: none may be an option, or lead elsewhere. */
function isSafe({ name, branch, base, start, madeBy, placed, stashes, applied = {} }: WorktreeRecord): boolean {
  // A hook may use other version control, without branches and commits.
  const mayLack = (text: string) => madeBy === 'hook' && text === '';
  const isBranch = branch === branchOf(name) || mayLack(branch);
  const commits = [base, start].filter((text) => !mayLack(text));
  const areNamed = [...commits, ...stashes, ...Object.values(applied)].every(isObjectName);
  return isBranch && areNamed && placed.every((one) => isPathInside(one?.path));
}

function isObjectName(text: unknown): boolean {
  return typeof text === 'string' && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text);
}

/** True for a path below the top of a checkout, as git writes it, and not in a git folder. */
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
