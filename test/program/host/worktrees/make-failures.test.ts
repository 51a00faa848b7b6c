import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/host/host.js';
import { FAILED, fails, MAKING, WHOLE, wholeRepository, withGit } from './make-failures-stage.js';
import { filesIn, makeRepository } from './make-repository.js';

const PLANNING = ['stash', 'check-ignore', 'diff-files', 'write-tree', 'ls-tree'];

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

describe('many at once', () => {
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
