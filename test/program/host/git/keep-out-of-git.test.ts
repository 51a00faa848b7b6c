/** Paths that are excluded from version control without running git: main checkouts, submodules, links (ME-5). */

import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { excludeFromGit } from '../../../../src/host/git/exclude-from-git.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';
import { makeRepository } from '../../../support/worktrees.js';

const LINES = ['/.claude/agent-memory-local/'];

it('ME-5: lines are added once, to a checkout’s and to a submodule’s own list; what others wrote stays', async () => {
  const { folder, git } = await makeRepository(await scratchFolder(), { f: 'one\n' });
  const exclude = join(folder, '.git/info/exclude');
  await writeFile(exclude, '*.log');
  const host = nodeHost(folder);
  for (let round = 0; round < 2; round += 1) expect(await excludeFromGit(host, folder, LINES)).toBeUndefined();
  expect(await readFile(exclude, 'utf8')).toBe('*.log\n/.claude/agent-memory-local/\n');
  git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', folder, 'sub');
  expect(await excludeFromGit(host, join(folder, 'sub'), LINES)).toBeUndefined();
  await mkdir(join(folder, 'sub/.claude/agent-memory-local/x'), { recursive: true });
  await writeFile(join(folder, 'sub/.claude/agent-memory-local/x/MEMORY.md'), 'x');
  expect(execFileSync('git', ['-C', join(folder, 'sub'), 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
});

it('ME-5: without a repository there is nothing to do; a list that is a link is not written, and reported', async () => {
  const outside = await scratchFolder();
  expect(await excludeFromGit(nodeHost(outside), outside, LINES)).toBeUndefined();
  const { folder } = await makeRepository(await scratchFolder(), { f: 'one\n' });
  const target = join(outside, 'target');
  await writeFile(target, '');
  await rm(join(folder, '.git/info'), { recursive: true, force: true });
  await mkdir(join(folder, '.git/info'));
  await symlink(target, join(folder, '.git/info/exclude'));
  expect(await excludeFromGit(nodeHost(folder), folder, LINES)).toMatch(
    /git shows .*agent-memory-local\/ as untracked/,
  );
  expect(await readFile(target, 'utf8')).toBe('');
});

it('ME-5: a worktree of a bare repository has the list that git reads', async () => {
  const { folder } = await makeRepository(await scratchFolder(), { f: 'one\n' });
  const top = await scratchFolder();
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8', stdio: 'pipe' });
  git(top, 'clone', '-q', '--bare', folder, 'bare.git');
  git(join(top, 'bare.git'), 'worktree', 'add', '-q', join(top, 'tree'));
  expect(await excludeFromGit(nodeHost(top), join(top, 'tree'), LINES)).toBeUndefined();
  await mkdir(join(top, 'tree/.claude/agent-memory-local/x'), { recursive: true });
  await writeFile(join(top, 'tree/.claude/agent-memory-local/x/MEMORY.md'), 'x');
  expect(git(join(top, 'tree'), 'status', '--porcelain')).toBe('');
});

it('ME-5: a repository that can’t be written to is reported', async () => {
  const { folder } = await makeRepository(await scratchFolder(), { f: 'one\n' });
  await writeFile(join(folder, '.git/coppice'), '');
  expect(await excludeFromGit(nodeHost(folder), folder, LINES)).toMatch(
    /^git may show .*agent-memory-local\/ as untracked: E/,
  );
});
