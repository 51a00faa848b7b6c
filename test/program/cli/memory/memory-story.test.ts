import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { LOCAL, type Person, SNAPSHOT, setTeam, snapshotLine } from './memory-story-stage.js';

beforeAll(buildProgram);

describe('a team', () => {
  it('ME-4, ME-5: an agent learns, publishes; a second checkout takes it, changes, is offered a newer one, merges and publishes back', async () => {
    const [ada, ben] = await setTeam('ada', 'ben');
    if (ada === undefined || ben === undefined) throw new Error('no team');
    // Ada's agent learns, and she publishes. Only the snapshot is a change for git.
    await ada.write(`${LOCAL}/MEMORY.md`, '# Notes\n\n- the parser is slow\n');
    await ada.write(`${LOCAL}/tests.md`, 'run them with --once\n');
    const published = await ada.run('publish', 'reviewer');
    expect(published).toMatchObject({ code: 0, stderr: '' });
    expect(published.stdout).toMatch(
      /^The memory of reviewer is now the team's snapshot: 2 files changed\. Commit .*\n {2}MEMORY\.md\n {2}tests\.md\n/,
    );
    expect(ada.git('status', '--porcelain', '-uall').split('\n').filter(Boolean)).toEqual([
      `?? ${SNAPSHOT}/MEMORY.md`,
      `?? ${SNAPSHOT}/snapshot.json`,
      `?? ${SNAPSHOT}/tests.md`,
    ]);
    expect(await snapshotLine(ada)).toMatch(/up to date \(2\d{3}-/);
    send(ada);

    // Ben has nothing yet.
    ben.git('pull', '-q');
    expect(await snapshotLine(ben)).toContain('available, and you have no notes yet');
    expect(await ben.run('take', 'reviewer')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("reviewer now has the team's snapshot: 2 files changed.\n"),
    });
    expect((await ben.run('show', 'reviewer')).stdout).toBe('# Notes\n\n- the parser is slow\n');
    expect(ben.git('status', '--porcelain')).toBe('');
    expect((await stat(join(ben.folder, LOCAL))).mode & 0o777).toBe(0o700);
    expect((await stat(join(ben.folder, LOCAL, 'tests.md'))).mode & 0o777).toBe(0o600);
    expect(await snapshotLine(ben)).toContain('up to date');
    expect(await ben.run('diff', 'reviewer')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: "The memory of reviewer and the team's snapshot are the same.\n",
    });

    // Both continue.
    await ben.write(`${LOCAL}/MEMORY.md`, '# Notes of Ben\n\n- the parser is slow\n');
    await ada.write(`${LOCAL}/MEMORY.md`, '# Notes\n\n- the parser is slow\n- and it leaks\n');
    await rm(join(ada.folder, LOCAL, 'tests.md'));
    expect((await ada.run('publish', 'reviewer')).code).toBe(0);
    send(ada);
    ben.git('pull', '-q');
    expect(await snapshotLine(ben)).toMatch(/take, merge or decline it: the snapshot of .* is newer than that of /);
    expect(await ben.run('publish', 'reviewer')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/the snapshot has what this memory has not.*merge or take it first/),
    });
    const diff = await ben.run('diff', 'reviewer');
    expect(diff.stdout).toContain('--- mine/MEMORY.md\n+++ snapshot/MEMORY.md\n');
    expect(diff.stdout).toContain('-# Notes of Ben\n+# Notes\n');
    expect(diff.stdout).toContain('-run them with --once\n');
    expect(JSON.parse((await ben.run('diff', 'reviewer', '--json')).stdout).files).toEqual([
      { name: 'MEMORY.md', state: 'changed' },
      { name: 'tests.md', state: 'only-mine' },
    ]);

    // Ben merges, in a worktree: it is the main checkout's memory.
    ben.git('worktree', 'add', '-q', '-b', 'side', '.claude/worktrees/side');
    const merged = await runProgram(['memory', 'merge', 'reviewer'], {
      cwd: join(ben.folder, '.claude/worktrees/side'),
      env: { PATH: process.env.PATH, HOME: dirname(ben.folder) },
    });
    expect(merged).toMatchObject({ code: 0, stderr: '' });
    expect(merged.stdout).toContain("Merged the team's snapshot into the memory of reviewer: 2 files changed.\n");
    expect(await ben.read(`${LOCAL}/MEMORY.md`)).toBe('# Notes of Ben\n\n- the parser is slow\n- and it leaks\n');
    await expect(ben.read(`${LOCAL}/tests.md`)).rejects.toThrow('ENOENT');
    expect(await snapshotLine(ben)).toContain('up to date');
    expect((await ben.run('publish', 'reviewer')).code).toBe(0);
    send(ben);

    // And Ada takes what came of it.
    ada.git('pull', '-q');
    expect((await ada.run('take', 'reviewer')).code).toBe(0);
    expect(await ada.read(`${LOCAL}/MEMORY.md`)).toBe('# Notes of Ben\n\n- the parser is slow\n- and it leaks\n');
    expect(ada.git('status', '--porcelain')).toBe('');
  });
});

function send({ git }: Person): void {
  git('add', '-A');
  git('commit', '-qm', 'notes');
  git('push', '-q', 'origin', 'HEAD:main');
}
