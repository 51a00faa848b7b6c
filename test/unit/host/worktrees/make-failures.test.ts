import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/host/files.js';
import type { Host } from '../../../../src/host/host.js';
import type { FinishedProcess, ProcessCommand } from '../../../../src/host/processes.js';
import type { Made } from '../../../../src/host/worktrees/make-worktree.js';
import { filesIn, makeRepository, type Repository, traces } from './make-repository.js';

/** All there is to make: changes, sparse paths, a link, a copy. */
async function wholeRepository(): Promise<Repository> {
  const repository = await makeRepository({
    'a.txt': 'one\n',
    'b/c.txt': 'two\n',
    '.gitignore': '.env\nlib/\n',
    '.worktreeinclude': '.env\n',
  });
  await repository.write({ '.env': 'KEY=1\n', 'lib/x.txt': 'x\n', 'b/new.txt': 'new\n' });
  // These stay when it fails: they belong to no worktree.
  await writeFile(join(repository.top, '.git/info/exclude'), '/.claude/worktrees/\n/lib\n');
  return repository;
}

const WHOLE = { includeDirty: true, sparsePaths: ['b'], symlinkDirectories: ['lib'] };

type Run = (command: ProcessCommand) => Promise<FinishedProcess>;

/** The subcommand of git: the first argument that is not an option. */
function wordOf({ args }: ProcessCommand): string {
  return args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c') ?? '';
}

/** A machine where something happens instead of, or around, the first git command of a kind. */
function withGit(
  host: Host,
  word: string,
  around: (run: Run, command: ProcessCommand) => Promise<FinishedProcess>,
): Host {
  let isOver = false;
  const run: Host['processes']['run'] = (command) => {
    if (isOver || command.file !== 'git' || wordOf(command) !== word) return host.processes.run(command);
    isOver = true;
    return around(host.processes.run, command);
  };
  return { ...host, processes: { ...host.processes, run } };
}

const FAILED: FinishedProcess = {
  code: 128,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: Buffer.from('fatal: made up\n'),
  stdoutBytes: 0,
  stderrBytes: 15,
  timedOut: false,
  aborted: false,
};

const PLANNING = ['stash', 'check-ignore', 'diff-files', 'write-tree', 'ls-tree'];
const MAKING = ['update-ref', 'worktree', 'sparse-checkout', 'read-tree'];

/** Fails with a reason, and everything is as it was. */
async function fails(repository: Repository, host: Host, signal?: AbortSignal): Promise<string> {
  const before = await traces(repository);
  const files = await filesIn(repository.top);
  const made = await repository.make({ ...WHOLE, ...(signal === undefined ? {} : { signal }) }, { host });
  if (made.ok) throw new Error('it was made');
  expect(await traces(repository)).toEqual(before);
  expect(await filesIn(repository.top)).toEqual(files);
  return made.reason;
}

describe('a worktree that can not be made', () => {
  it.each([...PLANNING, ...MAKING])('WT-14: leaves nothing when git %s fails', async (word) => {
    const repository = await wholeRepository();
    expect(
      await fails(
        repository,
        withGit(repository.host, word, async () => FAILED),
      ),
    ).toContain('made up');
  });

  it.each(MAKING)('WT-14: leaves nothing when git %s is killed after it has worked', async (word) => {
    const repository = await wholeRepository();
    const host = withGit(repository.host, word, async (run, command) => {
      await run(command);
      return { ...FAILED, code: null, signal: 'SIGKILL' };
    });
    await fails(repository, host);
  });

  it.each(['write-tree', ...MAKING])('WT-14: leaves nothing when it is cancelled at git %s', async (word) => {
    const repository = await wholeRepository();
    const abort = new AbortController();
    const host = withGit(repository.host, word, (run, command) => {
      abort.abort();
      return run(command);
    });
    expect(await fails(repository, host, abort.signal)).toBe('it was cancelled');
  });

  it('WT-14: leaves nothing when a file can not be written', async () => {
    const repository = await wholeRepository();
    const { host } = repository;
    const calls = ['replace', 'makeFolder', 'holdFolder', 'makeLink', 'create'] as const;
    for (const call of calls) {
      for (let at = 1; at < 20; at += 1) {
        let n = 0;
        const real = host.files[call] as (...args: unknown[]) => Promise<never>;
        const broken = async (...args: unknown[]) => {
          n += 1;
          if (n === at) throw Object.assign(new Error('EIO: made up'), { code: 'EIO' });
          return real(...args);
        };
        const faulty = { ...host, files: { ...host.files, [call]: broken } as Files };
        const before = await traces(repository);
        const made = await repository.make(WHOLE, { host: faulty });
        if (made.ok) {
          await takeAway(repository, made);
          // Some are no reason to fail: a copy that can't be made is noted.
          if (n < at) break;
        }
        expect({ call, at, left: await traces(repository) }).toEqual({ call, at, left: before });
      }
    }
  });

  it('WT-14: reports what could not be removed, and keeps its record', async () => {
    const repository = await wholeRepository();
    const broken = withGit(repository.host, 'read-tree', async () => FAILED);
    const run: Host['processes']['run'] = async (command) =>
      command.args.includes('remove') ? FAILED : broken.processes.run(command);
    const made = await repository.make(WHOLE, { host: { ...broken, processes: { ...broken.processes, run } } });
    expect(made).toEqual({
      ok: false,
      reason: expect.stringMatching(
        /can't be written: made up \(what was made of .* could not be taken back: made up\)/,
      ),
    });
    expect(JSON.parse(await repository.read('.git/coppice/worktrees/agent-1a2b3c4d.json')).stage).toBe('making');
    expect(await readdir(join(repository.top, '.git/coppice/worktrees'))).toEqual(['agent-1a2b3c4d.json']);
  });
});

