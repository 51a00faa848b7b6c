/** A repository with a worktree of ours in it, and what of both must not be lost: for tests of what becomes of them. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Checkout, findCheckout } from '../../src/host/git/checkout.js';
import type { Host } from '../../src/host/host.js';
import type { Lock } from '../../src/host/locks/lock.js';
import { nodeHost } from '../../src/host/node-host.js';
import { type MakeRequest, makeWorktree } from '../../src/host/worktrees/make-worktree.js';
import { openRecords, recordsFolder, type WorktreeRecord } from '../../src/host/worktrees/worktree-record.js';
import { scratchFolder } from './scratch.js';

const run = promisify(execFile);

export type WorktreeStage = {
  readonly host: Host;
  readonly repo: string;
  readonly checkout: Checkout;
  readonly env: NodeJS.ProcessEnv;
  /** Git as the person has it, in the repository or another folder. */
  git(args: readonly string[], cwd?: string): Promise<string>;
  /** The same, whether it succeeds or not. */
  tryGit(args: readonly string[], cwd?: string): Promise<void>;
  make(name: string, request?: Partial<MakeRequest>): Promise<{ readonly record: WorktreeRecord; readonly use: Lock }>;
  /** Whether the record, its locks, the branch, the registration and the folder are there. */
  leftOf(record: WorktreeRecord): Promise<readonly string[]>;
  /** The person's own: files, index, HEAD, branches and stashes, without our worktrees and their branches. */
  ownState(): Promise<readonly string[]>;
};

/** With two commits, a folder, ignored files and a program, in a home of its own. */
export async function worktreeStage(trusted = false): Promise<WorktreeStage> {
  const top = await scratchFolder();
  const [home, repo] = [join(top, 'home'), join(top, 'repo')];
  await mkdir(join(repo, 'src'), { recursive: true });
  await mkdir(home);
  await writeFile(
    join(home, '.gitconfig'),
    '[user]\nname = Person\nemail = person@example.com\n[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n',
  );
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
  const git = async (args: readonly string[], cwd = repo) =>
    (await run('git', args, { cwd, env, maxBuffer: 1 << 26 })).stdout.trim();
  await git(['init', '-q']);
  await writeFile(join(repo, 'one.txt'), 'one\n');
  await git(['add', '.']);
  await git(['commit', '-qm', 'first']);
  await writeFile(join(repo, '.gitignore'), '*.log\nbuild/\n.env\n');
  await writeFile(join(repo, 'src', 'two.txt'), 'two\n');
  await writeFile(join(repo, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await git(['add', '.']);
  await git(['commit', '-qm', 'second']);
  const host = nodeHost(repo, env);
  const found = await findCheckout(host, repo, { trusted });
  if (!found.ok) throw new Error(found.reason);
  const { checkout } = found;
  const stage: WorktreeStage = {
    host,
    repo,
    checkout,
    env,
    git,
    tryGit: async (args, cwd) => void (await git(args, cwd).catch(() => {})),
    make: async (name, request = {}) => {
      const made = await makeWorktree(host, checkout, { ...REQUEST, ...request, name });
      if (!made.ok) throw new Error(made.reason);
      return made;
    },
    leftOf: async (record) => {
      const records = await readdir(recordsFolder(checkout.commonDir)).catch(() => []);
      const gitDirs = await readdir(join(checkout.commonDir, 'worktrees')).catch(() => []);
      const branches = (await git(['for-each-ref', '--format=%(refname:short)', 'refs/heads'])).split('\n');
      return [
        ...records.filter((file) => file.startsWith(`${record.name}.`)),
        ...branches.filter((branch) => branch === record.branch).map((branch) => `branch ${branch}`),
        ...gitDirs.filter((name) => name.startsWith(record.name)).map((name) => `registration ${name}`),
        ...((await lstat(record.path).catch(() => undefined)) === undefined ? [] : ['folder']),
      ];
    },
    ownState: async () => [
      ...(await contentOf(repo, (path) => path === '.git' || path === '.claude')),
      `index ${hash(await readFile(join(repo, '.git', 'index')))}`,
      `HEAD ${await readFile(join(repo, '.git', 'HEAD'), 'utf8')}`,
      ...(await git(['for-each-ref', '--format=%(refname) %(objectname)']))
        .split('\n')
        .filter((line) => !line.startsWith('refs/heads/worktree-')),
      await git(['stash', 'list', '--format=%H %gs']),
    ],
  };
  return stage;
}

export const REQUEST: Omit<MakeRequest, 'name'> = {
  owner: { session: 'session-1', agent: 'agent-1' },
  includeDirty: false,
  maxOverlayBytes: 1_000_000,
  sparsePaths: [],
  symlinkDirectories: [],
};

/** Everything below a folder: kinds, rights and hashes, by path. Names are bytes. */
export async function contentOf(folder: string, isLeftOut: (path: string) => boolean = () => false): Promise<string[]> {
  const found: string[] = [];
  const walk = async (below: Buffer): Promise<void> => {
    const at = Buffer.concat([Buffer.from(`${folder}/`), below]);
    const names = await readdir(at, { encoding: 'buffer' }).catch(() => []);
    for (const name of names.sort(Buffer.compare)) {
      const path = below.length === 0 ? name : Buffer.concat([below, Buffer.from('/'), name]);
      const shown = path.toString('latin1');
      if (isLeftOut(shown)) continue;
      const file = Buffer.concat([Buffer.from(`${folder}/`), path]);
      const stats = await lstat(file);
      if (stats.isSymbolicLink()) found.push(`${shown} -> ${await readlink(file)}`);
      else if (stats.isDirectory()) {
        found.push(`${shown}/`);
        await walk(path);
      } else found.push(`${shown} ${(stats.mode & 0o777).toString(8)} ${hash(await readFile(file))}`);
    }
  };
  await walk(Buffer.alloc(0));
  return found;
}

/** What a worktree holds: its files, and what git keeps of it and its branch. Locks are not work. */
export async function workIn(stage: WorktreeStage, record: WorktreeRecord, path = record.path): Promise<string[]> {
  const { commonDir } = stage.checkout;
  const gitDir = record.gitDir ?? join(commonDir, 'worktrees', record.name);
  const log = join(commonDir, 'logs', 'refs', 'heads', record.branch);
  return [
    ...(await contentOf(path)),
    ...(await contentOf(gitDir, (file) => file === 'locked')).map((line) => `git: ${line}`),
    `branch: ${await stage.git(['for-each-ref', `refs/heads/${record.branch}`])}`,
    `log: ${await readFile(log, 'utf8').catch(() => '')}`,
    `stashes: ${await stage.git(['stash', 'list'])}`,
  ];
}

/** Writes the record again, changed. */
export async function rewriteRecord(stage: WorktreeStage, record: WorktreeRecord): Promise<void> {
  await openRecords(stage.host, stage.checkout.commonDir).write(record);
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
