import { mkdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectLock } from '../../../../src/host/locks/lock.js';
import { scratchFolder } from '../../../support/scratch.js';
import { checkoutOf, filesIn, makeRepository, type Repository, repositoryAt, traces } from './make-repository.js';

const PLACE = '.claude/worktrees/agent-1a2b3c4d';

/** Refused, with this reason, and nothing has changed. */
async function refused(repository: Repository, work: () => ReturnType<Repository['make']>): Promise<string> {
  const before = await traces(repository);
  const made = await work();
  if (made.ok) throw new Error('it was made');
  expect(await traces(repository)).toEqual(before);
  expect(made.reason).not.toContain('\n');
  return made.reason;
}

describe('a worktree', () => {
  it('WT-1: is made at its place, on its branch without tracking, and is recorded', async () => {
    const repository = await makeRepository({ 'a.txt': 'one\n', 'b/c.txt': 'two\n' });
    const { top, git, gitIn } = repository;
    git('config', 'branch.autoSetupMerge', 'always');
    const base = git('rev-parse', 'HEAD');
    const { record, use, notes } = await repository.made();
    expect(record).toMatchObject({
      v: 1,
      name: 'agent-1a2b3c4d',
      path: join(top, PLACE),
      branch: 'worktree-agent-1a2b3c4d',
      gitDir: join(top, '.git/worktrees/agent-1a2b3c4d'),
      base,
      start: base,
      madeBy: 'git',
      stage: 'made',
      from: top,
      owner: { session: 'session-1', agent: 'agent-1' },
      placed: [],
      stashes: [],
    });
    expect(notes).toEqual([]);
    expect(JSON.parse(await repository.read('.git/coppice/worktrees/agent-1a2b3c4d.json'))).toEqual(record);
    expect(await filesIn(record.path)).toEqual({ 'a.txt': 'one\n', 'b/c.txt': 'two\n' });
    expect(gitIn(record.path, 'status', '--porcelain', '--branch')).toBe('## worktree-agent-1a2b3c4d');
    expect(git('config', '--get-regexp', '^branch\\.')).toBe('branch.autosetupmerge always');
    // Git's lock names us, and the use lock is held until it is released.
    expect(git('worktree', 'list', '--porcelain')).toContain(
      `locked coppice: in use by agent agent-1 of session session-1 (process ${process.pid})`,
    );
    const lock = join(top, '.git/coppice/worktrees/agent-1a2b3c4d.lock');
    expect(await inspectLock(repository.host, lock)).toMatchObject({ kind: 'held' });
    await use.release();
    expect(await inspectLock(repository.host, lock)).toBe('free');
  });

  it('WT-7: knows the stashes that were there before it', async () => {
    const repository = await makeRepository();
    await repository.write({ 'a.txt': 'stashed\n' });
    repository.git('stash');
    const { record } = await repository.made();
    expect(record.stashes).toEqual([repository.git('rev-parse', 'refs/stash')]);
  });

  it('WT-1: a name that can be no part of a path or of a branch is refused', async () => {
    const repository = await makeRepository();
    const wrong = ['', 'Upper', 'a/b', '../x', 'a..b', '.hidden', '-x', 'x.lock', 'x.', 'a b', 'x'.repeat(65), 'ä'];
    for (const name of wrong) {
      expect(await refused(repository, () => repository.make({ name }))).toContain("can't be the name of a worktree");
    }
    const { record } = await repository.made({ name: `a.b_c-1${'x'.repeat(57)}` });
    expect(record.branch).toBe(`worktree-a.b_c-1${'x'.repeat(57)}`);
  });

  it('WT-1: a link at .claude, at .claude/worktrees or at the place itself is refused', async () => {
    const repository = await makeRepository();
    const outside = await scratchFolder();
    for (const path of ['.claude', '.claude/worktrees', PLACE]) {
      if (path !== '.claude') await mkdir(join(repository.top, path, '..'), { recursive: true });
      await symlink(outside, join(repository.top, path));
      expect(await refused(repository, () => repository.make())).toMatch(/(is a|exists already \(a) link/);
      await rm(join(repository.top, path));
    }
    // Also one that leads nowhere, and one that stays inside.
    await symlink(join(repository.top, 'nowhere'), join(repository.top, PLACE));
    expect(await refused(repository, () => repository.make())).toContain('exists already (a link)');
    expect(await filesIn(outside)).toEqual({});
    await rm(join(repository.top, PLACE));
    await repository.made();
  });

  it('WT-1: a link that takes the place in between is not followed', async () => {
    const repository = await makeRepository();
    const outside = await scratchFolder();
    const { host, top } = repository;
    // Between the checks and the folder that is made.
    const replace: typeof host.files.replace = async (path, ...rest) => {
      await host.files.replace(path, ...rest);
      if (path.endsWith('.json')) await symlink(outside, join(top, '.claude'));
    };
    const before = await traces(repository);
    const made = await repository.make({}, { host: { ...host, files: { ...host.files, replace } } });
    expect(made.ok).toBe(false);
    await rm(join(top, '.claude'));
    expect(await traces(repository)).toEqual(before);
    expect(await filesIn(outside)).toEqual({});
  });

  it('WT-1: a folder that resolves outside of the checkout is refused, also when it does only at the end', async () => {
    const repository = await makeRepository();
    const { host, top } = repository;
    await mkdir(join(top, '.claude'));
    // As with a mount: it is no link, and still elsewhere.
    const mounted: typeof host.files.realpath = async (path) =>
      path === join(top, '.claude') ? '/elsewhere' : host.files.realpath(path);
    const elsewhere = { ...host, files: { ...host.files, realpath: mounted } };
    expect(await refused(repository, () => repository.make({}, { host: elsewhere }))).toContain(
      `${join(top, '.claude')} leads to /elsewhere, outside of ${top}`,
    );
    const run: typeof host.processes.run = async (command) => {
      const done = await host.processes.run(command);
      if (command.args.includes('add')) {
        await rename(join(top, '.claude'), join(top, '../moved'));
        await symlink(join(top, '../moved'), join(top, '.claude'));
      }
      return done;
    };
    const made = await repository.make({}, { host: { ...host, processes: { ...host.processes, run } } });
    expect(made).toEqual({ ok: false, reason: expect.stringContaining('is not where git made the worktree') });
    expect(repository.git('for-each-ref', 'refs/heads/worktree-*')).toBe('');
    expect(await filesIn(join(top, '../moved'))).toEqual({});
  });

  it('WT-1: what is not a folder, a branch or a folder of that name, and another worktree are left alone', async () => {
    const repository = await makeRepository();
    const { top, git } = repository;
    await writeFile(join(top, '.claude'), 'a file\n');
    expect(await refused(repository, () => repository.make())).toContain(`${join(top, '.claude')} is not a folder`);
    await rm(join(top, '.claude'));
    git('branch', 'worktree-agent-1a2b3c4d');
    expect(await refused(repository, () => repository.make())).toContain(
      'branch worktree-agent-1a2b3c4d exists already',
    );
    git('branch', '--delete', 'worktree-agent-1a2b3c4d');
    await mkdir(join(top, PLACE), { recursive: true });
    expect(await refused(repository, () => repository.make())).toContain(`${join(top, PLACE)} exists already`);
    await rm(join(top, '.claude'), { recursive: true });
    // Git knows a worktree there whose folder is gone: it is not ours.
    git('worktree', 'add', '--quiet', '--detach', PLACE);
    await rm(join(top, PLACE), { recursive: true });
    expect(await refused(repository, () => repository.make())).toMatch(/missing but already registered/);
    git('worktree', 'prune');
    const { record } = await repository.made();
    await rename(record.path, join(top, 'moved'));
    git('branch', '--move', record.branch, 'mine');
    expect(await refused(repository, () => repository.make())).toContain('a worktree named agent-1a2b3c4d already');
  });

  it('WT-1: a branch that git made a folder of is an error, and nothing is left', async () => {
    const repository = await makeRepository();
    repository.git('branch', 'worktree-agent-1a2b3c4d/deeper');
    expect(await refused(repository, () => repository.make())).toContain(
      'worktree-agent-1a2b3c4d could not be created',
    );
  });

  it('WT-1: outside of a repository, in a bare one, and without commits, nothing is made', async () => {
    const none = await scratchFolder();
    const { host } = await makeRepository();
    await expect(checkoutOf(host, none)).rejects.toThrow(`${none} is not in a git repository`);
    const bare = await makeRepository();
    bare.git('init', '--quiet', '--bare', 'store.git');
    await expect(checkoutOf(host, join(bare.top, 'store.git'))).rejects.toThrow('is a bare repository');
    await expect(checkoutOf(host, join(bare.top, '.git'))).rejects.toThrow("or a folder of git's own");
    const empty = await makeRepository({});
    expect(await refused(empty, () => empty.make())).toContain('has no commit at HEAD yet');
  });

  it('WT-1: a git that is too old, or none, is a clear error before anything is made', async () => {
    const repository = await makeRepository();
    const checkout = await checkoutOf(repository.host, repository.top);
    const bin = await scratchFolder();
    const real = await realpath('/usr/bin/git').catch(() => 'git');
    const script = `#!/bin/sh\nif [ "$1" = version ]; then echo "git version 2.37.9"; exit; fi\nexec ${real} "$@"\n`;
    await writeFile(join(bin, 'git'), script, { mode: 0o755 });
    const path = `${bin}:${process.env.PATH}`;
    const old = { ...repository.host, env: { ...repository.host.env, PATH: path } };
    expect(await refused(repository, () => repository.make({}, { host: old }))).toBe(
      'git version 2.37.9 is too old: worktrees need git 2.38 or later',
    );
    const without = { ...repository.host, env: { PATH: bin.replace('coppice', 'nothing') } };
    await expect(checkoutOf(without, repository.top)).rejects.toThrow('git is not installed');
    expect(checkout.top).toBe(repository.top);
  });

  it('WT-1: a worktree made from one of ours is placed next to it, not in it', async () => {
    const repository = await makeRepository();
    const first = await repository.made({ name: 'first' });
    const inner = repositoryAt(first.record.path, join(repository.top, '..'));
    await inner.write({ 'a.txt': 'of the first\n' });
    const commit = inner.commit();
    const second = await inner.made({ name: 'second' });
    expect(second.record).toMatchObject({
      path: join(repository.top, '.claude/worktrees/second'),
      from: first.record.path,
      base: commit,
    });
    // A user's own worktree is a home like any other.
    const own = join(repository.top, '../own');
    repository.git('worktree', 'add', '--quiet', own);
    const third = await repositoryAt(own, repository.top).made({ name: 'third' });
    expect(third.record.path).toBe(join(own, '.claude/worktrees/third'));
  });

  it('WT-1: programs of the repository stay off: hooks and fsmonitor always, filters unless it is trusted', async () => {
    const repository = await makeRepository({ 'a.txt': 'one\n', '.gitattributes': '*.txt filter=x\n' });
    const { top, git } = repository;
    const ran = join(top, '..', 'ran');
    const program = join(top, '..', 'program');
    await writeFile(program, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`, { mode: 0o755 });
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction']) {
      await writeFile(join(top, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >> ${ran}\n`, { mode: 0o755 });
    }
    git('config', 'core.fsmonitor', program);
    // One that is only there on our branch is found too.
    await writeFile(join(top, '../more'), `[filter "x"]\n\tsmudge = ${program}\n\tclean = ${program}\n`);
    git('config', 'includeIf.onbranch:worktree-**.path', join(top, '../more'));
    await repository.write({ 'a.txt': 'two\n' });
    await repository.made({ includeDirty: true }, { trusted: false });
    await expect(readFile(ran, 'utf8')).rejects.toThrow('ENOENT');
    await repository.made({ name: 'trusted' }, { trusted: true });
    expect([...new Set((await readFile(ran, 'utf8')).trim().split('\n'))]).toEqual([program]);
  });
});
