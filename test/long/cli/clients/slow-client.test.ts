/** CL-8: a client that does not read: bounded memory, nothing is lost, and the program can still be ended. */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CHILDREN,
  CLIENT,
  exitOf,
  expectEnds,
  halts,
  PROMPT,
  ROUNDS,
  STREAM,
  setSlowStage,
  start,
} from '../../../program/cli/clients/hostile/slow-client-stage.js';
import { buildProgram } from '../../../support/program.js';
import { until } from '../../../support/until.js';

beforeAll(buildProgram);

describe('CL-8: a client that does not read', () => {
  it('CL-8: agents wait for it, what is queued for it stays bounded, and it gets every line once it reads', async () => {
    const stage = await setSlowStage();
    const child = start(stage, CLIENT);
    child.stdin.write(PROMPT);
    expect(await halts(stage)).toBeLessThan(ROUNDS * CHILDREN);
    const resident = residentMb(child);
    if (process.env.KILLS !== undefined) console.log(`resident while it waits: ${Math.round(resident)} MB`);
    expect(resident).toBeLessThan(400);
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      out += piece;
    });
    child.stdout.resume();
    child.stdin.end();
    expect(await exitOf(child)).toBe(0);
    await until(() => out.endsWith('\n'));
    const lines = out.split('\n').slice(0, -1);
    const results = lines.map((line) => JSON.parse(line)).filter(({ tool_use_result: read }) => read?.type === 'text');
    expect(results).toHaveLength(ROUNDS * CHILDREN);
    expect(out).toContain('All done.');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('CL-8: %s ends the program all the same', expectEnds);

  it('CL-8: so it does with -p', async () => {
    const stage = await setSlowStage();
    const child = start(stage, ['-p', 'go', ...STREAM, '--permission-mode', 'bypassPermissions']);
    child.stdin.end();
    await halts(stage);
    const ended = exitOf(child);
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
  });
});

function residentMb({ pid }: ChildProcessWithoutNullStreams): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
