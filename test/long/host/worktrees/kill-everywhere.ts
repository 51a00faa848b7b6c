/** Kills a process at each of its effects while it makes or removes a worktree, and checks what the next start finds. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { removeWorktree } from '../../../../src/host/worktrees/remove-worktree.js';
import { sweepWorktrees } from '../../../../src/host/worktrees/sweep-worktrees.js';
import { openRecords } from '../../../../src/host/worktrees/worktree-record.js';
import type { KillPlan } from '../../../program/host/worktrees/ending/worktree-actor.js';
import { bundle } from '../../../support/bundle.js';
import { scratchFolder } from '../../../support/scratch.js';
import { type WorktreeStage, worktreeStage } from '../../../support/worktree-stage.js';

const run = promisify(execFile);
const NAME = 'agent-12345678';
const FILES = 200;

export type Kills = {
  readonly action: 'make' | 'remove' | 'discard';
  /** Every how many effects; 1: at each. */
  readonly stride: number;
  /** How long a git that writes has run when it is killed, or left alone, in milliseconds. */
  readonly during: readonly number[];
};

/** Gives how many kills there were. */
export async function killEverywhere({ action, stride, during }: Kills): Promise<number> {
  const stage = await killStage();
  const program = await bundle(
    new URL('../../../program/host/worktrees/ending/worktree-actor.ts', import.meta.url),
    await scratchFolder(),
  );
  const own = await stage.ownState();
  const effects = await listEffects(stage, program, action);
  const plans = plansFor(effects, stride, during);
  for (const plan of plans) {
    const about = `${action}, killed at ${plan.at} of ${effects.length} (${effects[plan.at - 1]}) ${JSON.stringify(plan)}`;
    await prepare(stage, action);
    const child = spawn(process.execPath, [program, action, stage.repo, NAME, JSON.stringify(plan)], {
      env: stage.env,
      stdio: 'ignore',
    });
    const [code, signal] = await once(child, 'exit');
    expect([code, signal], about).toEqual([null, 'SIGKILL']);
    await checkNextStart(stage, action, about);
    expect(await stage.ownState(), about).toEqual(own);
  }
  return plans.length;
}

/** Many files, so that git is in the middle of them when it is killed; and uncommitted changes, which are taken along. */
async function killStage(): Promise<WorktreeStage> {
  const stage = await worktreeStage();
  await mkdir(join(stage.repo, 'many'));
  for (let i = 0; i < FILES; i += 1) await writeFile(join(stage.repo, 'many', `${i}.txt`), `${i}\n`.repeat(50));
  await stage.git(['add', '.']);
  await stage.git(['commit', '-qm', 'many']);
  await writeFile(join(stage.repo, 'one.txt'), 'not committed\n');
  await writeFile(join(stage.repo, '.env'), 'SECRET=1\n');
  await writeFile(join(stage.repo, '.worktreeinclude'), '.env\n');
  await mkdir(join(stage.repo, 'build'));
  await writeFile(join(stage.repo, 'build', 'out.bin'), 'built\n');
  await writeFile(join(stage.repo, 'untracked.txt'), 'untracked\n');
  // The folder for worktrees is there from now on: each time, the same is done.
  const { use } = await stage.make(NAME);
  await removeWorktree(stage.host, stage.checkout, NAME, { use });
  await use.release();
  return stage;
}

async function prepare(stage: WorktreeStage, action: Kills['action']): Promise<void> {
  if (action === 'make') return rm(join(stage.checkout.commonDir, 'info', 'exclude'), { force: true });
  const { record, use } = await stage.make(NAME, { symlinkDirectories: ['build'] });
  if (action === 'discard') {
    await writeFile(join(record.path, 'one.txt'), 'discarded\n');
    await stage.git(['commit', '-qam', 'discarded'], record.path);
    await writeFile(join(record.path, 'new.txt'), 'discarded\n');
  }
  await use.release();
}

async function listEffects(stage: WorktreeStage, program: string, action: Kills['action']): Promise<readonly string[]> {
  await prepare(stage, action);
  const args = [program, action, stage.repo, NAME, '{"log":true}'];
  const { stdout } = await run(process.execPath, args, { env: stage.env });
  const [said = '', log = '[]'] = stdout.trim().split('\n');
  expect(JSON.parse(said)).toEqual(action === 'make' ? { ok: true } : { kind: 'removed' });
  if (action === 'make') expect(await removeWorktree(stage.host, stage.checkout, NAME)).toEqual({ kind: 'removed' });
  return JSON.parse(log) as readonly string[];
}

const WRITING = /^git (?:worktree|update-ref|reset|read-tree|commit-tree|add|update-index|sparse-checkout)/;

function plansFor(effects: readonly string[], stride: number, during: readonly number[]): readonly KillPlan[] {
  return effects.flatMap((effect, index): KillPlan[] => {
    const at = index + 1;
    const before = at % stride === 0 ? [{ at }] : [];
    if (!WRITING.test(effect)) return before;
    return [...before, ...during.flatMap((ms) => [true, false].map((withGit) => ({ at, during: ms, withGit })))];
  });
}

async function checkNextStart(stage: WorktreeStage, action: Kills['action'], about: string) {
  const { host, checkout, repo } = stage;
  // Git's own lock on all references of a repository: the user removes it, as after any git that was killed.
  if (about.includes('"withGit":true')) await rm(join(checkout.commonDir, 'packed-refs.lock'), { force: true });
  const first = await sweepWorktrees(host, checkout, { days: 30 });
  const isWorking = first.left.some(({ reasons }) => reasons.some((reason) => /^process \d+ is in it/.test(reason)));
  if (isWorking) await gitsEnded(stage, repo);
  const { left } = isWorking ? await sweepWorktrees(host, checkout, { days: 30 }) : first;
  const record = await openRecords(host, checkout.commonDir).read(NAME);
  if (record === undefined) expect(left, about).toEqual([]);
  // Complete, or listed for the user, who then decides.
  else {
    if (record.stage === 'made') expect(left, about).toEqual([]);
    else expect([action, left], about).toEqual(['discard', [{ name: NAME, reasons: expect.anything() }]]);
    const removal = await removeWorktree(host, checkout, NAME, { discard: action === 'discard' });
    expect(removal, about).toEqual({ kind: 'removed' });
  }
  const named = { name: NAME, branch: `worktree-${NAME}`, path: join(repo, '.claude', 'worktrees', NAME) };
  expect(await stage.leftOf({ ...EMPTY, ...named }), about).toEqual([]);
  expect(await stage.git(['worktree', 'list', '--porcelain']), about).not.toContain(NAME);
  expect(await stage.git(['fsck', '--no-dangling']).catch(String), about).toBe('');
  // The name is free again.
  if (action === 'make') {
    const made = await stage.make(NAME, { includeDirty: true });
    expect(await removeWorktree(host, checkout, NAME, { use: made.use }), about).toEqual({ kind: 'removed' });
    await made.use.release();
  }
}

async function gitsEnded({ host }: WorktreeStage, repo: string): Promise<void> {
  while ((await host.processes.workingIn(repo)).length > 0) await host.clock.sleep(5);
}

const EMPTY = {
  v: 1 as const,
  base: '',
  start: '',
  madeBy: 'git' as const,
  stage: 'made' as const,
  created: '',
  owner: { session: '' },
  from: '',
  placed: [],
  stashes: [],
};
