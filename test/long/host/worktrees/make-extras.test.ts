import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LINE, linesOf } from '../../../program/host/worktrees/make-extras-stage.js';
import { filesIn, makeRepository } from '../../../program/host/worktrees/make-repository.js';
import { scratchFolder } from '../../../support/scratch.js';

describe('the folder of worktrees', () => {
  it('WT-1: the line is not written through a link, of the file or of its folder; a note reports it', async () => {
    const outside = join(await scratchFolder(), 'exclude');
    await writeFile(outside, 'theirs\n');
    for (const path of ['info/exclude', 'info']) {
      const repository = await makeRepository();
      await rm(join(repository.top, '.git', path), { recursive: true });
      await symlink(path === 'info' ? join(outside, '..') : outside, join(repository.top, '.git', path));
      const { notes } = await repository.made();
      expect(notes).toEqual([expect.stringContaining(`git shows ${LINE} as untracked`)]);
      expect(await readFile(outside, 'utf8')).toBe('theirs\n');
    }
    const bare = await makeRepository();
    await rm(join(bare.top, '.git/info'), { recursive: true });
    expect((await bare.made()).notes).toEqual([]);
    expect(await linesOf(bare)).toEqual([LINE]);
  });
});

describe('worktree.sparsePaths', () => {
  const files = {
    'top.txt': '1\n',
    'a/one.txt': '1\n',
    'a/deep/two.txt': '2\n',
    'b/three.txt': '3\n',
    'c/[id]/four.txt': '4\n',
    'c/i/five.txt': '5\n',
  };

  it('WT-3: single files and patterns are checked out as they are named', async () => {
    const repository = await makeRepository(files);
    const { record } = await repository.made({ sparsePaths: ['a/one.txt', 'c/[id]', 'b/t*'] });
    expect(Object.keys(await filesIn(record.path)).toSorted()).toEqual(['a/one.txt', 'b/three.txt', 'c/[id]/four.txt']);
    expect(record.sparse).toEqual(['a/one.txt', 'c/[id]', 'b/t*']);
  });

  it('WT-3: a worktree of a sparse checkout is as sparse, and reports it', async () => {
    const repository = await makeRepository(files);
    repository.git('sparse-checkout', 'set', 'b');
    await repository.write({ 'b/new.txt': 'new\n' });
    const { record } = await repository.made({ includeDirty: true });
    expect(Object.keys(await filesIn(record.path)).toSorted()).toEqual(['b/new.txt', 'b/three.txt', 'top.txt']);
    expect(record.sparse).toEqual(['b']);
    // What is not checked out is still in the tree.
    expect(repository.git('diff', '--name-status', record.base, record.start)).toBe('A\tb/new.txt');
  });
});

describe('worktree.symlinkDirectories', () => {
  it('WT-3: a folder that comes with the changes is not replaced by a link', async () => {
    const repository = await makeRepository();
    await repository.write({ 'lib/x.txt': 'x\n' });
    const { record, notes } = await repository.made({ includeDirty: true, symlinkDirectories: ['lib'] });
    expect(record.placed).toEqual([]);
    expect(notes).toEqual(['lib was not linked: it is there already']);
    expect(await filesIn(record.path)).toEqual({ 'a.txt': 'one\n', 'lib/x.txt': 'x\n' });
    expect(await linesOf(repository)).toEqual([LINE]);
  });
});
