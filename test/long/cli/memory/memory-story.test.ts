/** Snapshots between people, with the real program and real checkouts: learn, publish, take, change, merge (ME-4, ME-5). */

import { beforeAll, describe, expect, it } from 'vitest';
import { LOCAL, SNAPSHOT, setTeam, snapshotLine } from '../../../program/cli/memory/memory-story-stage.js';
import { buildProgram } from '../../../support/program.js';

beforeAll(buildProgram);

describe('a team', () => {
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
      expect(stdout).toMatch(
        /Previous content saved as backup (\d+)\. To restore it: coppice memory rollback reviewer \1\n$/,
      );
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
