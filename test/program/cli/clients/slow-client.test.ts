/** CL-8: a client that does not read: bounded memory, nothing is lost, and the program can still be ended. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { runningIn } from '../../../support/processes.js';
import { buildProgram } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';
import { PROGRAM } from '../plain/plain-stage.js';

beforeAll(buildProgram, 120_000);

const STREAM = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages'];
const CLIENT = ['-p', '--input-format', 'stream-json', ...STREAM, '--permission-mode', 'bypassPermissions'];
const ROUNDS = 60;
const CHILDREN = 3;

/** Many big results in each agent. */
const RULES: readonly Rule[] = [
  ...Array.from({ length: ROUNDS }, (_, index) => ({
    when: { said: 'read on', nth: index + 1 },
    reply: [
      'Words before it. '.repeat(200),
      { tool: 'Read', input: { file_path: 'big.txt', offset: index + 1, limit: 400 } },
    ],
  })),
  { when: { said: 'read on' }, reply: 'Child done.' },
  { when: { result: { tool: 'Agent' } }, reply: 'All done.' },
  {
    reply: Array.from({ length: CHILDREN }, (_, index) => ({
      tool: 'Agent',
      input: { description: `child ${index}`, prompt: `read on ${index}` },
    })),
  },
];

async function setSlowStage(): Promise<Stage> {
  const stage = await setStage(RULES);
  await stage.write('big.txt', `${'x'.repeat(120)}\n`.repeat(2_000));
  onTestFinished(() => {
    for (const line of runningIn(stage.home)) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  });
  return stage;
}

function start(stage: Stage, args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: stage.folder,
    env: stage.env as NodeJS.ProcessEnv,
  });
  child.stdin.on('error', () => {});
  child.stdout.pause();
  return child;
}

function residentMb({ pid }: ChildProcessWithoutNullStreams): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Resolves when it asks the model no more. */
async function halts(stage: Stage): Promise<number> {
  let seen = 0;
  await until(
    async () => {
      const before = stage.sim.requests.length;
      await sleep(1_000);
      seen = stage.sim.requests.length;
      return before > CHILDREN && before === seen;
    },
    'a halt',
    60_000,
  );
  return seen;
}

function exitOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve));
}

const PROMPT = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } })}\n`;

describe('CL-8: a client that does not read', () => {
  it('CL-8: agents wait for it, what is kept for it stays bounded, and it gets every line once it reads', async () => {
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
  }, 120_000);

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)(
    'CL-8: %s ends the program all the same',
    async (signal, code) => {
      const stage = await setSlowStage();
      const child = start(stage, CLIENT);
      child.stdin.write(PROMPT);
      await halts(stage);
      const ended = exitOf(child);
      child.kill(signal);
      expect(await ended).toBe(code);
      expect(runningIn(stage.home)).toEqual([]);
    },
    60_000,
  );

  it('CL-8: so it does with -p', async () => {
    const stage = await setSlowStage();
    const child = start(stage, ['-p', 'go', ...STREAM, '--permission-mode', 'bypassPermissions']);
    child.stdin.end();
    await halts(stage);
    const ended = exitOf(child);
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
  }, 60_000);
});
