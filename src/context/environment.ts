/** Facts about where a session runs. They are part of the history: fixed when appended, never rendered again. */

import { join, resolve } from 'node:path';
import type { Host } from '../host/host.js';

export type EnvironmentFacts = {
  readonly folder: string;
  readonly roots: readonly string[];
  readonly repoRoot: string | undefined;
  readonly branch: string | undefined;
  readonly platform: string;
  readonly date: string;
  readonly model: string;
};

export async function gatherEnvironment(
  host: Host,
  at: { readonly roots: readonly string[]; readonly repoRoot: string | undefined; readonly model: string },
): Promise<EnvironmentFacts> {
  return {
    folder: host.folder,
    ...at,
    branch: at.repoRoot === undefined ? undefined : await currentBranch(host, at.repoRoot),
    platform: `${host.platform.os} ${host.platform.arch}`,
    date: new Date(host.clock.now()).toISOString().slice(0, 10),
  };
}

export function describeEnvironment(facts: EnvironmentFacts): string {
  const more = facts.roots.filter((root) => root !== facts.folder);
  const git = facts.repoRoot === undefined ? 'no' : `yes, at ${facts.repoRoot}`;
  return [
    '# Environment',
    `Working folder: ${facts.folder}`,
    ...(more.length > 0 ? [`Further folders: ${more.join(', ')}`] : []),
    `Git repository: ${git}${facts.branch === undefined ? '' : `, on ${facts.branch}`}`,
    `Platform: ${facts.platform}`,
    `Date: ${facts.date}`,
    `Model: ${facts.model}`,
  ].join('\n');
}

/** Read from `.git/HEAD` without running git: a repository can make git execute commands. */
async function currentBranch(host: Host, repoRoot: string): Promise<string | undefined> {
  try {
    const dotGit = join(repoRoot, '.git');
    const stat = await host.files.stat(dotGit);
    const folder = stat?.kind === 'file' ? await linkedFolder(host, dotGit, repoRoot) : dotGit;
    const head = (await host.files.read(join(folder, 'HEAD'))).toString('utf8').trim();
    const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
    return branch === undefined ? `commit ${head.slice(0, 10)}` : `branch ${branch}`;
  } catch {
    return undefined;
  }
}

async function linkedFolder(host: Host, dotGit: string, repoRoot: string): Promise<string> {
  const content = (await host.files.read(dotGit)).toString('utf8');
  return resolve(repoRoot, /^gitdir: (.+)$/m.exec(content)?.[1]?.trim() ?? '.git');
}
