import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkoutOf,
  filesIn,
  makeRepository,
  type Repository,
  repositoryAt,
  traces,
} from '../../../program/host/worktrees/make-repository.js';

const FILE = ['-c', 'protocol.file.allow=always'];

describe('odd repositories', () => {
  it('WT-1: a submodule as the folder of the session has its own worktrees', async () => {
    const inner = await makeRepository({ 'x.txt': 'x\n' });
    const repository = await makeRepository();
    repository.git(...FILE, 'submodule', '--quiet', 'add', inner.top, 'sub');
    repository.commit();
    const sub = repositoryAt(join(repository.top, 'sub'), join(repository.top, '..'));
    await sub.write({ 'new.txt': 'new\n' });
    const { record } = await sub.made({ includeDirty: true, sparsePaths: ['x.txt', 'new.txt'] });
    expect(record.path).toBe(join(repository.top, 'sub/.claude/worktrees/agent-1a2b3c4d'));
    expect(record.gitDir).toBe(join(repository.top, '.git/modules/sub/worktrees/agent-1a2b3c4d'));
    expect(await filesIn(record.path)).toEqual({ 'x.txt': 'x\n', 'new.txt': 'new\n' });
    // The submodule itself still knows where its files are.
    expect(sub.git('status', '--porcelain')).toBe('?? new.txt');
  });

  it('WT-1: with LFS: pointers unless it is trusted; a filter that is not there is a line, and nothing is left', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n';
    const repository = await makeRepository({ 'a.bin': pointer, '.gitattributes': '*.bin filter=lfs -text\n' });
    const { git } = repository;
    git('config', 'filter.lfs.smudge', 'echo smudged #');
    git('config', 'filter.lfs.clean', 'cat');
    git('config', 'filter.lfs.required', 'true');
    const plain = await repository.made({ name: 'plain' }, { trusted: false });
    expect(await readFile(join(plain.record.path, 'a.bin'), 'utf8')).toBe(pointer);
    const smudged = await repository.made({ name: 'smudged' }, { trusted: true });
    expect(await readFile(join(smudged.record.path, 'a.bin'), 'utf8')).toBe('smudged\n');
    git('config', 'filter.lfs.smudge', 'no-such-program');
    const before = await traces(repository);
    const made = await repository.make({}, { trusted: true });
    expect(made).toEqual({
      ok: false,
      reason: expect.stringMatching(/^the files of .* can't be written: .*filter lfs failed/),
    });
    expect(await traces(repository)).toEqual(before);
  });

  it('WT-1: with a core.worktree elsewhere, and a git folder elsewhere', async () => {
    const repository = await makeRepository();
    const { top } = repository;
    const elsewhere = join(top, '../elsewhere');
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, 'a.txt'), 'elsewhere\n');
    repository.git('config', 'core.worktree', elsewhere);
    await expect(checkoutOf(repository.host, top)).rejects.toThrow(`${top} is not in the files of a checkout`);
    await writeFile(join(elsewhere, '.git'), `gitdir: ${join(top, '.git')}\n`);
    const moved = repositoryAt(elsewhere, join(top, '..'));
    const { record } = await moved.made({ includeDirty: true, sparsePaths: ['a.txt'] });
    expect(record.path).toBe(join(elsewhere, '.claude/worktrees/agent-1a2b3c4d'));
    expect(await filesIn(record.path)).toEqual({ 'a.txt': 'elsewhere\n' });
    // It is still the main checkout's alone.
    expect(moved.git('rev-parse', '--show-toplevel')).toBe(elsewhere);
    expect(moved.gitIn(record.path, 'rev-parse', '--show-toplevel')).toBe(record.path);
  });

  it('WT-2: with a rename in case only, committed and not', async () => {
    const repository = await makeRepository({ 'Readme.md': 'one\n', 'Other.md': 'two\n' });
    const { top, git } = repository;
    git('mv', 'Readme.md', 'README.md');
    repository.commit();
    await rename(join(top, 'Other.md'), join(top, 'OTHER.md'));
    // As in a repository that came from a machine where names differ in case only.
    git('config', 'core.ignoreCase', 'true');
    const { record } = await repository.made({ includeDirty: true });
    expect(await filesIn(record.path)).toEqual({ 'README.md': 'one\n', 'OTHER.md': 'two\n' });
  });

  it('WT-2: with line ends by attributes: files as git writes them, and nothing changed', async () => {
    const attributes = '*.txt text eol=crlf\n*.sh text eol=lf\n';
    const repository = await makeRepository({ 'a.txt': 'one\ntwo\n', 'b.sh': 'x\n', '.gitattributes': attributes });
    repository.git('config', 'core.autocrlf', 'true');
    await repository.write({ 'new.txt': 'three\r\n' });
    const { record } = await repository.made({ includeDirty: true });
    expect(await readFile(join(record.path, 'a.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
    expect(await readFile(join(record.path, 'b.sh'), 'utf8')).toBe('x\n');
    expect(await readFile(join(record.path, 'new.txt'), 'utf8')).toBe('three\r\n');
    expect(repository.git('cat-file', 'blob', `${record.start}:new.txt`)).toBe('three');
    expect(repository.gitIn(record.path, 'status', '--porcelain')).toBe('');
  });

  it('WT-1: a shallow clone', async () => {
    const repository = await makeRepository();
    await repository.write({ 'a.txt': 'two\n' });
    repository.commit();
    const shallow = clone(repository, '--depth=1');
    await shallow.write({ 'new.txt': 'new\n' });
    const { record } = await shallow.made({ includeDirty: true });
    expect(await filesIn(record.path)).toEqual({ 'a.txt': 'two\n', 'new.txt': 'new\n' });
  });

  it('WT-1: a partial clone fetches what it lacks if it is trusted, and is refused otherwise', async () => {
    const repository = await makeRepository({ 'a.txt': 'one\n', 'b/c.txt': 'two\n' });
    repository.git('config', 'uploadpack.allowFilter', 'true');
    const partial = clone(repository, '--filter=blob:none', '--no-checkout');
    const before = await traces(partial);
    expect(await partial.make({}, { trusted: false })).toEqual({
      ok: false,
      reason: expect.stringContaining('is a partial clone that lacks files of its last commit'),
    });
    expect(await traces(partial)).toEqual(before);
    const { record } = await partial.made({}, { trusted: true });
    expect(await filesIn(record.path)).toEqual({ 'a.txt': 'one\n', 'b/c.txt': 'two\n' });
    // Now that it has them, it can do without.
    await partial.made({ name: 'again' }, { trusted: false });
  });

  it('WT-1: a bare repository with worktrees next to it', async () => {
    const repository = await makeRepository();
    const layout = join(repository.top, '../layout');
    await mkdir(layout);
    repository.git('clone', '--quiet', '--bare', repository.top, join(layout, '.bare'));
    await writeFile(join(layout, '.git'), 'gitdir: ./.bare\n');
    await expect(checkoutOf(repository.host, layout)).rejects.toThrow('is a bare repository');
    repository.gitIn(layout, 'worktree', 'add', '--quiet', 'main');
    const main = repositoryAt(join(layout, 'main'), join(repository.top, '..'));
    const { record } = await main.made({ sparsePaths: ['a.txt'] });
    expect(record).toMatchObject({
      path: join(layout, 'main/.claude/worktrees/agent-1a2b3c4d'),
      gitDir: join(layout, '.bare/worktrees/agent-1a2b3c4d'),
    });
    expect(main.git('status', '--porcelain')).toBe('');
    expect(repository.gitIn(layout, 'rev-parse', '--is-bare-repository')).toBe('true');
  });

  it('WT-1: a long history, object ids of the other kind, no branch, and variables of git that lead elsewhere', async () => {
    const repository = await makeRepository({});
    const { top } = repository;
    await rm(join(top, '.git'), { recursive: true });
    repository.git('init', '--quiet', '--object-format=sha256');
    const commits = Array.from({ length: 2_000 }, (_, n) => [
      `commit refs/heads/main\ncommitter A <a@b> ${n} +0000\ndata 1\nx`,
      `M 644 inline f${n % 50}.txt\ndata ${String(n).length}\n${n}\n`,
    ]);
    const env = { PATH: process.env.PATH };
    execFileSync('git', ['fast-import', '--quiet'], { cwd: top, env, input: `${commits.flat().join('\n')}\ndone\n` });
    repository.git('checkout', '--quiet', '--force', '--detach', 'main~10');
    const elsewhere = {
      ...repository.host,
      env: { ...repository.host.env, GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere' },
    };
    const { record } = await repository.made({ includeDirty: true }, { host: elsewhere });
    expect(record.start).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.keys(await filesIn(record.path))).toHaveLength(50);
    expect(await readFile(join(record.path, 'f39.txt'), 'utf8')).toBe('1989');
    expect(repository.gitIn(record.path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/worktree-agent-1a2b3c4d');
  });
});

/** A clone next to it, made by git with these options. */
function clone(repository: Repository, ...options: readonly string[]): Repository {
  const top = join(repository.top, '../clone');
  repository.git(...FILE, 'clone', '--quiet', ...options, `file://${repository.top}`, top);
  return repositoryAt(top, join(repository.top, '..'));
}
