/** When the work of an agent can't come back whole, the checkout is left exactly as it was (WT-12, failure 37). */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyWorktree } from '../../../../src/host/worktrees/apply-worktree.js';
import { changesOf, checkoutOf, expectRefused, LINES, setApplyStage, treeAt } from './apply-stage.js';

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

  it('WT-12: a program that the repository names for merging runs only where it is trusted', async () => {
    const driver = async (trusted: boolean) => {
      const stage = await setApplyStage({
        trusted,
        before: async (repo) => {
          await repo.write('.gitattributes', 'f merge=own\n');
          repo.commit();
          repo.git('config', 'merge.own.driver', `touch ${join(repo.path, '.git', 'ran')}; cp %B %A`);
        },
      });
      await stage.child.write('f', LINES.replace('two', 'theirs'));
      await stage.repo.write('f', LINES.replace('nine', 'mine'));
      return stage;
    };
    const untrusted = await driver(false);
    await expectRefused(untrusted, /1 file conflicts/);
    await expect(readFile(join(untrusted.repo.path, '.git', 'ran'))).rejects.toThrow('ENOENT');
    expect(changesOf(await (await driver(true)).apply())).toEqual({ f: 'changed' });
  });
});

describe('WT-12 apply: obstacles', () => {
  it('WT-12: an ignored file of the same name, or in a folder that a file takes the place of', async () => {
    const stage = await setApplyStage();
    const { child, repo } = stage;
    await child.write('secret', 'theirs\n');
    await repo.write('.git/info/exclude', 'secret\n');
    child.git('add', '-f', 'secret');
    await repo.write('secret', 'mine, and in no commit\n');
    await expectRefused(stage, /secret is new there, but it already exists here as an ignored file/);
    await repo.remove('secret');
    await repo.write('secret/inner', 'mine\n');
    await expectRefused(stage, /secret is new there, and secret\/inner is in the way/);
    await repo.remove('secret');
    await child.remove('folder');
    await child.write('folder', 'a file\n');
    await repo.write('folder/x.ignored', 'mine\n');
    await expectRefused(stage, /folder\/x\.ignored is in the way/);
    await repo.remove('folder/x.ignored');
    await child.write('y.ignored/below', 'theirs\n');
    child.git('add', '-f', 'y.ignored/below');
    await repo.link('y.ignored', '/tmp');
    await expectRefused(stage, /y\.ignored\/below is new there, and y\.ignored is in the way/);
    await repo.remove('y.ignored');
    expect(changesOf(await stage.apply())).toMatchObject({
      folder: 'added',
      secret: 'added',
      'y.ignored/below': 'added',
    });
  });

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

  it('WT-12: unmerged files in the checkout, another git running in it, the agent in the middle of a merge', async () => {
    const stage = await setApplyStage();
    const { child, repo } = stage;
    await child.write('g', 'theirs\n');
    const lock = join(repo.path, '.git', 'index.lock');
    await writeFile(lock, '');
    await expectRefused(stage, /another git works in .*index\.lock/);
    await unlink(lock);
    const merge = join(stage.record.gitDir ?? '', 'MERGE_HEAD');
    await writeFile(merge, `${stage.record.base}\n`);
    await expectRefused(stage, /worktree agent-1a2b3c4d is in the middle of a merge/);
    await unlink(merge);
    const blob = repo.git('hash-object', '-w', 'f').trim();
    execFileSync('git', ['-C', repo.path, 'update-index', '--index-info'], {
      input: `0 ${'0'.repeat(40)}\tf\n100644 ${blob} 1\tf\n100644 ${blob} 2\tf\n`,
    });
    await expectRefused(stage, /has files with conflicts \(f\): resolve them first/);
  });

  it('WT-12: paths outside a sparse checkout, changed, deleted or new; the others arrive', async () => {
    const stage = await setApplyStage({
      before: async (repo) => {
        await repo.write('in/a', 'a\n');
        await repo.write('out/b', 'b\n');
        repo.commit();
      },
    });
    const { child, repo } = stage;
    repo.git('sparse-checkout', 'set', 'in');
    await child.write('out/b', 'theirs\n');
    await expectRefused(stage, /out\/b is outside this sparse checkout: .*git sparse-checkout add out/);
    await child.remove('out/b');
    await expectRefused(stage, /out\/b is outside this sparse checkout/);
    child.git('checkout', 'out/b');
    await child.write('out/new', 'theirs\n');
    await expectRefused(stage, /out\/new is outside this sparse checkout/);
    await child.remove('out/new');
    await child.write('in/a', 'theirs\n');
    await child.write('in/new', 'theirs\n');
    expect(changesOf(await stage.apply())).toEqual({ 'in/a': 'changed', 'in/new': 'added' });
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

  it('WT-12: a submodule that points elsewhere is not brought', async () => {
    const stage = await setApplyStage({
      before: async (repo) => {
        repo.git('update-index', '--add', '--cacheinfo', `160000,${repo.git('rev-parse', 'HEAD').trim()},sub`);
        repo.git('commit', '-qm', 'with a submodule');
        await mkdir(join(repo.path, 'sub'));
      },
    });
    const { child, repo } = stage;
    child.git('update-index', '--cacheinfo', `160000,${repo.git('rev-parse', 'HEAD').trim()},sub`);
    child.git('commit', '-qm', 'moved');
    await child.write('g', 'theirs\n');
    await expectRefused(stage, /it changes the submodule sub: merge the branch with git itself/);
  });

  it('WT-12: a folder that git no longer takes for the worktree: not its branch alone, as if that were all', async () => {
    const stage = await setApplyStage();
    await stage.child.write('g', 'uncommitted\n');
    await writeFile(join(stage.child.path, '.git'), 'gitdir: /nowhere\n');
    await expectRefused(stage, /worktree agent-1a2b3c4d .* can't be inspected: .*git worktree repair/);
  });

  it('WT-12: names that are no names, worktrees that are not there, the worktree itself', async () => {
    const { host, target, child } = await setApplyStage();
    expect(await applyWorktree(host, target, '../x')).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/can't be the name/),
    });
    expect(await applyWorktree(host, target, 'unknown')).toEqual({
      ok: false,
      reason: 'there is no worktree unknown in this repository',
    });
    expect(await applyWorktree(host, await checkoutOf(host, child.path), 'agent-1a2b3c4d')).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/is that worktree itself/),
    });
  });

  it('WT-12: into another worktree of the repository, whose own index is not touched either', async () => {
    const { host, repo, child } = await setApplyStage();
    const other = treeAt(join(repo.path, '..', 'other'));
    repo.git('worktree', 'add', '-q', other.path);
    await child.write('g', 'theirs\n');
    const applied = await applyWorktree(host, await checkoutOf(host, other.path), 'agent-1a2b3c4d');
    expect(changesOf(applied)).toEqual({ g: 'changed' });
    expect(await other.read('g')).toBe('theirs\n');
    expect(await repo.read('g')).toBe('g\n');
    expect(other.git('status', '--porcelain')).toBe(' M g\n');
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

  it('WT-12: two at once: one after the other, and the second has nothing to do', async () => {
    const stage = await setApplyStage();
    await stage.child.write('g', 'theirs\n');
    const both = await Promise.all([stage.apply(), stage.apply()]);
    expect(both.map(changesOf)).toEqual([{ g: 'changed' }, {}]);
  });
});
