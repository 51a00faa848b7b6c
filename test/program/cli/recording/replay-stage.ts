/** What the tests of replay.test.ts share with those of test:long. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runProgram } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';

/** No key, an address nothing answers at, and a helper that must not run. */
export function elsewhere(stage: Stage): Stage['at'] {
  const { ANTHROPIC_API_KEY: _, ...env } = stage.env;
  return { cwd: stage.folder, env: { ...env, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' } };
}

export async function setElsewhere(): Promise<{ readonly stage: Stage; readonly at: Stage['at'] }> {
  const stage = await setStage();
  await stage.settings({ apiKeyHelper: `touch ${join(stage.home, 'helper-ran')}; echo key` });
  return { stage, at: elsewhere(stage) };
}

export async function recordHello(args: readonly string[] = []): Promise<string> {
  const stage = await setStage([
    { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'pwd' } }] },
    { reply: ({ results }) => `You are in ${results[0]?.text}` },
  ]);
  const file = join(stage.home, 'run.jsonl');
  const end = await runProgram(['-p', 'Where?', '--record', file, ...args], stage.at);
  expect(end, stage.sim.report()).toMatchObject({ code: 0, stderr: '', stdout: `You are in ${stage.folder}\n` });
  expect(await readFile(file, 'utf8')).not.toContain(stage.home);
  return file;
}
