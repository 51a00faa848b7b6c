/** What the tests of worktree-sweep.test.ts share with those of test:long. */

import { expect } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { runProgram, startProgram } from '../../../support/program.js';
import { type Repository, setRepository, WRITES } from './worktree-stage.js';

export const FOR_EVER = 600_000;

export const SILENT: Rule = { reply: 'later', delay: { firstMs: FOR_EVER }, times: 1 };

/** A session in a worktree, killed while it waits for its first reply. */
export async function killedIn(name: string): Promise<Repository> {
  const stage = await setRepository([SILENT, ...WRITES]);
  const running = startProgram(['-p', 'hi', '--worktree', name], stage.at);
  await stage.sim.received(1);
  running.child.kill('SIGKILL');
  await running.ended;
  expect(stage.git('worktree', 'list', '--porcelain')).toMatch(/^locked/m);
  return stage;
}

export const next = (stage: Repository) => runProgram(['-p', 'talk', '--verbose'], stage.at);
