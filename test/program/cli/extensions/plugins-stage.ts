/** What the tests of plugins.test.ts share with those of test:long. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../../support/program.js';
import type { Stage } from '../../../support/story.js';

export const REPLY = [{ reply: 'Hello.' }];

export const starts = (command: string) =>
  JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } });

/** A plugin whose hook leaves a file in the project. */
export async function writePlugin(stage: Stage, where: string, file = 'ran'): Promise<string> {
  await stage.write(`${where}/hooks/hooks.json`, starts(`touch ${file}`));
  await stage.write(`${where}/skills/s/SKILL.md`, '---\ndescription: d\nallowed-tools: Bash(git *)\n---\nx\n');
  return join(stage.folder, where);
}

export type Row = {
  readonly name: string;
  readonly status: string;
  readonly scope: string;
  readonly acts: readonly string[];
};

export const rows = async (stage: Stage, ...args: string[]): Promise<readonly Row[]> =>
  JSON.parse((await runProgram(['plugins', 'list', '--json', ...args], stage.at)).stdout).plugins;

export const states = async (stage: Stage) =>
  Object.fromEntries((await rows(stage)).map(({ name, status }) => [name, status]));

export const ran = (stage: Stage, name = 'ran') => existsSync(join(stage.folder, name));
