/** WT-10 in a program: a session in a worktree, with others in it, with children in theirs, and what became of it. */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { branchesOf, listedWorktrees, setRepository, worktreeOf } from '../../../story/worktrees/worktree-stage.js';
import { expectAllAccepted } from '../../../support/story.js';

const CHILD: Rule[] = [
  { when: { user: 'the task of the child' }, reply: [{ tool: 'Bash', input: { command: 'echo made > child.txt' } }] },
  { when: { said: 'the task of the child', result: { tool: 'Bash' } }, reply: 'The child has worked.' },
  { when: { result: { tool: 'Agent' } }, reply: 'Done.' },
  {
    when: { user: 'delegate' },
    reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'the task of the child', isolation: 'worktree' } }],
  },
  { reply: 'Words.' },
];

it('WT-10: the library names the worktree and tells after close what became of it; the person can have it discarded', async () => {
  const stage = await setRepository(CHILD);
  const first = await stage.open({ worktree: 'one' });
  const path = join(stage.folder, '.claude/worktrees/one');
  expect(first.worktree).toMatchObject({ name: 'one', path, branch: 'worktree-one', left: undefined });
  expect(first.cwd).toBe(path);
  await first.close();
  expect(first.worktree?.left).toEqual({ outcome: 'removed', reasons: [] });
  const second = await stage.open({ worktree: 'one' });
  await writeFile(join(path, 'new.txt'), 'work');
  await second.close();
  expect(second.worktree?.left).toMatchObject({ outcome: 'kept', reasons: [expect.stringContaining('new.txt')] });
  expect(await second.worktree?.discard()).toEqual({ outcome: 'removed', reasons: [] });
  expect(listedWorktrees(stage)).toEqual([]);
  expect(branchesOf(stage)).toEqual(['main']);
});

it('WT-8, WT-10: two sessions of one process share it; the first to leave leaves it to the other', async () => {
  const stage = await setRepository(CHILD);
  const first = await stage.open({ worktree: 'one' });
  const second = await stage.open({ worktree: 'one' });
  await first.close();
  expect(first.worktree?.left).toMatchObject({ outcome: 'in-use' });
  expect(existsSync(second.cwd)).toBe(true);
  await second.close();
  expect(second.worktree?.left).toMatchObject({ outcome: 'removed' });
  const third = await stage.open({ worktree: 'one' });
  expect(existsSync(third.cwd)).toBe(true);
});

it('WT-10: the worktree of a child is made beside the one of its session; a session in a child’s worktree leaves it as it is', async () => {
  const stage = await setRepository(CHILD);
  const session = await stage.open({ worktree: 'one', permissionMode: 'bypassPermissions' });
  expect(await session.send('delegate')).toMatchObject({ reason: 'completed', text: 'Done.' });
  const child = worktreeOf(stage);
  expect(dirname(child.path)).toBe(join(stage.folder, '.claude/worktrees'));
  expect(existsSync(join(child.path, 'child.txt'))).toBe(true);
  await session.close();
  expect(session.worktree?.left).toMatchObject({ outcome: 'removed' });
  expect(listedWorktrees(stage)).toEqual([child.path]);
  const within = await stage.open({ worktree: child.name });
  expect(within.cwd).toBe(child.path);
  expect(within.worktree?.isAlwaysKept).toBe(true);
  await within.close();
  expect(within.worktree?.left).toMatchObject({ outcome: 'kept' });
  expect(listedWorktrees(stage)).toEqual([child.path]);
  expectAllAccepted(stage.sim);
});

it('WT-2, WT-3, WT-10: settings of the project say how it is made; without them it begins with what was committed', async () => {
  const stage = await setRepository(CHILD, { 'a/b.txt': 'one\n', 'c/d.txt': 'two\n' });
  await writeFile(join(stage.folder, 'dirty.txt'), 'uncommitted');
  const plain = await stage.open({ worktree: 'one' });
  expect(existsSync(join(plain.cwd, 'dirty.txt'))).toBe(false);
  await plain.close();
  await stage.settings({ worktree: { includeDirty: true } });
  const dirty = await stage.open({ worktree: 'two' });
  expect(existsSync(join(dirty.cwd, 'dirty.txt'))).toBe(true);
  await dirty.close();
  // What it began with is no change.
  expect(dirty.worktree?.left).toMatchObject({ outcome: 'removed' });
  await stage.settings({ worktree: { sparsePaths: ['c'] } });
  const sparse = await stage.open({ worktree: 'three' });
  expect([existsSync(join(sparse.cwd, 'a/b.txt')), existsSync(join(sparse.cwd, 'c/d.txt'))]).toEqual([false, true]);
});
