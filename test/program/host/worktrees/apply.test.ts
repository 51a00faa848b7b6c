/** The work of an agent comes back: what merges arrives, unstaged; what does not changes nothing (WT-12). */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyWorktree } from '../../../../src/host/worktrees/apply-worktree.js';
import { changesOf, checkoutOf, expectRefused, LINES, setApplyStage, stateOf } from './apply-stage.js';

describe('WT-12 apply: what arrives', () => {
  it('WT-12: commits, uncommitted changes and new files together; deletions, rights, links, binary files; a backup to go back to', async () => {
    const stage = await setApplyStage({
      before: async (repo) => {
        await repo.write('gone', 'gone\n');
        await repo.write('deep/er/gone', 'gone\n');
        await repo.write('old name', 'a file that is moved\nwith a few\nlines\n');
        await repo.write('script', '#!/bin/sh\n');
        repo.commit();
      },
    });
    const { child, repo } = stage;
    await child.write('f', LINES.replace('two', 'TWO'));
    child.commit();
    await child.write('f', LINES.replace('two', 'TWO').replace('eight', 'EIGHT'));
    await child.write('new/é "ünï\tcode', 'new\n');
    await child.write('binary', Buffer.from([0, 1, 2, 255, 254]));
    await child.link('link', 'new/nowhere');
    await child.remove('gone');
    await child.remove('deep/er/gone');
    child.git('mv', 'old name', 'new name');
    await child.write('script', '#!/bin/sh\n', 0o755);
    await child.write('x.ignored', 'not brought');
    const [index, head] = [repo.git('ls-files', '-s'), repo.git('rev-parse', 'HEAD')];
    const untouched = await lstat(join(repo.path, 'g'));
    const applied = await stage.apply();
    expect(changesOf(applied)).toEqual({
      f: 'changed',
      'new/é "ünï\tcode': 'added',
      binary: 'added',
      link: 'added',
      gone: 'deleted',
      'deep/er/gone': 'deleted',
      'old name': 'deleted',
      'new name': 'added',
      script: 'changed',
    });
    expect(await repo.read('f')).toBe(LINES.replace('two', 'TWO').replace('eight', 'EIGHT'));
    expect(await readlink(join(repo.path, 'link'))).toBe('new/nowhere');
    expect((await lstat(join(repo.path, 'script'))).mode & 0o111).toBe(0o111);
    expect((await lstat(join(repo.path, 'new name'))).mode & 0o777).toBe(0o644);
    expect(Buffer.from(await repo.read('binary')).length).toBeGreaterThan(4);
    // As with git, a folder goes with its last file.
    await expect(lstat(join(repo.path, 'deep'))).rejects.toThrow('ENOENT');
    expect(repo.git('ls-files', '-s')).toBe(index);
    expect(repo.git('rev-parse', 'HEAD')).toBe(head);
    expect((await lstat(join(repo.path, 'g'))).ctimeMs).toBe(untouched.ctimeMs);
    const backup = applied.ok ? (applied.backup ?? '') : '';
    expect(backup).toMatch(/^refs\/coppice\/backup\/agent-1a2b3c4d-\d{8}T\d{6}$/);
    expect(repo.git('show', `${backup}:f`)).toBe(LINES);
    expect(repo.git('rev-parse', `${backup}^`)).toBe(head);
    expect(await stateOf(repo)).toMatchObject({ left: [], ours: [] });
    // Twice: nothing more.
    const after = await stage.state();
    expect(await stage.apply()).toMatchObject({ ok: true, changed: [] });
    expect(await stage.state()).toEqual(after);
  });

  it('WT-12: a dirty path that is still the overlay takes the change; staged changes stay staged as they were', async () => {
    const stage = await setApplyStage({
      before: async (repo) => {
        await repo.write('f', LINES.replace('one', 'mine'));
        await repo.write('g', 'staged\n');
        repo.git('add', 'g');
        await repo.write('untracked', 'mine\n');
      },
    });
    const { child, repo } = stage;
    await child.write('f', LINES.replace('one', 'mine').replace('nine', 'NINE'));
    await child.write('g', 'staged\nand more\n');
    await child.write('untracked', 'mine\nand theirs\n');
    const staged = repo.git('diff', '--cached');
    expect(changesOf(await stage.apply())).toEqual({ f: 'changed', g: 'changed', untracked: 'changed' });
    expect(repo.git('diff', '--cached')).toBe(staged);
    expect(repo.git('status', '--porcelain', '--', 'f', 'g', 'untracked')).toBe(' M f\nMM g\n?? untracked\n');
    expect(await repo.read('f')).toBe(LINES.replace('one', 'mine').replace('nine', 'NINE'));
    expect(await repo.read('untracked')).toBe('mine\nand theirs\n');
  });

  it('WT-12: a dirty path changed further elsewhere merges, and the backup has the previous content', async () => {
    const stage = await setApplyStage({ before: (repo) => repo.write('f', LINES.replace('one', 'mine')) });
    const { child, repo } = stage;
    await child.write('f', LINES.replace('one', 'mine').replace('nine', 'NINE'));
    const further = LINES.replace('one', 'mine').replace('five', 'still mine');
    await repo.write('f', further);
    const applied = await stage.apply();
    expect(changesOf(applied)).toEqual({ f: 'changed' });
    expect(await repo.read('f')).toBe(further.replace('nine', 'NINE'));
    expect(repo.git('show', `${applied.ok ? applied.backup : ''}:f`)).toBe(further);
  });

  it('WT-12: a file that the agent moved and the user changed here: the change follows', async () => {
    const stage = await setApplyStage();
    const { child, repo } = stage;
    child.git('mv', 'f', 'moved');
    await repo.write('f', LINES.replace('two', 'mine'));
    expect(changesOf(await stage.apply())).toEqual({ f: 'deleted', moved: 'added' });
    expect(await repo.read('moved')).toBe(LINES.replace('two', 'mine'));
  });

  it('WT-12: a file that is here already with the same content is fine', async () => {
    const stage = await setApplyStage();
    await stage.child.write('new', 'same\n');
    await stage.child.write('g', 'G\n');
    await stage.repo.write('new', 'same\n');
    expect(changesOf(await stage.apply())).toEqual({ g: 'changed' });
  });

  it('WT-12: further work of the agent comes with the next apply, also in lines it changed before', async () => {
    const stage = await setApplyStage();
    const { child, repo } = stage;
    await child.write('f', LINES.replace('two', 'TWO'));
    await stage.apply();
    await child.write('f', LINES.replace('two', 'TWO, AGAIN'));
    await repo.write('g', 'mine\n');
    expect(changesOf(await stage.apply())).toEqual({ f: 'changed' });
    expect(await repo.read('f')).toBe(LINES.replace('two', 'TWO, AGAIN'));
    expect(await repo.read('g')).toBe('mine\n');
  });

  it('WT-12: if git’s folder is on another file system, next to the checkout; a folder in use stays', async () => {
    const { folder: elsewhere, isOther } = await otherFileSystem();
    const stage = await setApplyStage({
      before: async (repo) => {
        await repo.write('deep/er/gone', 'gone\n');
        repo.commit();
        execFileSync('mv', [join(repo.path, '.git'), join(elsewhere, 'git')]);
        await repo.write('.git', `gitdir: ${join(elsewhere, 'git')}\n`);
      },
    });
    await stage.child.write('g', 'G\n');
    await stage.child.remove('deep/er/gone');
    const seen: string[] = [];
    const { files } = stage.host;
    const rename = (from: string, to: string) => {
      seen.push(to);
      return files.rename(from, to);
    };
    const inDeep = await checkoutOf(stage.host, join(stage.repo.path, 'deep'));
    const host = { ...stage.host, files: { ...files, rename } };
    expect(changesOf(await applyWorktree(host, inDeep, stage.record.name))).toEqual({
      g: 'changed',
      'deep/er/gone': 'deleted',
    });
    expect(seen[0]?.startsWith(isOther ? stage.repo.path : elsewhere)).toBe(true);
    expect(stage.repo.git('status', '--porcelain')).toBe(' D deep/er/gone\n M g\n');
    expect((await readdir(stage.repo.path)).sort()).toEqual([
      '.claude',
      '.git',
      '.gitignore',
      'deep',
      'f',
      'folder',
      'g',
    ]);
    expect(await readdir(join(stage.repo.path, 'deep'))).toEqual([]);
  });

  it('WT-12: from its branch, where the folder is gone; nothing where that is gone, too', async () => {
    const stage = await setApplyStage();
    await stage.child.write('g', 'committed\n');
    stage.child.commit();
    stage.repo.git('worktree', 'remove', '--force', '--force', stage.child.path);
    const applied = await stage.apply();
    expect(changesOf(applied)).toEqual({ g: 'changed' });
    expect(applied).toMatchObject({
      notes: [expect.stringMatching(/folder .* is gone .*branch worktree-agent-1a2b3c4d/)],
    });
    stage.repo.git('branch', '-D', stage.record.branch);
    await expectRefused(stage, /is gone .* so is its branch/);
  });

  it('WT-12: from the folder it was moved to', async () => {
    const stage = await setApplyStage();
    await stage.child.write('g', 'uncommitted\n');
    const elsewhere = join(stage.repo.path, '..', 'elsewhere');
    stage.repo.git('worktree', 'move', '--force', '--force', stage.child.path, elsewhere);
    expect(changesOf(await stage.apply())).toEqual({ g: 'changed' });
  });
});

/** Memory, where there is such a place: else the same file system, which works just as well. */
async function otherFileSystem() {
  const top = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = await mkdtemp(join(top, 'coppice-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, isOther: (await lstat(folder)).dev !== (await lstat(tmpdir())).dev };
}
