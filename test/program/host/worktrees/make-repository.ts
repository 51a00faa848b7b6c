/** Repositories for tests of making worktrees: real git, with their own home. */

import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Checkout, findCheckout } from '../../../../src/host/git/checkout.js';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { type Made, type MakeRequest, makeWorktree } from '../../../../src/host/worktrees/make-worktree.js';
import { scratchFolder } from '../../../support/scratch.js';

export type Repository = {
  readonly top: string;
  readonly host: Host;
  /** The output, without the last line end. Throws if git fails. */
  git(...args: readonly string[]): string;
  gitIn(folder: string, ...args: readonly string[]): string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Commits everything. */
  commit(message?: string): string;
  read(path: string): Promise<string>;
  make(request?: Partial<MakeRequest>, options?: MakeOptions): Promise<Made>;
  /** As `make`; throws unless it is made. */
  made(request?: Partial<MakeRequest>, options?: MakeOptions): Promise<Extract<Made, { ok: true }>>;
};

export type MakeOptions = { readonly host?: Host; readonly folder?: string; readonly trusted?: boolean };

export async function makeRepository(
  files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' },
): Promise<Repository> {
  const scratch = await scratchFolder();
  const top = join(scratch, 'project');
  await mkdir(top);
  const repository = repositoryAt(top, scratch);
  repository.git('init', '--quiet', '--initial-branch=main');
  repository.git('config', 'user.name', 'Ann');
  repository.git('config', 'user.email', 'ann@example.org');
  await repository.write(files);
  if (Object.keys(files).length > 0) repository.commit('first');
  return repository;
}

export function repositoryAt(top: string, home: string): Repository {
  const env = { PATH: process.env.PATH, HOME: home };
  const host = nodeHost(top, env);
  const gitIn = (cwd: string, ...args: readonly string[]) =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' }).replace(/\n$/, '');
  const git = (...args: readonly string[]) => gitIn(top, ...args);
  const make: Repository['make'] = async (request = {}, options = {}) => {
    const checkout = await checkoutOf(options.host ?? host, options.folder ?? top, options.trusted);
    const made = await makeWorktree(options.host ?? host, checkout, { ...REQUEST, ...request });
    if (made.ok) onTestFinished(() => void made.use.release());
    return made;
  };
  return {
    top,
    host,
    git,
    gitIn,
    write: async (files) => {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(top, path)), { recursive: true });
        await writeFile(join(top, path), content);
      }
    },
    commit: (message = 'more') => {
      git('add', '--all');
      git('commit', '--quiet', '--message', message);
      return git('rev-parse', 'HEAD');
    },
    read: (path) => readFile(join(top, path), 'utf8'),
    make,
    made: async (request, options) => {
      const made = await make(request, options);
      if (!made.ok) throw new Error(made.reason);
      return made;
    },
  };
}

export const REQUEST: MakeRequest = {
  name: 'agent-1a2b3c4d',
  owner: { session: 'session-1', agent: 'agent-1' },
  includeDirty: false,
  maxOverlayBytes: 1_000_000,
  sparsePaths: [],
  symlinkDirectories: [],
};

export async function checkoutOf(host: Host, folder: string, trusted = true): Promise<Checkout> {
  const found = await findCheckout(host, folder, { trusted });
  if (!found.ok) throw new Error(found.reason);
  return found.checkout;
}

/** All that making a worktree leaves anywhere: equal before and after a failure. */
export async function traces({ top, git }: Repository, common = join(top, '.git')): Promise<unknown> {
  const names = async (folder: string) => (await readdir(folder).catch(() => [])).toSorted();
  return {
    refs: git('for-each-ref'),
    registered: await names(join(common, 'worktrees')),
    records: await names(join(common, 'coppice', 'worktrees')),
    locks: (await names(join(common, 'coppice'))).filter((name) => name !== 'worktrees'),
    indexes: (await names(common)).filter((name) => /index|\.lock$/.test(name)),
    places: await names(join(top, '.claude', 'worktrees')),
    claude: await names(join(top, '.claude')),
    top: await names(top),
  };
}

/** The files of a folder by path, without git's own. */
export async function filesIn(folder: string, at = ''): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(join(folder, at), { withFileTypes: true })) {
    const path = join(at, entry.name);
    if (path === '.git' || path === join('.claude', 'worktrees')) continue;
    if (entry.isDirectory()) Object.assign(found, await filesIn(folder, path));
    else found[path] = entry.isSymbolicLink() ? '(link)' : await readFile(join(folder, path), 'utf8');
  }
  return found;
}
