/** What the tests of skills-killed.test.ts share with those of test:long. */

import type { SimRequest } from '../../../src/sim/index.js';
import { runProgram, startProgram } from '../../support/program.js';
import type { Stage } from '../../support/story.js';
import { until } from '../../support/until.js';

export const rawOf = (request: SimRequest | undefined) => request?.raw.toString('utf8') ?? '';

export const write = (stage: Stage, name: string, fields: string, body: string) =>
  stage.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n${fields}---\n${body}\n`);

export async function killed(
  stage: Stage,
  args: readonly string[],
  when: () => boolean | Promise<boolean>,
): Promise<void> {
  const { child, ended } = startProgram([...args, '--trust'], stage.at);
  await until(when);
  child.kill('SIGKILL');
  await ended;
}

export const goOn = (stage: Stage, words: string) => runProgram(['--continue', '--trust', '-p', words], stage.at);
