/** What the tests of commands.test.ts share with those of test:long. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runProgram } from '../../support/program.js';
import { setStage } from '../../support/story.js';

/** `coppice sim` says what is wrong with its arguments. */
export async function expectRefusedSim(args: readonly string[], message: RegExp): Promise<void> {
  const stage = await setStage();
  await stage.write('broken.yaml', 'rules:\n  - reply: 7\n');
  await stage.write('empty.jsonl', '');
  const end = await runProgram(['sim', ...args], stage.at);
  expect(end).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  expect(end.stderr).not.toMatch(/^\s+at /m);
}

/** What `coppice doctor` says about a git that calls itself so. */
export async function expectGitFinding(version: string, state: string, found: RegExp): Promise<void> {
  const stage = await setStage();
  const tools = join(stage.home, 'tools');
  await mkdir(tools);
  await writeFile(join(tools, 'git'), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
  const env = { ...stage.env, PATH: `${tools}:${stage.env.PATH}` };
  const end = await runProgram(['doctor', '--json'], { cwd: stage.folder, env });
  const findings = JSON.parse(end.stdout) as { check: string; state: string; found: string }[];
  expect(findings.find(({ check }) => check === 'git')).toMatchObject({ state, found: expect.stringMatching(found) });
}
