/** Files and the output of tasks, for a client: what it gets, and what it does not. */

import { execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/front/sdk/session.js';
import { type Stage, setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';

async function whyNot(session: Session, path: string): Promise<string> {
  const file = await session.execute({ type: 'read-file', path });
  return file.ok ? `it was read: ${file.content}` : file.reason;
}

describe('read-file', () => {
  it('CL-3: a file of the folder, whole or cut, as text or base64, and whether the text is exact', async () => {
    const stage = await setStage([]);
    const session = await stage.open();
    const path = await stage.write('notes.txt', 'äöü');
    const read = (more: object) => session.execute({ type: 'read-file', path: 'notes.txt', ...more });
    expect(await read({})).toEqual({ ok: true, path, content: 'äöü', isCut: false, isExact: true });
    expect(await read({ maxBytes: 6 })).toMatchObject({ content: 'äöü', isCut: false });
    expect(await read({ maxBytes: 3 })).toMatchObject({ isCut: true, isExact: false });
    expect(await read({ encoding: 'base64', maxBytes: 3 })).toMatchObject({
      content: Buffer.from('äöü').subarray(0, 3).toString('base64'),
      isCut: true,
      isExact: true,
    });
    await stage.write('large.bin', Buffer.alloc(11 * 1024 * 1024));
    const large = await session.execute({ type: 'read-file', path: 'large.bin', maxBytes: 11 * 1024 * 1024 });
    expect(large.ok && [large.content.length, large.isCut]).toEqual([10 * 1024 * 1024, true]);
  });

  it('CL-3: nothing outside the session’s folders, in no mode and by no link; added folders are included', async () => {
    const stage = await setStage([]);
    const secret = join(stage.home, 'secret.txt');
    await writeFile(secret, 'MARKER');
    await symlink(secret, join(stage.folder, 'link.txt'));
    await symlink(stage.home, join(stage.folder, 'way'));
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    for (const path of [secret, '../home/secret.txt', 'link.txt', 'way/secret.txt'])
      expect(await whyNot(session, path)).toMatch(/can't be read: /);
    expect(await whyNot(session, secret)).toContain("it is outside the session's folders");
    const path = await stage.write('notes.txt', 'mine');
    await symlink(path, join(stage.folder, 'inside.txt'));
    expect(await session.execute({ type: 'read-file', path: 'inside.txt' })).toMatchObject({ path, content: 'mine' });
    const wider = await stage.open({ addDirs: [stage.home] });
    expect(await wider.execute({ type: 'read-file', path: secret })).toMatchObject({ ok: true, content: 'MARKER' });
  });

  it('CL-3: rules that deny or ask hold; what is no file or not there is named', async () => {
    const stage = await setStage([]);
    await stage.settings({ permissions: { deny: ['Read(./.env)'], ask: ['Read(./asks.txt)'] } });
    await stage.write('.env', 'MARKER');
    await stage.write('asks.txt', 'MARKER');
    await stage.write('folder/a.txt', 'x');
    execFileSync('mkfifo', [join(stage.folder, 'pipe')]);
    const session = await stage.open();
    expect(await whyNot(session, '.env')).toMatch(/denied by the rule Read\(\.\/\.env\)/);
    expect(await whyNot(session, 'asks.txt')).toMatch(/asks\.txt can't be read: .*rule/);
    expect(await whyNot(session, 'folder')).toMatch(/not a file/);
    expect(await whyNot(session, 'pipe')).toMatch(/it is a device, a pipe or a socket/);
    expect(await whyNot(session, 'nowhere')).toMatch(/no such file/);
    expect(await whyNot(session, 'nowhere/at/all')).toMatch(/no such file/);
  });
});

describe('task-output', () => {
  /** A command in the background that prints this and ends. */
  async function printed(stage: Stage, command: string): Promise<{ session: Session; task: string }> {
    stage.sim.use([
      { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command, run_in_background: true } }] },
      { reply: 'ok' },
    ]);
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    await session.send('go');
    await until(() => session.tasks().some(({ status }) => status !== 'running'), 'it has ended');
    const [task] = session.tasks();
    return { session, task: task?.id ?? '' };
  }

  it('CL-3: all of a short one, and its size', async () => {
    const { session, task } = await printed(await setStage([]), 'printf "äö"');
    expect(await session.execute({ type: 'task-output', task })).toMatchObject({
      ok: true,
      output: 'äö',
      bytes: 4,
      isCut: false,
      status: 'completed',
    });
    expect(await session.execute({ type: 'task-output', task: 'nobody' })).toEqual({
      ok: false,
      reason: 'no task nobody in this session',
    });
  });

  it('CL-3: the last 256 KiB of a long one, and no half character', async () => {
    const print = `node -e "process.stdout.write('é'.repeat(200000) + 'x')"`;
    const { session, task } = await printed(await setStage([]), print);
    const found = await session.execute({ type: 'task-output', task });
    if (!found.ok) throw new Error(found.reason);
    expect([found.bytes, found.isCut]).toEqual([400_001, true]);
    expect(found.output).toBe(`${'é'.repeat((256 * 1024 - 2) / 2)}x`);
  });
});
