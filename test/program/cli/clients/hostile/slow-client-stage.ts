/** What the tests of slow-client.test.ts share with those of test:long. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { Rule } from '../../../../../src/sim/index.js';
import { runningIn } from '../../../../support/processes.js';
import { type Stage, setStage } from '../../../../support/story.js';
import { until } from '../../../../support/until.js';
import { PROGRAM } from '../../plain/plain-stage.js';

export const STREAM = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages'];

export const CLIENT = ['-p', '--input-format', 'stream-json', ...STREAM, '--permission-mode', 'bypassPermissions'];

export const ROUNDS = 60;

export const CHILDREN = 3;

/** Many big results in each agent. */
export const RULES: readonly Rule[] = [
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

export async function setSlowStage(): Promise<Stage> {
  const stage = await setStage(RULES);
  await stage.write('big.txt', `${'x'.repeat(120)}\n`.repeat(2_000));
  onTestFinished(() => {
    for (const line of runningIn(stage.home)) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  });
  return stage;
}

export function start(stage: Stage, args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: stage.folder,
    env: stage.env as NodeJS.ProcessEnv,
  });
  child.stdin.on('error', () => {});
  child.stdout.pause();
  return child;
}

/** Resolves when it asks the model no more. */
export async function halts(stage: Stage): Promise<number> {
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

export function exitOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve));
}

/** A signal ends it while its client reads nothing, and nothing of it is left. */
export async function expectEnds(signal: NodeJS.Signals, code: number): Promise<void> {
  const stage = await setSlowStage();
  const child = start(stage, CLIENT);
  child.stdin.write(PROMPT);
  await halts(stage);
  const ended = exitOf(child);
  child.kill(signal);
  expect(await ended).toBe(code);
  expect(runningIn(stage.home)).toEqual([]);
}

export const PROMPT = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } })}\n`;
