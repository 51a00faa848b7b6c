import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Host } from '../../../../src/host/host.js';
import { inspectLock, takeLock } from '../../../../src/host/locks/lock.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { bundle } from '../../../support/bundle.js';
import { faultyHost, NO_FAULT } from '../../../support/hosts/faulty-host.js';
import { scratchFolder } from '../../../support/scratch.js';

const host = nodeHost('/');

async function lockPath(): Promise<string> {
  return join(await scratchFolder(), 'x.lock');
}

async function startTaker(
  program: string,
  path: string,
  mode = 'hold',
): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [program, path, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  if (child.stdout === null) throw new Error('no output');
  const [said] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, said };
}

/** A lock as a process would have left it; what is given differs. */
async function leave(path: string, change: Record<string, unknown>): Promise<void> {
  const attempt = await takeLock(host, path);
  if (!attempt.ok) throw new Error(attempt.reason);
  const own = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...own, token: `token-${host.newId()}`, ...change }));
}

describe('a lock', () => {
  it('DU-9: is held by one, names its owner, is released by its token only, and leaves nothing behind', async () => {
    const path = await lockPath();
    const first = await takeLock(host, path);
    const second = await takeLock(host, path);
    expect(first.ok).toBe(true);
    expect(second).toMatchObject({ ok: false, kind: 'held', owner: { pid: process.pid } });
    const content = JSON.parse(await readFile(path, 'utf8'));
    expect(content).toMatchObject({
      pid: process.pid,
      started: expect.any(String),
      boot: expect.any(String),
      token: expect.any(String),
    });
    expect(await inspectLock(host, path)).toMatchObject({ kind: 'held' });
    if (!first.ok) throw new Error('not taken');
    await writeFile(path, JSON.stringify({ ...content, token: 'another-token' }));
    await first.lock.release();
    expect(JSON.parse(await readFile(path, 'utf8')).token).toBe('another-token');
    await writeFile(path, JSON.stringify(content));
    expect(await first.lock.release()).toBe(true);
    expect(await readdir(join(path, '..'))).toEqual([]);
    expect(await inspectLock(host, path)).toBe('free');
  });

  it('DU-9: on a full disk, a held lock is reported as held, and a free one as a failure', async () => {
    const path = await lockPath();
    const replace = async () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const full: Host = { ...host, files: { ...host.files, replace } };
    expect(await takeLock(full, path)).toMatchObject({
      ok: false,
      kind: 'failed',
      reason: expect.stringContaining('ENOSPC'),
    });
    const first = await takeLock(host, path);
    expect(first.ok).toBe(true);
    expect(await takeLock(full, path)).toMatchObject({ ok: false, kind: 'held', owner: { pid: process.pid } });
    if (first.ok) await first.lock.release();
  });

  it('DU-9: of a process that was killed is taken over; of one that lives it is not', async () => {
    const path = await lockPath();
    const program = await bundle(new URL('./lock-taker.ts', import.meta.url), await scratchFolder());
    const holder = await startTaker(program, path);
    expect(holder.said).toBe('taken');
    expect(await takeLock(host, path)).toMatchObject({ ok: false, kind: 'held', owner: { pid: holder.child.pid } });
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');
    expect(await inspectLock(host, path)).toBe('free');
    const taken = await takeLock(host, path);
    expect(taken.ok).toBe(true);
    if (taken.ok) await taken.lock.release();
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  it('DU-9: a number that is used again, and another start of the machine, are distinguished from the owner', async () => {
    for (const change of [{ started: 'proc:1' }, { boot: 'another' }, { pid: 2 ** 22 - 3 }]) {
      const path = await lockPath();
      await leave(path, change);
      expect(await takeLock(host, path), JSON.stringify(change)).toMatchObject({ ok: true });
    }
  });

  it('DU-9: a doubtful lock is not taken: unreadable, of another container, without a start', async () => {
    for (const change of [{ space: 'pid:[1]' }, { started: null }, { started: 'ps:1' }, { token: '../../../x' }]) {
      const path = await lockPath();
      await leave(path, change);
      expect(await takeLock(host, path), JSON.stringify(change)).toMatchObject({ ok: false, kind: 'doubtful' });
    }
    const path = await lockPath();
    await writeFile(path, '');
    expect(await takeLock(host, path)).toMatchObject({
      ok: false,
      kind: 'doubtful',
      reason: expect.stringContaining(path),
    });
    expect(await inspectLock(host, path)).toMatchObject({ kind: 'doubtful' });
  });

  it('DU-9, failures 19: of many takers of a dead lock exactly one gets it', async () => {
    const program = await bundle(new URL('./lock-taker.ts', import.meta.url), await scratchFolder());
    const path = await lockPath();
    for (let round = 0; round < 3; round += 1) {
      await leave(path, { started: 'proc:1' });
      const takers = await Promise.all(Array.from({ length: 8 }, () => startTaker(program, path)));
      expect(takers.map((taker) => taker.said).sort()).toEqual([...Array(7).fill('held'), 'taken']);
      for (const { child } of takers) child.kill('SIGKILL');
      await rm(path);
    }
  });

  it('DU-9: of many takers within one process, at every interleaving tried, never two hold it', async () => {
    const path = await lockPath();
    for (let round = 0; round < 30; round += 1) {
      await leave(path, { started: 'proc:1' });
      const slow: Host = {
        ...host,
        files: {
          ...host.files,
          read: async (file) => {
            const content = await host.files.read(file);
            await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
            return content;
          },
        },
      };
      const attempts = await Promise.all(Array.from({ length: 6 }, () => takeLock(slow, path)));
      expect(attempts.filter((attempt) => attempt.ok)).toHaveLength(1);
      for (const attempt of attempts) if (attempt.ok) expect(await attempt.lock.release()).toBe(true);
      expect(await readdir(join(path, '..'))).toEqual([]);
    }
  });

  it('DU-9: a taker that died while it took over is itself succeeded', async () => {
    const path = await lockPath();
    await leave(path, { started: 'proc:1', token: 'first-token' });
    const dead = { ...JSON.parse(await readFile(path, 'utf8')), token: 'second-token' };
    await writeFile(`${path}.next-first-token`, JSON.stringify(dead));
    const attempt = await takeLock(host, path);
    expect(attempt.ok).toBe(true);
    expect(await takeLock(host, path)).toMatchObject({ kind: 'held' });
    if (attempt.ok) await attempt.lock.release();
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  it('DU-9: a claim that a killed taker left next to a taken-over lock is removed with the release', async () => {
    const path = await lockPath();
    await leave(path, { pid: 2 ** 22 - 1, started: 'proc:1' });
    const dead = JSON.parse(await readFile(path, 'utf8'));
    const loose = `${path}.next-of-nobody-any-more`;
    await writeFile(loose, JSON.stringify(dead));
    await writeFile(`${path}-2.next-of-another-lock`, '');
    const taken = await takeLock(host, path);
    if (!taken.ok) throw new Error(taken.reason);
    expect(taken.wasDead).toBe(true);
    expect(await taken.lock.release()).toBe(true);
    expect(await readdir(join(path, '..'))).toEqual([expect.stringMatching(/-2\.next-of-another-lock$/)]);
  });

  it('DU-9, DU-20: if any file call fails while it is taken, it is either held or free', async () => {
    const counted = faultyHost(host, NO_FAULT);
    const sample = await lockPath();
    await leave(sample, { started: 'proc:1' });
    await takeLock(counted.host, sample);
    for (let at = 1; at <= counted.calls(); at += 1) {
      const path = await lockPath();
      await leave(path, { started: 'proc:1' });
      const attempt = await takeLock(faultyHost(host, { at, lasting: false, fault: 'EIO' }).host, path);
      const after = await takeLock(host, path);
      expect(after.ok, `call ${at}: ${JSON.stringify(attempt)}`).toBe(!attempt.ok);
    }
  });

  it('DU-9: without hard links it works as well', async () => {
    const refuse = async () => {
      throw Object.assign(new Error('no links here'), { code: 'EPERM' });
    };
    const plain: Host = { ...host, files: { ...host.files, link: refuse } };
    const path = await lockPath();
    await leave(path, { started: 'proc:1' });
    const attempts = await Promise.all([takeLock(plain, path), takeLock(plain, path)]);
    expect(attempts.filter((attempt) => attempt.ok)).toHaveLength(1);
  });
});
