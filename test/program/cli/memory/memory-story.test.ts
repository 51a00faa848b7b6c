/** Snapshots between people, with the real program and real checkouts: learn, publish, take, change, merge (ME-4, ME-5). */

import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { scratchFolder } from '../../../support/scratch.js';
import { agentFile } from '../../../unit/features/memory/memory-stage.js';

beforeAll(buildProgram);

const LOCAL = '.claude/agent-memory-local/reviewer';
const SNAPSHOT = '.claude/agent-memory-snapshots/reviewer';

type Person = {
  readonly folder: string;
  git(...args: readonly string[]): string;
  run(...args: readonly string[]): ReturnType<typeof runProgram>;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
};

/** People with homes and checkouts of their own, over one shared repository. The first has committed the agent. */
async function setTeam(...names: readonly string[]): Promise<readonly Person[]> {
  const scratch = await scratchFolder();
  const shared = join(scratch, 'shared.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', shared]);
  const team: Person[] = [];
  for (const name of names) {
    const [home, folder] = [join(scratch, name), join(scratch, name, 'shop')];
    await mkdir(home);
    const env = { PATH: process.env.PATH, HOME: home };
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-C', folder, '-c', `user.name=${name}`, '-c', 'user.email=a@b', ...args], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    execFileSync('git', ['clone', '-q', shared, folder], { stdio: 'pipe' });
    const person: Person = {
      folder,
      git,
      run: (...args) => runProgram(['memory', ...args], { cwd: folder, env }),
      write: async (path, text) => {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      },
      read: (path) => readFile(join(folder, path), 'utf8'),
    };
    if (team.length === 0) {
      await person.write('.claude/agents/reviewer.md', agentFile('reviewer', 'local'));
      git('add', '-A');
      git('commit', '-qm', 'an agent');
      git('push', '-q', 'origin', 'HEAD:main');
    }
    expect((await runProgram(['trust'], { cwd: folder, env })).code).toBe(0);
    team.push(person);
  }
  return team;
}

function send({ git }: Person): void {
  git('add', '-A');
  git('commit', '-qm', 'notes');
  git('push', '-q', 'origin', 'HEAD:main');
}

async function snapshotLine(person: Person): Promise<string | undefined> {
  return (await person.run('list')).stdout.split('\n').find((line) => line.startsWith('    snapshot: '));
}

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
      /^The memory of reviewer is the team's snapshot now: 2 files changed\. Commit .*\n {2}MEMORY\.md\n {2}tests\.md\n/,
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
    expect(await snapshotLine(ben)).toContain('there is one, and nothing of yours yet');
    expect(await ben.run('take', 'reviewer')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("reviewer has the team's snapshot now: 2 files changed.\n"),
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

    // Both go on.
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

  it('ME-5: taking loses nothing: each backup can be gone back to, by name; a declined snapshot is not offered again', async () => {
    const [ada] = await setTeam('ada');
    if (ada === undefined) throw new Error('no team');
    expect(await ada.run('take', 'reviewer')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: there is no snapshot for reviewer: .*snapshot\.json is not there \(publish makes one of your notes\)\n$/,
      ),
    });
    expect(await ada.run('publish', 'reviewer')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is nothing to publish'),
    });
    expect(await ada.run('rollback', 'reviewer')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no backup'),
    });
    await ada.write(`${SNAPSHOT}/MEMORY.md`, 'of the team\n');
    await ada.write(`${SNAPSHOT}/snapshot.json`, '{"updatedAt":"2026-02-03T04:05:06.000Z"}\n');
    for (const text of ['first\n', 'second\n']) {
      await ada.write(`${LOCAL}/MEMORY.md`, text);
      const { stdout } = await ada.run('take', 'reviewer');
      expect(stdout).toMatch(/What was there is in backup (\d+): coppice memory rollback reviewer \1\n$/);
      expect(await ada.read(`${LOCAL}/MEMORY.md`)).toBe('of the team\n');
    }
    const listed = await ada.run('rollback', 'reviewer', '--list');
    expect(listed.stdout).toMatch(
      /^(\d+) {2}2\d{3}-\d\d-\d\d \d\d:\d\d {2}1 file: MEMORY\.md\n(\d+) {2}.*1 file: MEMORY\.md\n$/,
    );
    expect((await ada.run('list')).stdout).toContain('    2 backups of it (coppice memory rollback reviewer --list)\n');
    const { backups } = JSON.parse((await ada.run('rollback', 'reviewer', '--list', '--json')).stdout);
    const [newest, oldest] = backups as { name: string }[];
    expect(await ada.run('rollback', 'reviewer', '99')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no backup "99"'),
    });
    expect((await ada.run('rollback', 'reviewer', oldest?.name ?? '')).code).toBe(0);
    expect(await ada.read(`${LOCAL}/MEMORY.md`)).toBe('first\n');
    expect((await ada.run('rollback', 'reviewer', newest?.name ?? '')).code).toBe(0);
    expect(await ada.read(`${LOCAL}/MEMORY.md`)).toBe('second\n');
    await ada.write(`${SNAPSHOT}/snapshot.json`, '{"updatedAt":"2026-03-03T04:05:06.000Z"}\n');
    expect(await snapshotLine(ada)).toContain('take, merge or decline it');
    const declined = JSON.parse((await ada.run('decline', 'reviewer', '--json')).stdout);
    expect(declined).toEqual({ ok: true, name: 'reviewer', files: [], notes: [] });
    expect(await snapshotLine(ada)).toContain('up to date');
    expect(await ada.read(`${LOCAL}/MEMORY.md`)).toBe('second\n');
    await ada.write(`${SNAPSHOT}/snapshot.json`, '{"updatedAt":"2026-04-03T04:05:06.000Z"}\n');
    expect(await ada.run('publish', 'reviewer')).toMatchObject({ code: 1 });
    expect(await ada.run('publish', 'reviewer', '--force')).toMatchObject({ code: 0 });
    expect(await ada.read(`${SNAPSHOT}/MEMORY.md`)).toBe('second\n');
  });

  it('ME-5: a time that can’t be read is asked about, and control characters of others do not reach the terminal', async () => {
    const [ada] = await setTeam('ada');
    if (ada === undefined) throw new Error('no team');
    await ada.write(`${LOCAL}/MEMORY.md`, 'mine\n');
    await ada.write(`${SNAPSHOT}/a\u001b[31m.md`, 'theirs\n');
    for (const stamp of ['not json', '{}', '{"updatedAt":"soon\\u001b[2J"}', '[1]', '']) {
      await ada.write(`${SNAPSHOT}/snapshot.json`, stamp);
      const line = await snapshotLine(ada);
      expect(line, stamp).toContain("take, merge or decline it: the time of the snapshot can't be read");
      expect(line, stamp).not.toContain('\u001b');
      expect(await ada.run('decline', 'reviewer'), stamp).toMatchObject({ code: 1, stdout: '' });
      expect(await ada.run('publish', 'reviewer'), stamp).toMatchObject({ code: 1 });
    }
    expect(await ada.read(`${LOCAL}/MEMORY.md`)).toBe('mine\n');
    const taken = await ada.run('take', 'reviewer');
    expect(taken.code).toBe(0);
    expect(taken.stdout).toContain('a\\u{1b}[31m.md');
    expect(taken.stdout).not.toContain('\u001b');
    expect((await ada.run('rollback', 'reviewer')).code).toBe(0);
    expect(await ada.read(`${LOCAL}/MEMORY.md`)).toBe('mine\n');
  });
});
