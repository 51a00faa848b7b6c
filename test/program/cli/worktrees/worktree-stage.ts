/** A stage whose project is a repository with one commit, and what git and the disk say about its worktrees. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rule } from '../../../../src/sim/index.js';
import { runProgram } from '../../../support/program.js';
import type { Stage } from '../../../support/story.js';
import { type PlainStage, setPlainStage } from '../plain/plain-stage.js';

export type Repository = PlainStage & {
  git(...args: readonly string[]): string;
  /** Names of the linked worktrees that git knows. */
  linked(): readonly string[];
  /** Names of our records. */
  records(): Promise<readonly string[]>;
  /** A path in a worktree. */
  inWorktree(worktree: string, path?: string): string;
};

export async function setRepository(rules: readonly Rule[]): Promise<Repository> {
  const stage = await setPlainStage(rules);
  const git = (...args: readonly string[]) => runGit(stage.folder, args);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.invalid');
  await stage.write('README.md', 'A project.\n');
  await stage.write('sub/deep.txt', 'Deep.\n');
  git('add', '-A');
  git('commit', '-qm', 'begin');
  return {
    ...stage,
    git,
    linked: () =>
      git('worktree', 'list', '--porcelain')
        .split('\n')
        .flatMap((line) => /^worktree .*\/\.claude\/worktrees\/(.+)$/.exec(line)?.[1] ?? []),
    records: async () => {
      const names = await readdir(join(stage.folder, '.git/coppice/worktrees')).catch(() => []);
      return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
    },
    inWorktree: (worktree, path = '') => join(stage.folder, '.claude/worktrees', worktree, path),
  };
}

export function runGit(cwd: string, args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** "write" puts a file into the session's folder; anything else is answered with words. */
export const WRITES: Rule[] = [
  { when: { result: { tool: 'Bash', error: true } }, reply: 'It failed: {{result}}' },
  { when: { result: { tool: 'Bash' } }, reply: 'It is written.' },
  { when: { user: /^write\b/m }, reply: [{ tool: 'Bash', input: { command: 'echo new > made.txt' } }] },
  { reply: 'Only words.' },
];

export const BYPASS = ['--permission-mode', 'bypassPermissions'];

/** Nothing was made, and the model was not asked. */
export async function nothingMade(stage: Repository): Promise<object> {
  return {
    linked: stage.linked(),
    records: await stage.records(),
    branches: stage.git('branch', '--list', 'worktree-*').trim(),
    folder: existsSync(stage.inWorktree('')),
    requests: stage.sim.requests.length,
  };
}

export const NOTHING = { linked: [], records: [], branches: '', folder: false, requests: 0 };

/** Where to start the program so that every git it runs is noted, each with its time and arguments. */
export async function notedGit(stage: Repository) {
  const tools = join(stage.home, 'tools');
  const log = join(stage.home, 'git.log');
  await mkdir(tools, { recursive: true });
  const script = `#!/bin/sh\necho "$(date +%s%3N) $@" >> ${log}\nPATH=${stage.env.PATH} exec git "$@"\n`;
  await writeFile(join(tools, 'git'), script, { mode: 0o755 });
  const at = { ...stage.at, env: { ...stage.env, PATH: `${tools}:${stage.env.PATH}` } };
  return { at, runs: async () => (existsSync(log) ? (await readFile(log, 'utf8')).split('\n').filter(Boolean) : []) };
}

/** Runs `coppice worktree`. */
export const runWorktree = (stage: Stage, ...args: readonly string[]) => runProgram(['worktree', ...args], stage.at);
