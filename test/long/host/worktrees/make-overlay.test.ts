import { chmod, mkdir, readdir, readlink, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn, makeRepository, traces } from '../../../program/host/worktrees/make-repository.js';

describe("the parent's uncommitted changes", () => {
  it('WT-2: changed, staged, untracked, deleted, modes and links are its first commit; ignored ones are not', async () => {
    const repository = await makeRepository({
      'changed.txt': 'old\n',
      'staged.txt': 'old\n',
      'both.txt': 'old\n',
      'deleted.txt': 'old\n',
      'removed.txt': 'old\n',
      'run.sh': 'echo\n',
      'folder/file.txt': 'old\n',
      'file-to-folder': 'old\n',
      'linked/file.txt': 'old\n',
      'kept.txt': 'kept\n',
      '.gitignore': '*.log\n',
    });
    const { top, git } = repository;
    const base = git('rev-parse', 'HEAD');
    await repository.write({ 'staged.txt': 'new\n', 'both.txt': 'staged\n', 'staged-new.txt': 'new\n' });
    git('add', 'staged.txt', 'both.txt', 'staged-new.txt');
    await repository.write({ 'changed.txt': 'new\n', 'both.txt': 'new\n', 'new/deep.txt': 'new\n', 'x.log': 'x\n' });
    await repository.write({ 'intended.txt': 'new\n', 'intended-gone.txt': 'new\n' });
    git('add', '--intent-to-add', 'intended.txt', 'intended-gone.txt');
    git('rm', '--quiet', 'removed.txt');
    for (const gone of ['deleted.txt', 'intended-gone.txt', 'file-to-folder']) await rm(join(top, gone));
    for (const gone of ['folder', 'linked']) await rm(join(top, gone), { recursive: true });
    await repository.write({ 'file-to-folder/file.txt': 'new\n', folder: 'a file\n' });
    await symlink('new', join(top, 'linked'));
    await chmod(join(top, 'run.sh'), 0o755);
    const index = git('ls-files', '--stage', '--debug');
    const before = git('status', '--porcelain');

    const { record } = await repository.made({ includeDirty: true });
    expect(await filesIn(record.path)).toEqual({
      'changed.txt': 'new\n',
      'staged.txt': 'new\n',
      'both.txt': 'new\n',
      'staged-new.txt': 'new\n',
      'new/deep.txt': 'new\n',
      'intended.txt': 'new\n',
      'run.sh': 'echo\n',
      'file-to-folder/file.txt': 'new\n',
      folder: 'a file\n',
      linked: '(link)',
      'kept.txt': 'kept\n',
      '.gitignore': '*.log\n',
    });
    expect(await readlink(join(record.path, 'linked'))).toBe('new');
    expect((await stat(join(record.path, 'run.sh'))).mode & 0o111).toBe(0o111);
    expect(record.base).toBe(base);
    expect(git('rev-parse', `${record.start}^`, record.branch)).toBe(`${base}\n${record.start}`);
    expect(git('log', '-1', '--format=%an <%ae> %s', record.start)).toBe(
      'Ann <ann@example.org> Uncommitted changes at the start of agent-1a2b3c4d',
    );
    expect(repository.gitIn(record.path, 'status', '--porcelain')).toBe('');
    // The parent's own index and files are as they were.
    expect(git('ls-files', '--stage', '--debug')).toBe(index);
    expect(git('status', '--porcelain')).toBe(before);
    expect((await readdir(join(top, '.git'))).filter((name) => name.includes('index'))).toEqual(['index']);
  });

  it('WT-2: are left where they are unless they are asked for; without any, it starts at the base', async () => {
    const repository = await makeRepository();
    const base = repository.git('rev-parse', 'HEAD');
    // Touched is not changed.
    await utimes(join(repository.top, 'a.txt'), 1, 1);
    const clean = await repository.made({ name: 'clean', includeDirty: true });
    expect(clean.record).toMatchObject({ base, start: base });
    await repository.write({ 'a.txt': 'changed\n', 'new.txt': 'new\n' });
    const { record } = await repository.made({ includeDirty: false });
    expect(record).toMatchObject({ base, start: base });
    expect(await filesIn(record.path)).toEqual({ 'a.txt': 'one\n' });
  });

  it('WT-2: a change of the same length in the same moment as the last git command is seen', async () => {
    const repository = await makeRepository();
    const time = new Date('2020-01-01T00:00:00Z');
    const file = join(repository.top, 'a.txt');
    await writeFile(file, 'two\n');
    await utimes(file, time, time);
    repository.git('add', 'a.txt');
    await writeFile(file, 'six\n');
    // On the same tick: neither size nor times differ, and the index is as old as the file.
    await utimes(file, time, time);
    await utimes(join(repository.top, '.git/index'), time, time);
    repository.git('config', 'core.trustctime', 'false');
    repository.git('config', 'core.checkStat', 'minimal');
    const { record } = await repository.made({ includeDirty: true });
    expect(await filesIn(record.path)).toEqual({ 'a.txt': 'six\n' });
  });

  it('WT-2: repositories inside the checkout, and our own worktrees, are not taken along', async () => {
    const repository = await makeRepository();
    const { top, git } = repository;
    for (const name of ['empty', 'nested']) git('init', '--quiet', name);
    await repository.write({ 'nested/x.txt': 'x\n', 'empty/x.txt': 'x\n', 'new.txt': 'new\n' });
    repository.gitIn(join(top, 'nested'), 'add', '.');
    const identity = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
    repository.gitIn(join(top, 'nested'), ...identity, 'commit', '--quiet', '-m', 'x');
    await repository.made({ name: 'other' });
    await writeFile(join(top, '.git/info/exclude'), '');
    const { record } = await repository.made({ includeDirty: true });
    expect(git('diff', '--name-only', record.base, record.start)).toBe('new.txt');
  });

  it('WT-2: an unmerged index is a clear error, and nothing is left', async () => {
    const repository = await makeRepository();
    const { git } = repository;
    git('checkout', '--quiet', '-b', 'other');
    await repository.write({ 'a.txt': 'theirs\n' });
    repository.commit();
    git('checkout', '--quiet', 'main');
    await repository.write({ 'a.txt': 'ours\n' });
    repository.commit();
    expect(() => git('merge', 'other')).toThrow();
    const before = await traces(repository);
    expect(await repository.make({ includeDirty: true })).toEqual({
      ok: false,
      reason: `${repository.top} has files with conflicts (a.txt): resolve them first`,
    });
    expect(await traces(repository)).toEqual(before);
    // Without them, it is no obstacle.
    await repository.made();
  });

  it('WT-2: more bytes than allowed are refused; files that were only touched are ignored', async () => {
    const repository = await makeRepository({ 'big.txt': 'x'.repeat(2_000) });
    const { top } = repository;
    await utimes(join(top, 'big.txt'), 1, 1);
    await repository.write({ 'new.txt': 'x'.repeat(1_000) });
    await repository.made({ name: 'fits', includeDirty: true, maxOverlayBytes: 1_000 });
    await repository.write({ 'other.txt': 'x' });
    const before = await traces(repository);
    const over = await repository.make({ includeDirty: true, maxOverlayBytes: 1_000 });
    expect(over).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/larger than 1000 bytes \(setting worktree.maxOverlayBytes\)/),
    });
    expect(await traces(repository)).toEqual(before);
  });

  it('WT-2: a user without a git identity, and strict user settings, are no obstacle', async () => {
    const repository = await makeRepository({ 'a.txt': 'one\n', '.gitattributes': '*.txt text eol=crlf\n' });
    const { git } = repository;
    git('config', '--unset', 'user.name');
    git('config', '--unset', 'user.email');
    git('config', 'user.useConfigOnly', 'true');
    git('config', 'commit.gpgSign', 'true');
    git('config', 'core.safecrlf', 'true');
    git('config', 'core.splitIndex', 'true');
    git('update-index', '--split-index');
    await repository.write({ 'mixed.txt': 'a\r\nb\n' });
    const shared = (await readdir(join(repository.top, '.git'))).filter((name) => name.startsWith('sharedindex'));
    const { record } = await repository.made({ includeDirty: true });
    expect(git('log', '-1', '--format=%an <%ae>, %cn <%ce>', record.start)).toBe(
      'Coppice <coppice@localhost>, Coppice <coppice@localhost>',
    );
    const after = (await readdir(join(repository.top, '.git'))).filter((name) => name.startsWith('sharedindex'));
    expect(after).toEqual(shared);
  });

  it('WT-2: a moved submodule is taken along, and nothing is run in it', async () => {
    const inner = await makeRepository({ 'x.txt': 'x\n' });
    const repository = await makeRepository();
    const { top, git, gitIn } = repository;
    for (const name of ['sub', 'still']) {
      git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.top, name);
    }
    repository.commit();
    const sub = join(top, 'sub');
    await mkdir(join(top, '..', 'bin'));
    const ran = join(top, '..', 'ran');
    await writeFile(join(top, '../bin/program'), `#!/bin/sh\necho ran >> ${ran}\n`, { mode: 0o755 });
    await writeFile(join(sub, 'x.txt'), 'y\n');
    gitIn(sub, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '--quiet', '--all', '-m', 'y');
    for (const folder of [sub, join(top, 'still')]) {
      // Git in a submodule has that one's own filters.
      gitIn(folder, 'config', 'filter.f.clean', join(top, '../bin/program'));
      const attributes = join(gitIn(folder, 'rev-parse', '--absolute-git-dir'), 'info/attributes');
      await writeFile(attributes, '* filter=f\n');
      await writeFile(join(folder, 'x.txt'), 'z\n');
    }
    for (const trusted of [true, false]) {
      const { record } = await repository.made({ name: `of-${trusted}`, includeDirty: true }, { trusted });
      expect(git('rev-parse', `${record.start}:sub`)).toBe(gitIn(sub, 'rev-parse', 'HEAD'));
    }
    await expect(stat(ran)).rejects.toThrow('ENOENT');
  });
});
