/** Many worktrees of one repository at once, made and removed, in one process and by several (WT-5, failures 39, 34). */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { removeWorktree } from '../../../../src/host/worktrees/remove-worktree.js';
import { WorktreeLeases } from '../../../../src/host/worktrees/worktree-leases.js';
import { bundle } from '../../../support/bundle.js';
import { scratchFolder } from '../../../support/scratch.js';
import { type WorktreeStage, worktreeStage } from '../../../support/worktree-stage.js';

const run = promisify(execFile);
/** 10 with KILLS=all. */
const ROUNDS = process.env.KILLS === 'all' ? 10 : 2;

function names(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `agent-${String(from + index).padStart(8, '0')}`);
}

async function registered(stage: WorktreeStage): Promise<number> {
  return (await stage.git(['worktree', 'list'])).split('\n').length - 1;
}

async function expectNothingLeft(stage: WorktreeStage, own: readonly string[]): Promise<void> {
  expect(await registered(stage)).toBe(0);
  expect(await stage.git(['for-each-ref', 'refs/heads/worktree-*'])).toBe('');
  expect(await stage.ownState()).toEqual(own);
  expect(await stage.git(['fsck', '--no-dangling']).catch(String)).toBe('');
}

describe('WT-5: many at once on one repository', () => {
  it('WT-5, failures 39: 20 made together and settled together, again and again', async () => {
    const stage = await worktreeStage();
    const own = await stage.ownState();
    const { commonDir } = stage.checkout;
    for (let round = 0; round < ROUNDS; round += 1) {
      const leases = new WorktreeLeases(stage.host);
      await Promise.all(names(20).map(async (name) => leases.adopt(stage.checkout, await stage.make(name), name)));
      expect(await registered(stage)).toBe(20);
      const settled = await Promise.all(names(20).map((name) => leases.release(commonDir, name, name, 'settle')));
      expect(settled).toEqual(Array(20).fill({ outcome: 'removed', reasons: [] }));
      await expectNothingLeft(stage, own);
    }
  });

  it('WT-5, failures 34, 39: 20 made by 4 processes together, and removed by 4 others', async () => {
    const stage = await worktreeStage();
    const own = await stage.ownState();
    const program = await bundle(
      new URL('../../../program/host/worktrees/ending/worktree-actor.ts', import.meta.url),
      await scratchFolder(),
    );
    const each = (action: string, of: (process: number) => readonly string[]) =>
      Promise.all(
        [0, 1, 2, 3].map(async (index) => {
          const args = [program, action, stage.repo, of(index).join(',')];
          return JSON.parse((await run(process.execPath, args, { env: stage.env })).stdout) as { kind: string }[];
        }),
      );
    const made = await each('make-many', (index) => names(5, index * 5));
    expect(made.flat()).toEqual(Array(20).fill({ kind: 'made' }));
    expect(await registered(stage)).toBe(20);
    // Each is asked for by two of them: one removes it, and the other finds it in use or gone.
    const removed = await each('remove-many', (index) => names(10, (index % 2) * 10));
    const kinds = removed.flat().map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'removed')).toHaveLength(20);
    expect(removed.flat().filter(({ kind }) => kind === 'kept')).toEqual(
      Array(kinds.filter((kind) => kind === 'kept').length).fill({
        kind: 'kept',
        reasons: [expect.stringMatching(/^it is in use: held by process \d+ since /)],
      }),
    );
    await expectNothingLeft(stage, own);
  });

  it('WT-5: the same name asked for at once is made once; removed at once, removed once', async () => {
    const stage = await worktreeStage();
    const [name = ''] = names(1);
    const made = await Promise.allSettled(Array.from({ length: 5 }, () => stage.make(name)));
    const [first] = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await first?.use.release();
    const removals = await Promise.all(
      Array.from({ length: 5 }, () => removeWorktree(stage.host, stage.checkout, name)),
    );
    expect(removals.filter(({ kind }) => kind === 'removed')).toHaveLength(1);
  });
});
