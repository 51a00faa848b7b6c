/** WT-10: leaving an interactive session in a worktree, at a real terminal. */

import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openWithWork } from '../../../program/cli/worktrees/worktree-leaving-stage.js';
import { BYPASS, setRepository, WRITES } from '../../../program/cli/worktrees/worktree-stage.js';
import { until } from '../../../support/until.js';

const CTRL_C = '\u0003';

it('WT-10: discarding needs a second, whole yes; then it is gone with its branch', async () => {
  const stage = await setRepository(WRITES);
  const first = await openWithWork(stage);
  first.type('/exit\r');
  await first.until(/\n\? $/m);
  first.type('what\r');
  await first.until(/not one of the choices[\s\S]*\n\? $/m);
  first.type('d\r');
  await first.until(/Are you sure\?[\s\S]*\n\? $/m);
  first.type('y\r');
  expect(await first.ended).toBe(0);
  expect(first.text()).toContain('Kept worktree fix:');
  expect(existsSync(stage.inWorktree('fix', 'made.txt'))).toBe(true);
  const second = stage.screen(['--plain', '--worktree', 'fix']);
  await second.until(/\n> $/m);
  second.type('/exit\r');
  await second.until(/\n\? $/m);
  second.type('d\r');
  await second.until(/Are you sure\?[\s\S]*\n\? $/m);
  second.type('yes\r');
  expect(await second.ended).toBe(0);
  expect(second.text()).toContain('Discarded worktree fix.');
  expect(stage.linked()).toEqual([]);
  expect(await stage.records()).toEqual([]);
  expect(stage.git('branch', '--list', 'worktree-*')).toBe('');
});

it('WT-10: Ctrl+C twice, also at the question, and a closed terminal keep it without an answer', async () => {
  const stage = await setRepository(WRITES);
  const first = await openWithWork(stage);
  first.type(CTRL_C);
  await first.until('press Ctrl+C again');
  first.type(CTRL_C);
  expect(await first.ended).toBe(130);
  expect(first.text()).not.toContain('discard it\n');
  expect(first.text()).toMatch(/Kept worktree fix/);

  const second = stage.screen(['--plain', '--worktree', 'fix']);
  await second.until(/\n> $/m);
  second.type('/exit\r');
  await second.until(/\n\? $/m);
  second.type(CTRL_C);
  await second.until('press Ctrl+C again');
  second.type(CTRL_C);
  expect(await second.ended).toBe(130);

  const third = stage.screen(['--plain', '--worktree', 'fix']);
  await third.until(/\n> $/m);
  third.type('/exit\r');
  await third.until(/\n\? $/m);
  third.type('d\r');
  await third.until(/Are you sure\?[\s\S]*\n\? $/m);
  third.process.kill('SIGHUP');
  await third.ended;
  expect(await readFile(stage.inWorktree('fix', 'made.txt'), 'utf8')).toBe('new\n');
  expect(stage.linked()).toEqual(['fix']);
});

it('WT-10: /branch continues in the same worktree, which stays until the last of its sessions is left', async () => {
  const stage = await setRepository(WRITES);
  const screen = stage.screen(['--plain', '--worktree', 'fix', ...BYPASS]);
  await screen.until(/> $/m);
  screen.type('talk\r');
  await screen.until(/Only words\.\n.*> $/m);
  screen.type('/branch\r');
  await screen.until(/(?:Coppice [\s\S]*){2}> $/m);
  expect(await realpath(stage.inWorktree('fix'))).toBe(stage.inWorktree('fix'));
  screen.type('write it\r');
  await screen.until(/It is written\.\n.*> $/m);
  expect(await readFile(stage.inWorktree('fix', 'made.txt'), 'utf8')).toBe('new\n');
  screen.type('/exit\r');
  await screen.until(/\n\? $/m);
  screen.type('k\r');
  expect(await screen.ended).toBe(0);
  await until(() => !existsSync(`${stage.folder}/.git/coppice/worktrees/fix.lock`), 'nobody holds it');
});

it('WT-10: --resume without an id offers the sessions of that worktree, also when it was removed', async () => {
  const stage = await setRepository(WRITES);
  const first = stage.screen(['--plain', '--worktree', 'fix', 'words of the worktree']);
  await first.until(/Only words\.\n> $/m);
  first.type('/exit\r');
  expect(await first.ended).toBe(0);
  expect(stage.linked()).toEqual([]);
  const second = stage.screen(['--plain', '--worktree', 'fix', '--resume']);
  await second.until(/1 {2}.*words of the worktree\n[\s\S]*\? $/m);
  second.type('1\r');
  await second.until(/\n> $/m);
  expect(stage.linked()).toEqual(['fix']);
  second.type('/exit\r');
  expect(await second.ended).toBe(0);
});
