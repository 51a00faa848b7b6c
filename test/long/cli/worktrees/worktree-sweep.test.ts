/** WT-9: what nobody uses any more is cleared away after the first reply of the next session, if it holds no work. */

import { existsSync } from 'node:fs';
import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Repository, WRITES } from '../../../program/cli/worktrees/worktree-stage.js';
import { killedIn, next, SILENT } from '../../../program/cli/worktrees/worktree-sweep-stage.js';
import { startProgram } from '../../../support/program.js';
import { until } from '../../../support/until.js';

const DAY_MS = 86_400_000;

const recordOf = (stage: Repository, name: string) => join(stage.folder, '.git/coppice/worktrees', `${name}.json`);

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

async function changeRecord(stage: Repository, name: string, change: object): Promise<void> {
  const path = recordOf(stage, name);
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...change }));
}

async function makeOld(path: string, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  await utimes(path, then, then);
}
