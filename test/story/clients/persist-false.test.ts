/** `persist: false`: a session as any other, of which nothing is left. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSession } from '../../../src/front/sdk/open-session.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { openEphemeral, removeLeftEphemeral } from '../../../src/session/store/ephemeral-sessions.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { setRepository, worktreeOf } from '../worktrees/worktree-stage.js';

const stateOf = (stage: Stage) => join(stage.home, '.coppice');

/** Everything in the home that names the session or holds the words. */
async function filesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

describe('persist: false', () => {
  it('CL-2: everything is on disk while it runs, nothing when it is closed, and it can not be resumed', async () => {
    const stage = await setStage([
      { when: { result: { tool: 'Bash' } }, reply: 'seen' },
      { when: { user: 'many' }, reply: [{ tool: 'Bash', input: { command: 'seq 1 60000' } }] },
      { reply: 'ok' },
    ]);
    const session = await stage.open({ persist: false, permissionMode: 'bypassPermissions' });
    expect(session.isKept).toBe(false);
    expect((await session.send('many')).text).toBe('seen');
    expect((await stat(session.transcript)).size).toBeGreaterThan(0);
    expect((await filesIn(stateOf(stage))).some((file) => file.includes('tool-results'))).toBe(true);
    const forked = await session.fork('look around');
    expect(forked.status).toBe('completed');
    await session.close();
    expectAllAccepted(stage.sim);
    expect((await filesIn(stateOf(stage))).filter((file) => file.includes(session.id))).toEqual([]);
    expect(await filesIn(join(stateOf(stage), 'unkept'))).toEqual([]);
    const again = await openSession({ cwd: stage.folder, env: stage.env, resume: session.id });
    expect(again).toMatchObject({ ok: false, kind: 'usage', reason: expect.stringContaining('No session') });
    const latest = await openSession({ cwd: stage.folder, env: stage.env, resume: 'latest' });
    expect(latest).toMatchObject({ ok: false, reason: expect.stringContaining('No session to continue') });
  });

  it('CL-2: one that is resumed is kept already; its branch need not be', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const first = await stage.open();
    await first.send('a word to find');
    await first.close();
    const refused = await openSession({ cwd: stage.folder, env: stage.env, resume: first.id, persist: false });
    expect(refused).toMatchObject({ ok: false, kind: 'usage', reason: expect.stringContaining('--branch') });
    const branch = await stage.open({ resume: first.id, persist: false, branch: true });
    await branch.send('and more');
    expect(stage.sim.requests.at(-1)?.raw.toString('utf8')).toContain('a word to find');
    expect(await branch.execute({ type: 'branch' })).toMatchObject({ ok: false });
    await branch.close();
    const files = await filesIn(stateOf(stage));
    expect(files.some((file) => file.includes(first.id))).toBe(true);
    expect(files.some((file) => file.includes(branch.id))).toBe(false);
  });

  it('CL-2: what a killed process left goes with the first reply of the next session; what is running stays', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const host = nodeHost(stage.folder, stage.env);
    const atWork = await stage.open({ persist: false });
    await atWork.send('hello');
    const left = await leave(stage, 'left');
    const session = await stage.open();
    await session.send('hello');
    await session.close();
    await expect(stat(left)).rejects.toThrow('ENOENT');
    await expect(stat(`${left}.lock`)).rejects.toThrow('ENOENT');
    expect((await stat(atWork.transcript)).isFile()).toBe(true);
    expect(await removeLeftEphemeral(host, stateOf(stage))).toBe(0);
  });

  it('CL-2: what a child made in a worktree stays, with its record, and is found by the next session', async () => {
    const stage = await setRepository([
      { when: { user: 'the task' }, reply: [{ tool: 'Bash', input: { command: 'echo made > child.txt' } }] },
      { when: { said: 'the task', result: { tool: 'Bash' } }, reply: 'The child has worked.' },
      { when: { result: { tool: 'Agent' } }, reply: 'Done.' },
      {
        when: { user: 'delegate' },
        reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'the task', isolation: 'worktree' } }],
      },
      { reply: 'ok' },
    ]);
    const session = await stage.open({ persist: false, permissionMode: 'bypassPermissions' });
    expect((await session.send('delegate')).text).toBe('Done.');
    const { path, name } = worktreeOf(stage);
    await session.close();
    expect((await stat(join(path, 'child.txt'))).isFile()).toBe(true);
    const next = await stage.open({ persist: false });
    const listed = await next.worktrees();
    expect(listed.ok && listed.worktrees.map((one) => one.name)).toEqual([name]);
  });

  it('CL-2: an id is of one session at a time', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.open({ persist: false, sessionId: 'same' });
    const second = await openSession({ cwd: stage.folder, env: stage.env, persist: false, sessionId: 'same' });
    expect(second).toMatchObject({ ok: false, kind: 'state' });
  });
});

/** The home of a session whose process is gone: its lock names one that is dead. */
async function leave(stage: Stage, id: string): Promise<string> {
  const host = nodeHost(stage.folder, stage.env);
  const opened = await openEphemeral(host, stateOf(stage), id);
  if (!opened.ok) throw new Error(opened.reason);
  await host.files.makeFolder(join(opened.home, 'projects', 'p'));
  await host.files.create(join(opened.home, 'projects', 'p', `${id}.jsonl`), 'secret words');
  const lock = `${opened.home}.lock`;
  const owner = JSON.parse((await host.files.read(lock)).toString('utf8')) as { pid: number; start?: unknown };
  await host.files.replace(lock, `${JSON.stringify({ ...owner, pid: 2 ** 22 - 3 })}\n`);
  return opened.home;
}
