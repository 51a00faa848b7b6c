/** A repository with a worktree of an agent, both with real git, and everything there is to see of the checkout. */

import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type Checkout, findCheckout } from '../../../../src/host/git/checkout.js';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { type Applied, applyWorktree } from '../../../../src/host/worktrees/apply-worktree.js';
import { type MakeRequest, makeWorktree } from '../../../../src/host/worktrees/make-worktree.js';
import type { WorktreeRecord } from '../../../../src/host/worktrees/worktree-record.js';
import { scratchFolder } from '../../../support/scratch.js';

export type Tree = {
  readonly path: string;
  git(...args: readonly string[]): string;
  write(path: string, content: string | Uint8Array, mode?: number): Promise<void>;
  link(path: string, target: string): Promise<void>;
  read(path: string): Promise<string>;
  remove(path: string): Promise<void>;
  commit(words?: string): void;
};

export function treeAt(path: string): Tree {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', path, ...args], { encoding: 'utf8', stdio: 'pipe', env: GIT_ENV });
  const open = async (name: string) => {
    await mkdir(dirname(join(path, name)), { recursive: true });
    return join(path, name);
  };
  return {
    path,
    git,
    write: async (name, content, mode) => {
      await writeFile(await open(name), content);
      if (mode !== undefined) await chmod(join(path, name), mode);
    },
    link: async (name, target) => symlink(target, await open(name)),
    read: (name) => readFile(join(path, name), 'utf8'),
    remove: (name) => rm(join(path, name), { recursive: true }),
    commit: (words = 'more') => {
      git('add', '-A');
      git('commit', '-qm', words);
    },
  };
}

const GIT_ENV = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};

export type ApplyStage = {
  readonly host: Host;
  readonly repo: Tree;
  readonly child: Tree;
  readonly record: WorktreeRecord;
  readonly target: Checkout;
  apply(host?: Host): Promise<Applied>;
  /** Everything of the checkout that an apply must not change unless it succeeds. */
  state(): Promise<unknown>;
};

export const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', ''].join('\n');

export type StageOptions = Partial<Pick<MakeRequest, 'sparsePaths' | 'symlinkDirectories' | 'includeDirty'>> & {
  readonly trusted?: boolean;
  /** Before the worktree is made; commits become its base, uncommitted changes its overlay. */
  readonly before?: (repo: Tree) => Promise<void>;
};

export async function setApplyStage(options: StageOptions = {}): Promise<ApplyStage> {
  const { before, trusted = true, ...request } = options;
  const path = join(await scratchFolder(), 'repo');
  await mkdir(path);
  const repo = treeAt(path);
  repo.git('init', '-q', '-b', 'main');
  await repo.write('f', LINES);
  await repo.write('g', 'g\n');
  await repo.write('folder/inner', 'inner\n');
  await repo.write('.gitignore', '*.ignored\n');
  repo.commit('first');
  await before?.(repo);
  const host = nodeHost(path, GIT_ENV);
  const target = await checkoutOf(host, path, trusted);
  const made = await makeWorktree(host, target, {
    name: 'agent-1a2b3c4d',
    owner: { session: 's', agent: '1a2b3c4d' },
    includeDirty: true,
    maxOverlayBytes: 1e8,
    sparsePaths: [],
    symlinkDirectories: [],
    ...request,
  });
  if (!made.ok) throw new Error(made.reason);
  await made.use.release();
  return {
    host,
    repo,
    target,
    record: made.record,
    child: treeAt(made.record.path),
    apply: async (on = host) => {
      const own = on.processes === host.processes ? target : await checkoutOf(on, path, trusted);
      return applyWorktree(on, own, 'agent-1a2b3c4d');
    },
    state: () => stateOf(repo),
  };
}

export async function checkoutOf(host: Host, path: string, trusted = true): Promise<Checkout> {
  const found = await findCheckout(host, path, { trusted });
  if (!found.ok) throw new Error(found.reason);
  return found.checkout;
}

export async function stateOf({ path, git }: Tree): Promise<unknown> {
  const files: Record<string, unknown> = {};
  const walk = async (folder: string) => {
    for (const name of (await readdir(join(path, folder))).sort()) {
      const at = join(folder, name);
      if (at === '.git' || at === '.claude') continue;
      const { mode, mtimeMs, ino } = await lstat(join(path, at));
      const isFolder = (mode & 0o170000) === 0o040000;
      if (isFolder) await walk(at);
      const content = isFolder ? '' : await readFile(join(path, at), 'latin1').catch(() => readlink(join(path, at)));
      files[at] = isFolder ? { mode } : { mode, mtimeMs, ino, content };
    }
  };
  await walk('');
  const gitDir = git('rev-parse', '--absolute-git-dir').trim();
  const index = (await readFile(join(gitDir, 'index'))).toString('base64');
  const left = (await readdir(gitDir)).filter((name) => name.startsWith('coppice-'));
  const ours = (await readdir(join(gitDir, 'coppice')).catch(() => [])).filter(
    (name) => !/^(?:worktrees|lock)/.test(name),
  );
  return { files, index, left, ours, head: git('rev-parse', 'HEAD'), refs: git('for-each-ref') };
}

/** How each path changed. */
export function changesOf(applied: Applied): Readonly<Record<string, string>> {
  if (!applied.ok) throw new Error(`not applied: ${JSON.stringify(applied)}`);
  return Object.fromEntries(applied.changed.map(({ path, how }) => [path, how]));
}

/** Refused, and everything is as it was. */
export async function expectRefused(stage: ApplyStage, reason: RegExp, host?: Host): Promise<Applied> {
  const before = await stage.state();
  const applied = await stage.apply(host);
  expect(applied).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  expect(await stage.state()).toEqual(before);
  return applied;
}
