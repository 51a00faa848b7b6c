/** WT-9: what nobody uses any more is cleared away after the first reply of the next session, if it holds no work. */

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { runProgram } from '../../../support/program.js';
import { BYPASS, notedGit, setRepository, WRITES } from './worktree-stage.js';
import { killedIn, next } from './worktree-sweep-stage.js';

it('WT-9: the locks of a process that died are gone after the next start; its worktree stays, it can be gone on with', async () => {
  const stage = await killedIn('fix');
  const end = await next(stage);
  expect(end, end.stderr).toMatchObject({ code: 0 });
  expect(stage.git('worktree', 'list', '--porcelain')).not.toMatch(/^locked/m);
  expect(existsSync(join(stage.folder, '.git/coppice/worktrees/fix.lock'))).toBe(false);
  expect(stage.linked()).toEqual(['fix']);
  expect(end.stderr).not.toContain('worktree');
});

it('WT-12, WT-9: changes that were being applied when a process died are put back by the next start, and that is reported', async () => {
  const stage = await setRepository(WRITES);
  const git = join(stage.folder, '.git');
  const folder = join(git, 'coppice-apply-one');
  for (const made of [folder, join(git, 'coppice')]) await mkdir(made, { recursive: true });
  const cut = { v: 1, id: 'one', name: 'fix', top: stage.folder, folder, index: join(git, 'coppice-index-one') };
  const journal = join(git, 'coppice/applying-one.json');
  await writeFile(journal, JSON.stringify({ ...cut, stage: 'placing', steps: [], folders: [] }));
  // Also without --verbose: it is about the user's own files.
  const end = await runProgram(['-p', 'talk'], stage.at);
  expect(end.stderr).toContain(`Applying worktree fix to ${stage.folder} was cut off`);
  expect(existsSync(journal)).toBe(false);
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
