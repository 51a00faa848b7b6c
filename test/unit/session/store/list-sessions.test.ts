import { chmod, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionLayout } from '../../../../src/config/paths.js';
import { cleanUpSessions, deleteSession } from '../../../../src/session/store/delete-session.js';
import { listSessions, newestSessions } from '../../../../src/session/store/list-sessions.js';
import { lockSession } from '../../../../src/session/store/session-lock.js';
import { scratchFolder } from '../../../support/scratch.js';
import { needOrdinaryUser } from '../../../support/users.js';
import { admitted, joined, linesOf, turn } from '../sample-events.js';
import { counting, host, save, session } from './list-sessions-stage.js';

const DAY = 24 * 60 * 60 * 1000;

describe('listing sessions', () => {
  it('DU-14: newest first, with the details needed to choose one', async () => {
    const home = await scratchFolder();
    await save(home, 'old', session('old'), { age: 3 * DAY });
    const layout = await save(home, 'new', session('new', 'make   it\nfaster 😀'), { project: 'q' });
    await mkdir(layout.subagents, { recursive: true });
    await writeFile(join(layout.subagents, 'agent-a.jsonl'), '');
    await writeFile(join(layout.subagents, 'agent-a.1.jsonl'), '');
    await writeFile(join(layout.subagents, 'agent-b.jsonl'), '');
    const { sessions, problems } = await listSessions(host, { home });
    expect(problems).toEqual([]);
    expect(sessions.map((one) => one.id)).toEqual(['new', 'old']);
    expect(sessions[0]).toMatchObject({
      project: 'q',
      cwd: '/project',
      prompt: 'make it faster 😀',
      model: 'claude-opus-5-5',
      started: Date.UTC(2026, 0, 1),
      ended: 'completed',
      inUse: false,
      agents: 2,
      damaged: undefined,
    });
    expect((await listSessions(host, { home, project: 'p' })).sessions.map((one) => one.id)).toEqual(['old']);
    expect(await listSessions(host, { home: join(home, 'nothing') })).toEqual({ sessions: [], problems: [] });
  });

  it('failures 22, 25, 27, 28, 46: one bad file hides no other, and is listed with its problem', async () => {
    const home = await scratchFolder();
    const good = await save(home, 'good');
    const at = (name: string) => join(home, 'projects', 'p', name);
    await writeFile(at('zeros.jsonl'), Buffer.alloc(100_000));
    await writeFile(at('empty.jsonl'), '');
    await writeFile(at('garbage.jsonl'), 'x'.repeat(200_000));
    await writeFile(at('other.jsonl'), Buffer.concat(linesOf(session('good'))));
    await writeFile(at('torn.jsonl'), Buffer.concat([...linesOf(session('torn')), Buffer.from('{"v":1,"se')]));
    await writeFile(
      at('later.jsonl'),
      Buffer.concat([...linesOf(session('later')), Buffer.from('{"v":2,"seq":9,"uuid":"x","ts":"t","new":1}\n')]),
    );
    await writeFile(at('.hidden name.jsonl'), 'no id');
    await symlink(good.file, at('link.jsonl'));
    const { sessions } = await listSessions(host, { home });
    const damaged = Object.fromEntries(sessions.map((one) => [one.id, one.damaged]));
    expect(damaged).toEqual({
      good: undefined,
      torn: undefined,
      later: undefined,
      zeros: 'its first record is missing or damaged',
      empty: 'it is empty',
      garbage: 'its first record is missing or damaged',
      other: 'it belongs to session good',
      '.hidden name': expect.stringContaining("can't be read"),
    });
  });

  it('DU-11: one that may not be read is listed as damaged', async (context) => {
    needOrdinaryUser(context);
    const home = await scratchFolder();
    await chmod((await save(home, 'good', session('good'))).file, 0);
    expect((await listSessions(host, { home })).sessions).toMatchObject([
      { id: 'good', damaged: expect.stringContaining('EACCES') },
    ]);
  });

  it('failures 24: a time that can’t be true doesn’t win', async () => {
    const home = await scratchFolder();
    await save(home, 'honest', session('honest'), { age: DAY });
    await save(home, 'absurd', session('absurd'), { age: -5000 * 365 * DAY });
    await save(home, 'ancient', session('ancient'), { age: Date.now() - 1000 });
    const { sessions } = await listSessions(host, { home });
    expect(sessions.map((one) => one.id)).toEqual(['honest', 'ancient', 'absurd']);
    expect(sessions[1]?.lastActive).toBe(Date.UTC(2026, 0, 1));
  });

  it('DU-3: segments belong to their session, and its end is the last one’s', async () => {
    const home = await scratchFolder();
    const layout = await save(home, 's', session('s').slice(0, 5));
    await writeFile(layout.file.replace('.jsonl', '.1.jsonl'), Buffer.concat(linesOf(session('s')).slice(4)));
    const { sessions } = await listSessions(host, { home });
    expect(sessions).toMatchObject([{ id: 's', ended: 'completed' }]);
  });

  it('a session whose last run was cut off did not end', async () => {
    const home = await scratchFolder();
    await save(home, 'cut', session('cut').slice(0, -1));
    await save(home, 'again', [...session('again'), admitted('more'), joined(9), turn()]);
    expect((await listSessions(host, { home })).sessions.map((one) => one.ended)).toEqual([undefined, undefined]);
  });
});