async function takeAway({ git, top }: Repository, { record, use }: Extract<Made, { ok: true }>): Promise<void> {
  await use.release();
  git('worktree', 'remove', '--force', '--force', record.path);
  git('branch', '-D', record.branch);
  await rm(join(top, '.git/coppice/worktrees/agent-1a2b3c4d.json'));
  await rm(join(top, '.claude'), { recursive: true });
}

describe('many at once', () => {
  it('WT-5: 20 are made together on one repository, each whole', async () => {
    const repository = await wholeRepository();
    const names = Array.from({ length: 20 }, (_, index) => `agent-${index}`);
    const made = await Promise.all(names.map((name) => repository.made({ ...WHOLE, name })));
    for (const { record } of made) {
      expect(Object.keys(await filesIn(record.path)).toSorted()).toEqual([
        '.env',
        '.gitignore',
        '.worktreeinclude',
        'a.txt',
        'b/c.txt',
        'b/new.txt',
        'lib',
      ]);
    }
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(21);
    expect(new Set(made.map(({ record }) => record.branch)).size).toBe(20);
    expect((await repository.read('.git/info/exclude')).split('\n')).toEqual(['/.claude/worktrees/', '/lib', '']);
  });

  it('WT-5: of two with one name, one is made and the other is refused', async () => {
    const repository = await makeRepository();
    const made = await Promise.all([repository.make(), repository.make()]);
    expect(made.map(({ ok }) => ok).toSorted()).toEqual([false, true]);
    const loser = made.find((one) => !one.ok);
    expect(loser).toMatchObject({ reason: expect.stringContaining('agent-1a2b3c4d') });
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(2);
  });

  it('WT-5: one of that name that was made in between is left alone', async () => {
    const repository = await makeRepository();
    const host = withGit(repository.host, 'write-tree', async (run, command) => {
      const { use } = await repository.made();
      await use.release();
      return run(command);
    });
    const made = await repository.make({ includeDirty: true }, { host });
    expect(made).toMatchObject({
      ok: false,
      reason: expect.stringContaining('a worktree named agent-1a2b3c4d already'),
    });
    expect(JSON.parse(await repository.read('.git/coppice/worktrees/agent-1a2b3c4d.json')).stage).toBe('made');
    expect(await repository.read('.claude/worktrees/agent-1a2b3c4d/a.txt')).toBe('one\n');
  });

  it("WT-5: another git's lock is waited for, and never removed", async () => {
    const repository = await makeRepository();
    const { top, host } = repository;
    const config = join(top, '.git/config.lock');
    const index = join(top, '.git/index.lock');
    const branch = join(top, '.git/refs/heads/worktree-agent-1a2b3c4d.lock');
    for (const lock of [config, index, branch]) await writeFile(lock, 'held');
    const seen: string[] = [];
    const sleep: Host['clock']['sleep'] = async () => {
      // Its owner ends after a while: first with the branch, then with the configuration.
      seen.push(
        await readFile(branch, 'utf8')
          .catch(() => readFile(config, 'utf8'))
          .catch(() => 'gone'),
      );
      if (seen.length === 3) await rm(branch);
      if (seen.length === 6) await rm(config);
    };
    const waiting = { ...host, clock: { ...host.clock, sleep } };
    const { record } = await repository.made({ sparsePaths: ['a.txt'], includeDirty: true }, { host: waiting });
    expect(seen).toEqual(['held', 'held', 'held', 'held', 'held', 'held']);
    // The parent's index is not ours to touch.
    expect(await readFile(index, 'utf8')).toBe('held');
    expect(await filesIn(record.path)).toEqual({ 'a.txt': 'one\n' });
  });

  it('WT-5: a lock that is never released is an error, and stays', async () => {
    const repository = await makeRepository();
    const lock = join(repository.top, '.git/refs/heads/worktree-agent-1a2b3c4d.lock');
    await writeFile(lock, 'held');
    const sleep = async () => {};
    const { host } = repository;
    const made = await repository.make({}, { host: { ...host, clock: { ...host.clock, sleep } } });
    expect(made).toEqual({ ok: false, reason: expect.stringContaining("agent-1a2b3c4d.lock': File exists") });
    expect(await readFile(lock, 'utf8')).toBe('held');
  });
});
