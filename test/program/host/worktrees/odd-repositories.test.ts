import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkoutOf, filesIn, makeRepository, repositoryAt, traces } from './make-repository.js';

const FILE = ['-c', 'protocol.file.allow=always'];

describe('odd repositories', () => {
  it('WT-1: with submodules: they are left empty, and can be had there by git', async () => {
    const inner = await makeRepository({ 'x.txt': 'x\n' });
    const repository = await makeRepository();
    repository.git(...FILE, 'submodule', '--quiet', 'add', inner.top, 'sub');
    repository.commit();
    repository.git('config', 'submodule.recurse', 'true');
    const { record } = await repository.made();
    expect(Object.keys(await filesIn(record.path)).toSorted()).toEqual(['.gitmodules', 'a.txt']);
    expect(repository.gitIn(record.path, 'status', '--porcelain')).toBe('');
    repository.gitIn(record.path, ...FILE, 'submodule', '--quiet', 'update', '--init');
    expect(await readFile(join(record.path, 'sub/x.txt'), 'utf8')).toBe('x\n');
  });

  it('WT-1: with .claude as a submodule is refused before anything is made', async () => {
    const inner = await makeRepository();
    const repository = await makeRepository();
    repository.git(...FILE, 'submodule', '--quiet', 'add', inner.top, '.claude');
    repository.commit();
    const before = await traces(repository);
    expect(await repository.make()).toEqual({
      ok: false,
      reason: expect.stringContaining("is in submodule '.claude'"),
    });
    expect(await traces(repository)).toEqual(before);
  });

  it('WT-1: names with spaces, quotes and line breaks, and bytes that are not UTF-8', async () => {
    const repository = await makeRepository({ 'a b.txt': '1\n', 'quo"te.txt': '2\n', 'line\nbreak.txt': '3\n' });
    const { top, git } = repository;
    const latin = Buffer.concat([Buffer.from(`${top}/d`), Buffer.from([0xe9]), Buffer.from('j.txt')]);
    await writeFile(latin, 'old\n');
    repository.commit();
    await writeFile(latin, 'new\n');
    await writeFile(Buffer.concat([latin, Buffer.from('.new')]), 'new\n');
    await repository.write({ 'line\nbreak.txt': '4\n' });
    const { record } = await repository.made({ includeDirty: true });
    expect(git('diff', '--name-status', record.base, record.start).split('\n')).toEqual([
      'M\t"d\\351j.txt"',
      'A\t"d\\351j.txt.new"',
      'M\t"line\\nbreak.txt"',
    ]);
    expect(repository.gitIn(record.path, 'status', '--porcelain')).toBe('');
    const inside = Buffer.concat([Buffer.from(`${record.path}/d`), Buffer.from([0xe9]), Buffer.from('j.txt')]);
    expect(await readFile(inside, 'utf8')).toBe('new\n');
  });

  it('WT-1: a path with spaces works; one with a line break is refused', async () => {
    const repository = await makeRepository();
    const spaced = join(repository.top, '../my project ü');
    await rename(repository.top, spaced);
    const { record } = await repositoryAt(spaced, join(spaced, '..')).made({
      includeDirty: true,
      sparsePaths: ['a.txt'],
    });
    expect(await filesIn(record.path)).toEqual({ 'a.txt': 'one\n' });
    const broken = join(spaced, '../my\nproject');
    const other = await makeRepository();
    await rename(other.top, broken);
    await expect(checkoutOf(other.host.at(broken), broken)).rejects.toThrow('has a line break: move it elsewhere');
  });
});
