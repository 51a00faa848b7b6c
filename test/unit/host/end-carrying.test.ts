/** Processes that are found by an environment variable, and groups that an earlier process started. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';
import { groupRuns, runningWith } from '../../support/processes.js';
import { until } from '../../support/until.js';

const { processes } = nodeHost('/');

function startSleeping(seconds: string, script: string, env: Readonly<Record<string, string>>) {
  const child = spawn('bash', ['-c', script], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...env },
  });
  const sleeps = () => runningWith(`sleep ${seconds}`).filter((line) => /^\d+ sleep/.test(line));
  onTestFinished(() => {
    for (const line of sleeps()) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  });
  return { child, sleeps };
}

it('MC-15: what carries the very value is ended wherever it went, and nothing else', async () => {
  const [mine, others] = [`${process.pid}4.75`, `${process.pid}5.75`];
  const one = startSleeping(mine, `trap "" TERM; setsid sleep ${mine} & sleep ${mine}`, { TAG: 'value-1' });
  const other = startSleeping(others, `setsid sleep ${others} & sleep ${others}`, { TAG: 'value-10', XTAG: 'value-1' });
  await until(() => one.sleeps().length === 2 && other.sleeps().length === 2);
  const ended = await processes.endByVariable('TAG', 'value-1', 100);
  expect(one.sleeps()).toEqual([]);
  expect(ended.length).toBeGreaterThanOrEqual(3);
  expect(other.sleeps()).toHaveLength(2);
  expect(await processes.endByVariable('TAG', 'value-1')).toEqual([]);
});

it('MC-15: a group is ended as a whole, with SIGKILL for those that mind no SIGTERM', async () => {
  const seconds = `${process.pid}6.75`;
  const { child, sleeps } = startSleeping(seconds, `trap "" TERM; sleep ${seconds} & sleep ${seconds}; true`, {});
  await until(() => sleeps().length === 2);
  const ended = once(child, 'exit');
  await processes.endGroup(child.pid ?? 0, 100);
  await ended;
  expect(groupRuns(child.pid ?? 0)).toBe(false);
  expect(sleeps()).toEqual([]);
});
