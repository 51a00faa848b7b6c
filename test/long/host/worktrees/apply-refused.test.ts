/** When the work of an agent can't come back whole, the checkout is left exactly as it was (WT-12, failure 37). */

import { execFileSync } from 'node:child_process';
import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyWorktree } from '../../../../src/host/worktrees/apply-worktree.js';
import {
  changesOf,
  checkoutOf,
  expectRefused,
  LINES,
  setApplyStage,
  treeAt,
} from '../../../program/host/worktrees/apply-stage.js';

describe('WT-12 apply: conflicts', () => {
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

  it('WT-12: unmerged files in the checkout, another git running in it, the agent in the middle of a merge', async () => {
    const stage = await setApplyStage();
    const { child, repo } = stage;
    await child.write('g', 'theirs\n');
    const lock = join(repo.path, '.git', 'index.lock');
    await writeFile(lock, '');
    await expectRefused(stage, /another git is running in .*index\.lock/);
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
  it('WT-12: two at once: one after the other, and the second has nothing to do', async () => {
    const stage = await setApplyStage();
    await stage.child.write('g', 'theirs\n');
    const both = await Promise.all([stage.apply(), stage.apply()]);
    expect(both.map(changesOf)).toEqual([{ g: 'changed' }, {}]);
  });
});
