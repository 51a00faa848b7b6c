/** A git repository on a stage, and worktrees of agents in it, as an agent that has ended leaves them. */

import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findCheckout } from '../../src/host/git/checkout.js';
import { nodeHost } from '../../src/host/node-host.js';
import { makeWorktree } from '../../src/host/worktrees/make-worktree.js';
import type { WorktreeRecord } from '../../src/host/worktrees/worktree-record.js';

export type Repository = {
  readonly folder: string;
  git(...args: readonly string[]): string;
  /** Makes a worktree and fills it. `files`: what the agent left, uncommitted. */
  worktree(name: string, files?: Readonly<Record<string, string>>): Promise<WorktreeRecord>;
};

export async function makeRepository(folder: string, files: Readonly<Record<string, string>>): Promise<Repository> {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const fill = async (top: string, contents: Readonly<Record<string, string>>) => {
    for (const [name, content] of Object.entries(contents)) {
      await mkdir(dirname(join(top, name)), { recursive: true });
      await writeFile(join(top, name), content);
    }
  };
  git('init', '-q', '-b', 'main');
  await fill(folder, files);
  git('add', '-A');
  git('commit', '-qm', 'first');
  const host = nodeHost(folder);
  return {
    folder,
    git,
    worktree: async (name, contents = {}) => {
      const found = await findCheckout(host, folder, { trusted: true });
      if (!found.ok) throw new Error(found.reason);
      const made = await makeWorktree(host, found.checkout, {
        name,
        owner: { session: 'a-session', agent: name.replace(/^agent-/, '') },
        includeDirty: true,
        maxOverlayBytes: 1e8,
        sparsePaths: [],
        symlinkDirectories: [],
      });
      if (!made.ok) throw new Error(made.reason);
      await made.use.release();
      execFileSync('git', ['-C', folder, 'worktree', 'unlock', made.record.path], { stdio: 'pipe' });
      await fill(made.record.path, contents);
      return made.record;
    },
  };
}
