/** Facts about the session's environment. They are part of the history: fixed when appended, never rendered again. */

import { join, resolve } from 'node:path';
import type { Host } from '../host/host.js';
import { readRegularFile } from '../host/read-regular-file.js';

export type EnvironmentFacts = {
  readonly folder: string;
  readonly roots: readonly string[];
  readonly repoRoot: string | undefined;
  readonly branch: string | undefined;
  /** The checkout that the folder is a worktree of. */
  readonly worktreeOf?: string | undefined;
  readonly platform: string;
  readonly date: string;
  readonly model: string;
};

export async function gatherEnvironment(
  host: Host,
  at: Pick<EnvironmentFacts, 'roots' | 'repoRoot' | 'model' | 'worktreeOf'>,
): Promise<EnvironmentFacts> {
  return {
    folder: host.folder,
    ...at,
    branch: at.repoRoot === undefined ? undefined : (await readBranch(host, at.repoRoot)).branch,
    platform: `${host.platform.os} ${host.platform.arch}`,
    date: dateOf(host),
  };
}

export function dateOf({ clock }: Pick<Host, 'clock'>): string {
  return new Date(clock.now()).toISOString().slice(0, 10);
}

export function describeEnvironment(facts: EnvironmentFacts): string {
  const more = facts.roots.filter((root) => root !== facts.folder);
  const git = facts.repoRoot === undefined ? 'no' : `yes, at ${facts.repoRoot}`;
  const tree = facts.worktreeOf === undefined ? '' : ` (a worktree of ${facts.worktreeOf})`;
  return [
    '# Environment',
    `Working folder: ${facts.folder}`,
    ...(more.length > 0 ? [`Further folders: ${more.join(', ')}`] : []),
    `Git repository: ${git}${facts.branch === undefined ? '' : `, on ${facts.branch}`}${tree}`,
    `Platform: ${facts.platform}`,
    `Date: ${facts.date}`,
    `Model: ${facts.model}`,
  ].join('\n');
}

export type BranchReading = {
  /** As text: a branch or a commit. Undefined if unknown. */
  readonly branch?: string;
  /** Why the file of git could not be read. */
  readonly problem?: string;
};

const MAX_HEAD_BYTES = 4096;

/** Read from `.git/HEAD` without running git: a repository can make git execute commands. */
export async function readBranch(host: Host, repoRoot: string): Promise<BranchReading> {
  const dotGit = join(repoRoot, '.git');
  const stat = await host.files.stat(dotGit).catch(() => undefined);
  const named = stat?.kind === 'file' ? await readSmall(host, dotGit) : undefined;
  if (named?.problem !== undefined) return named;
  const folder = named === undefined ? dotGit : resolve(repoRoot, /^gitdir: (.+)$/m.exec(named.text)?.[1] ?? '.git');
  const { text: head, problem } = await readSmall(host, join(folder, 'HEAD'));
  if (problem !== undefined) return { problem };
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  if (branch !== undefined) return { branch: `branch ${branch}` };
  return head === '' ? {} : { branch: `commit ${head.slice(0, 10)}` };
}

async function readSmall(host: Host, path: string): Promise<{ readonly text: string; readonly problem?: string }> {
  const read = await readRegularFile(host.files, path, { most: MAX_HEAD_BYTES });
  if (read.kind === 'refused') return { text: '', problem: `${path} was not read: ${read.reason}` };
  return { text: read.kind === 'read' ? read.bytes.toString('utf8').trim() : '' };
}