describe('deleting sessions', () => {
  it('DU-6: takes agents, forks, segments and set-aside tails along, and follows no links', async () => {
    const home = await scratchFolder();
    const outside = await scratchFolder();
    await writeFile(join(outside, 'precious'), 'x');
    const layout = await save(home, 's');
    await save(home, 's.other', session('s.other'));
    await save(home, 's2');
    await mkdir(layout.subagents, { recursive: true });
    await mkdir(layout.prefixes, { recursive: true });
    await writeFile(layout.agentFile('a'), '');
    await symlink(outside, join(layout.folder, 'out'));
    await writeFile(`${layout.file}.tail-1`, 'x');
    await writeFile(layout.file.replace('.jsonl', '.1.jsonl'), '');
    expect(await deleteSession(host, layout)).toEqual({ ok: true });
    expect((await readdir(join(home, 'projects', 'p'))).sort()).toEqual(['s.other.jsonl', 's2.jsonl']);
    expect(await readFile(join(outside, 'precious'), 'utf8')).toBe('x');
  });

  it('DU-9: is refused while the session is in use', async () => {
    const home = await scratchFolder();
    const layout = await save(home, 's');
    const attempt = await lockSession(host, layout);
    expect(await deleteSession(host, layout)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('is open in another process'),
    });
    expect((await listSessions(host, { home })).sessions).toMatchObject([{ id: 's', inUse: true }]);
    if (attempt.ok) await attempt.lock.release();
    expect((await listSessions(host, { home })).sessions).toMatchObject([{ id: 's', inUse: false }]);
    expect(await deleteSession(host, layout)).toEqual({ ok: true });
  });

  it('failures 51: clean-up removes only old and unused sessions; not the live, the young, the damaged, or those with young agents', async () => {
    const home = await scratchFolder();
    const old = { age: 40 * DAY };
    await save(home, 'old', session('old'), old);
    await save(home, 'young', session('young'), { age: 5 * DAY });
    const live = await save(home, 'live', session('live'), old);
    const busy = await save(home, 'busy', session('busy'), old);
    await save(home, 'damaged', session('another'), old);
    await mkdir(busy.subagents, { recursive: true });
    await writeFile(busy.agentFile('a'), '');
    const attempt = await lockSession(host, live);
    expect(await cleanUpSessions(host, home, 0)).toEqual({ deleted: [], left: [] });
    const { deleted, left } = await cleanUpSessions(host, home, 30);
    expect(deleted.map((one) => one.id)).toEqual(['old']);
    expect(left.map((one) => one.session.id).sort()).toEqual(['damaged', 'live']);
    expect((await listSessions(host, { home })).sessions.map((one) => one.id).sort()).toEqual([
      'busy',
      'damaged',
      'live',
      'young',
    ]);
    if (attempt.ok) await attempt.lock.release();
  });
});

describe('the newest sessions', () => {
  async function all(found: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
    const ids: string[] = [];
    for await (const { id } of found) ids.push(id);
    return ids;
  }

  it('DU-14: come in the order of the list, whatever the times of their files', async () => {
    const home = await scratchFolder();
    const layouts = [];
    for (let n = 0; n < 12; n += 1)
      layouts.push(await save(home, `s${n}`, session(`s${n}`), { age: ((n * 7) % 12) * DAY }));
    // A wrong clock, an equal time, a segment that is younger than what it continues, a damaged one, an unreadable one.
    const at = async (id: string, time: number) => utimes(sessionLayout(home, 'p', id).file, time, time);
    await at('s3', Date.now() / 1000 + 90 * 24 * 3600);
    await at('s4', 1);
    for (const id of ['s5', 's6']) await at(id, 1_770_000_000);
    await writeFile(join(home, 'projects', 'p', 's7.1.jsonl'), linesOf(session('s7'))[7] ?? '');
    await writeFile(sessionLayout(home, 'p', 's8').file, 'x');
    await symlink('/nowhere', join(home, 'projects', 'p', 'lost.jsonl'));
    const options = { home, project: 'p' };
    const { sessions } = await listSessions(host, options);
    expect(await all(newestSessions(host, home, 'p'))).toEqual(sessions.map(({ id }) => id));
    expect(sessions).toHaveLength(12);
  });

  it('DU-14: only those that are asked for are opened', async () => {
    const home = await scratchFolder();
    for (let n = 0; n < 300; n += 1) await save(home, `s${n}`, session(`s${n}`), { age: n * 1000 });
    const one = counting();
    for await (const newest of newestSessions(one.host, home, 'p')) {
      expect(newest.id).toBe('s0');
      break;
    }
    const few = one.bytes();
    const whole = counting();
    await listSessions(whole.host, { home, project: 'p' });
    expect(few * 100).toBeLessThan(whole.bytes());
  });
});
