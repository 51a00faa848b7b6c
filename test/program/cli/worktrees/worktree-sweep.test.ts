/** WT-9: what nobody uses any more is cleared away after the first reply of the next session, if it holds no work. */

import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { runProgram, startProgram } from '../../../support/program.js';
import { until } from '../../../support/until.js';
import { BYPASS, notedGit, type Repository, setRepository, WRITES } from './worktree-stage.js';

const FOR_EVER = 600_000;
const DAY_MS = 86_400_000;
const SILENT: Rule = { reply: 'later', delay: { firstMs: FOR_EVER }, times: 1 };

/** A session in a worktree, killed while it waits for its first reply. */
async function killedIn(name: string): Promise<Repository> {
  const stage = await setRepository([SILENT, ...WRITES]);
  const running = startProgram(['-p', 'hi', '--worktree', name], stage.at);
  await stage.sim.received(1);
  running.child.kill('SIGKILL');
  await running.ended;
  expect(stage.git('worktree', 'list', '--porcelain')).toMatch(/^locked/m);
  return stage;
}

const recordOf = (stage: Repository, name: string) => join(stage.folder, '.git/coppice/worktrees', `${name}.json`);

async function changeRecord(stage: Repository, name: string, change: object): Promise<void> {
  const path = recordOf(stage, name);
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...change }));
}

async function makeOld(path: string, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  await utimes(path, then, then);
}

const next = (stage: Repository) => runProgram(['-p', 'talk', '--verbose'], stage.at);

it('WT-9: the locks of a process that died are gone after the next start; its worktree stays, it can be gone on with', async () => {
  const stage = await killedIn('fix');
  const end = await next(stage);
  expect(end, end.stderr).toMatchObject({ code: 0 });
  expect(stage.git('worktree', 'list', '--porcelain')).not.toMatch(/^locked/m);
  expect(existsSync(join(stage.folder, '.git/coppice/worktrees/fix.lock'))).toBe(false);
  expect(stage.linked()).toEqual(['fix']);
  expect(end.stderr).not.toContain('worktree');
});

it('WT-9, WT-14: one that a process left half-made is cleared away if it is empty, and named with its place if it is not', async () => {
  const stage = await killedIn('fix');
  await changeRecord(stage, 'fix', { stage: 'making' });
  await writeFile(stage.inWorktree('fix', 'work.txt'), 'somebody worked here');
  const kept = await next(stage);
  expect(kept.stderr).toMatch(/the worktree fix \(.*worktrees\/fix\) was left half-made.*kept: .*work\.txt/);
  expect(await readFile(stage.inWorktree('fix', 'work.txt'), 'utf8')).toBe('somebody worked here');
  await rm(stage.inWorktree('fix', 'work.txt'));
  const gone = await next(stage);
  expect(gone.stderr).toContain('removed the worktree fix: nobody works there, and nothing was in it');
  expect(stage.linked()).toEqual([]);
  expect(await stage.records()).toEqual([]);
  expect(stage.git('branch', '--list', 'worktree-*')).toBe('');
});

it('WT-9: after 30 days without use an empty one is removed; one with work is kept, and named once a day', async () => {
  const stage = await killedIn('fix');
  await next(stage);
  await makeOld(recordOf(stage, 'fix'), 29);
  await next(stage);
  expect(stage.linked()).toEqual(['fix']);
  await makeOld(recordOf(stage, 'fix'), 31);
  await writeFile(stage.inWorktree('fix', 'work.txt'), 'work');
  expect((await next(stage)).stderr).not.toContain('worktree');
  await makeOld(join(stage.env.COPPICE_HOME ?? '', 'cleaned-up'), 2);
  expect((await next(stage)).stderr).toMatch(/the worktree fix .* was not used for 30 days and is kept: .*work\.txt/);
  expect(existsSync(stage.inWorktree('fix', 'work.txt'))).toBe(true);
  await rm(stage.inWorktree('fix', 'work.txt'));
  await stage.settings({ cleanupPeriodDays: 0 });
  await next(stage);
  expect(stage.linked()).toEqual(['fix']);
  await stage.settings({});
  expect((await next(stage)).stderr).toContain('removed the worktree fix');
  expect(stage.linked()).toEqual([]);
});

it('WT-12, WT-9: changes that were being applied when a process died are put back by the next start, and that is told', async () => {
  const stage = await setRepository(WRITES);
  const git = join(stage.folder, '.git');
  const folder = join(git, 'coppice-apply-one');
  for (const made of [folder, join(git, 'coppice')]) await mkdir(made, { recursive: true });
  const cut = { v: 1, id: 'one', name: 'fix', top: stage.folder, folder, index: join(git, 'coppice-index-one') };
  const journal = join(git, 'coppice/applying-one.json');
  await writeFile(journal, JSON.stringify({ ...cut, stage: 'placing', steps: [], folders: [] }));
  // Also without --verbose: it is about the person's own files.
  const end = await runProgram(['-p', 'talk'], stage.at);
  expect(end.stderr).toContain(`Applying worktree fix to ${stage.folder} was cut off`);
  expect(existsSync(journal)).toBe(false);
});

it('WT-9: a worktree that somebody else made, and one that a live process uses, are left alone', async () => {
  const stage = await killedIn('fix');
  stage.git('worktree', 'add', '-q', '.claude/worktrees/theirs');
  stage.git('worktree', 'lock', '.claude/worktrees/theirs');
  stage.sim.use({ rules: [SILENT, ...WRITES] });
  const running = startProgram(['-p', 'hi', '--worktree', 'fix'], stage.at);
  await until(() => stage.sim.requests.length === 2, 'the second session is at work');
  await changeRecord(stage, 'fix', { stage: 'removing' });
  await makeOld(recordOf(stage, 'fix'), 31);
  const end = await next(stage);
  expect(end.stderr).not.toContain('worktree');
  expect(stage.linked().toSorted()).toEqual(['fix', 'theirs']);
  expect(stage.git('worktree', 'list', '--porcelain').match(/^locked/gm)).toHaveLength(2);
  running.child.kill('SIGKILL');
  await running.ended;
});

it('WT-9, SF-4: no git runs before the first reply, and none at all where there are no worktrees of ours', async () => {
  let replied = 0;
  const slow: Rule = {
    when: { user: /^slowly\b/m },
    reply: async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      replied = Date.now();
      return 'There.';
    },
  };
  const stage = await setRepository([slow, ...WRITES]);
  const { at, runs } = await notedGit(stage);
  await runProgram(['-p', 'talk'], at);
  await runProgram(['-p', 'talk', '--worktree', 'fix'], stage.at);
  await runProgram(['-p', 'talk'], at);
  expect(await runs()).toEqual([]);
  await runProgram(['-p', 'write it', '--worktree', 'fix', ...BYPASS], stage.at);
  await runProgram(['-p', 'slowly'], at);
  const [first = ''] = await runs();
  expect(Number(first.split(' ')[0])).toBeGreaterThanOrEqual(replied);
});
