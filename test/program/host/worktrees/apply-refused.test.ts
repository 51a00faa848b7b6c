/** When the work of an agent can't come back whole, the checkout is left exactly as it was (WT-12, failure 37). */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changesOf, expectRefused, LINES, setApplyStage } from './apply-stage.js';

describe('WT-12 apply: conflicts', () => {
  it('WT-12, failure 37: the same place of a dirty file: shown with both versions; files, index, HEAD and refs are as they were', async () => {
    const stage = await setApplyStage({ before: (repo) => repo.write('f', LINES.replace('two', 'overlay')) });
    const { child, repo } = stage;
    await child.write('f', LINES.replace('two', 'theirs'));
    await child.write('new', 'would be fine\n');
    await repo.write('f', LINES.replace('two', 'mine'));
    const applied = await expectRefused(stage, /^1 file conflicts with what is in .*: nothing was changed$/);
    expect(applied).toMatchObject({
      conflicts: [
        {
          path: 'f',
          why: 'CONFLICT (content): Merge conflict in f',
          hunks: ['<<<<<<< this checkout\nmine\n=======\ntheirs\n>>>>>>> worktree agent-1a2b3c4d'],
        },
      ],
    });
  });

  it('WT-12: deleted here and changed there, binary on both sides, a new file of other content', async () => {
    const stage = await setApplyStage({ before: (repo) => repo.write('b', Buffer.from([0, 1])) });
    const { child, repo } = stage;
    await child.write('g', 'theirs\n');
    await child.write('b', Buffer.from([0, 2]));
    await child.write('new', 'theirs\n');
    await repo.remove('g');
    await repo.write('b', Buffer.from([0, 3]));
    await repo.write('new', 'mine\n');
    const applied = await expectRefused(stage, /^3 files conflict/);
    const conflicts = applied.ok ? [] : (applied.conflicts ?? []);
    expect(conflicts.map(({ path }) => path).sort()).toEqual(['b', 'g', 'new']);
    expect(conflicts.find(({ path }) => path === 'g')?.why).toBe(
      'CONFLICT (modify/delete): g deleted in this checkout and modified in worktree agent-1a2b3c4d.',
    );
    expect(conflicts.find(({ path }) => path === 'new')?.hunks).toEqual([
      '<<<<<<< this checkout\nmine\n=======\ntheirs\n>>>>>>> worktree agent-1a2b3c4d',
    ]);
  });
});

describe('WT-12 apply: obstacles', () => {
  it('WT-12: another repository inside the checkout is not written into', async () => {
    const stage = await setApplyStage();
    execFileSync('git', ['init', '-q', join(stage.repo.path, 'nested')]);
    await stage.child.write('nested/file', 'theirs\n');
    await expectRefused(stage, /nested\/file would be in nested, which is a separate repository/);
  });

  it.each([
    ['a merge', 'MERGE_HEAD'],
    ['a rebase', 'rebase-merge'],
    ['a cherry-pick', 'CHERRY_PICK_HEAD'],
  ])('WT-12: %s in progress in the checkout', async (what, file) => {
    const stage = await setApplyStage();
    await stage.child.write('g', 'theirs\n');
    await writeFile(join(stage.repo.path, '.git', file), `${stage.record.base}\n`);
    await expectRefused(stage, new RegExp(`is in the middle of ${what}: finish or abort it first`));
  });

  it('WT-12: a file marked by hand so that git ignores its changes', async () => {
    const stage = await setApplyStage();
    const { child, repo } = stage;
    await child.write('g', 'theirs\n');
    repo.git('update-index', '--assume-unchanged', 'g');
    await repo.write('g', 'mine, and git does not see it\n');
    await expectRefused(stage, /g is marked assume-unchanged/);
    repo.git('update-index', '--no-assume-unchanged', 'g');
    repo.git('update-index', '--skip-worktree', 'g');
    await expectRefused(stage, /g is outside this sparse checkout/);
  });

  it('WT-12: a folder that git no longer takes for the worktree: not its branch alone, as if that were all', async () => {
    const stage = await setApplyStage();
    await stage.child.write('g', 'uncommitted\n');
    await writeFile(join(stage.child.path, '.git'), 'gitdir: /nowhere\n');
    await expectRefused(stage, /worktree agent-1a2b3c4d .* can't be inspected: .*git worktree repair/);
  });
});

describe('WT-12 apply: concurrent changes', () => {
  it('WT-12: while the agent still writes, its state now; files that come and go are no failure', async () => {
    const stage = await setApplyStage();
    await stage.child.write('g', 'theirs\n');
    let isDone = false;
    const busy = (async () => {
      for (let round = 0; !isDone; round += 1) {
        writeFileSync(join(stage.child.path, `temporary-${round % 3}`), String(round));
        await new Promise((resolve) => setTimeout(resolve, 1));
        await rm(join(stage.child.path, `temporary-${(round + 1) % 3}`), { force: true });
      }
    })();
    const applied = await stage.apply();
    isDone = true;
    await busy;
    expect(changesOf(applied)).toMatchObject({ g: 'changed' });
  });
});
