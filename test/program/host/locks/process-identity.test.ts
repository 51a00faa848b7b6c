/** DU-9: a process is told from another that got its number later. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { checkAlive, identifyOwnProcess, identifyProcess } from '../../../../src/host/locks/process-identity.js';
import { nodeHost } from '../../../../src/host/node-host.js';

const host = nodeHost('/');

/** Computes for a while when it gets a line, answers, and waits for the next. */
const WORKER = 'while read line; do i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; echo done; done';

function startWorker(): ChildProcess & { readonly pid: number } {
  const child = spawn('sh', ['-c', WORKER], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('it was not started');
  return Object.assign(child, { pid });
}

async function work({ stdin, stdout }: ChildProcess): Promise<void> {
  if (stdin === null || stdout === null) throw new Error('no streams');
  stdin.write('go\n');
  await once(stdout, 'data');
}

it('DU-9: it is identified by when it started, which stays the same while it works', async () => {
  const own = await identifyOwnProcess(host);
  const first = startWorker();
  const before = await identifyProcess(host, first.pid);
  // Longer than a tick of the process table.
  await host.clock.sleep(50);
  const second = startWorker();
  const later = await identifyProcess(host, second.pid);
  const [eldest = 0, elder = 0, youngest = 0] = [own, before, later].map(({ started }) =>
    Number(started?.slice('proc:'.length)),
  );
  expect(eldest).toBeLessThan(elder);
  expect(elder).toBeLessThan(youngest);
  await work(first);
  expect(await identifyProcess(host, first.pid)).toEqual(before);
  expect(await checkAlive(host, before, own)).toBe('alive');
  // As if its number had been given to the other.
  expect(await checkAlive(host, { ...before, pid: second.pid }, own)).toBe('dead');
  expect(await checkAlive(host, { ...own, pid: second.pid }, own)).toBe('dead');
});
