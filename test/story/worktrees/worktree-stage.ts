/** A story's stage whose project is a git repository with a commit. */

import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Rule, SimOptions } from '../../../src/sim/index.js';
import { eventsOf, type Stage, setStage } from '../../support/story.js';

export type RepositoryStage = Stage & {
  /** Git in the project, or in another folder. */
  git(args: readonly string[], folder?: string): string;
};

export async function setRepository(
  rules: readonly Rule[],
  files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' },
  options: SimOptions = {},
): Promise<RepositoryStage> {
  const stage = await setStage(rules, options);
  const git = (args: readonly string[], folder = stage.folder) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', env: { ...stage.env }, stdio: 'pipe' }).trimEnd();
  await writeFile(join(stage.home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(stage.folder, name)), { recursive: true });
    await writeFile(join(stage.folder, name), content);
  }
  git(['init', '-q', '-b', 'main']);
  git(['add', '--all']);
  git(['commit', '-q', '-m', 'first']);
  return { ...stage, git };
}

/** Where the n-th child that was started works. */
export function worktreeOf(stage: Stage, nth = 1) {
  const { worktree } = eventsOf(stage, 'agent-spawned')[nth - 1] ?? {};
  if (worktree === undefined) throw new Error(`child ${nth} has no worktree`);
  return worktree;
}

/** The worktrees git knows, without the project itself. */
export function listedWorktrees(stage: RepositoryStage): string[] {
  const listed = stage.git(['worktree', 'list', '--porcelain']).split('\n');
  return listed
    .flatMap((line) => /^worktree (.+)$/.exec(line)?.[1] ?? [])
    .filter((path) => path !== stage.git(['rev-parse', '--show-toplevel']));
}

export function branchesOf(stage: RepositoryStage): string[] {
  return stage.git(['branch', '--format=%(refname:short)']).split('\n');
}
