/** The descriptors of a process beyond the standard three. */

import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeProcesses } from '../../../src/host/node-processes.js';
import { scratchFolder } from '../../support/scratch.js';

const bash = (script: string) => ({ file: 'bash', args: ['-c', script], cwd: '/', env: process.env });

it('GT-24: a file opened for reading and a report, numbered in their order', async () => {
  const file = join(await scratchFolder(), 'file');
  await writeFile(file, 'content');
  const open = readdirSync('/proc/self/fd').length;
  const running = nodeProcesses.start({
    ...bash('cat <&3 >&4; echo " and $(echo x >&3 2>/dev/null || echo refused)" >&4'),
    descriptors: [{ kind: 'file', path: file }, { kind: 'report' }],
  });
  expect((await running.report()).toString('utf8')).toBe('content and refused\n');
  expect(await running.exit).toEqual({ code: 0, signal: null });
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(open + 2);
});

it('GT-24: only the end of a long report is returned; without one it is empty', async () => {
  const long = nodeProcesses.start({ ...bash('seq 200000 >&3'), descriptors: [{ kind: 'report' }] });
  const report = await long.report();
  expect(report.length).toBe(64 * 1024);
  expect(report.toString('utf8').endsWith('199999\n200000\n')).toBe(true);
  expect((await nodeProcesses.start(bash('true')).report()).length).toBe(0);
});

it('GT-24: a file that can’t be opened means that it was not started', async () => {
  const running = nodeProcesses.start({ ...bash('echo ran'), descriptors: [{ kind: 'file', path: '/none/x' }] });
  expect((await running.exit).error?.message).toContain('/none/x');
  expect((await running.report()).length).toBe(0);
});

it('GT-24: a leftover process that holds the report open does not delay it', async () => {
  const started = nodeProcesses.start({
    ...bash('setsid sleep 31.5 & echo "$!" >&3'),
    descriptors: [{ kind: 'report' }],
  });
  const pid = Number((await started.report()).toString('utf8'));
  process.kill(pid);
  expect(pid).toBeGreaterThan(1);
});
