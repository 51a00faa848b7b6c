import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openWithWork } from './worktree-leaving-stage.js';
import { setRepository, WRITES } from './worktree-stage.js';

const CTRL_D = '\u0004';

it('WT-10: with work in it the user is asked; Enter keeps it, and shows where it is and how to get it', async () => {
  const stage = await setRepository(WRITES);
  const screen = await openWithWork(stage);
  screen.type(CTRL_D);
  await screen.until(/The worktree fix has changes\. Keep it\?\n {2}.*made\.txt/);
  await screen.until(/d {2}discard it\n\? $/m);
  screen.type('\r');
  expect(await screen.ended).toBe(0);
  expect(screen.text()).toMatch(/Kept worktree fix:/);
  expect(screen.text()).toMatch(/[^?\s]\s*$/);
  expect(screen.text()).toContain('(branch worktree-fix)');
  expect(screen.text()).toContain('coppice worktree apply fix');
  expect(screen.text()).toMatch(/coppice --worktree fix --resume [0-9a-f-]{36}/);
  expect(await readFile(stage.inWorktree('fix', 'made.txt'), 'utf8')).toBe('new\n');
});

it('WT-10: nothing changed: nothing is asked, and it is removed', async () => {
  const stage = await setRepository(WRITES);
  const screen = stage.screen(['--plain', '--worktree']);
  await screen.until(/\n> $/m);
  screen.type('/exit\r');
  expect(await screen.ended).toBe(0);
  expect(screen.text()).toMatch(/Removed worktree session-\w+: it had no changes\./);
  expect(stage.linked()).toEqual([]);
});
