/** The demo through the real program: it comes to the same end every time and leaves nothing behind. */

import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { runningWith } from '../../../support/processes.js';
import { buildProgram, runProgram, startProgram } from '../../../support/program.js';
import { scratchFolder } from '../../../support/scratch.js';
import { until } from '../../../support/until.js';
import { place } from './demo-stage.js';

beforeAll(buildProgram);

it('SF-13: interrupted while git still makes the repository, it waits for the end of that process', async () => {
  const { folder, start } = await place();
  const tools = await scratchFolder();
  const begun = join(tools, 'begun');
  // A git that makes the folder again whenever it has gone.
  const script = `#!/bin/sh\necho > ${begun}\nfor n in $(seq 1000); do mkdir -p "$PWD/.git/$n"; done\n`;
  await writeFile(join(tools, 'git'), script, { mode: 0o755 });
  const running = startProgram(['demo'], { ...start, env: { ...start.env, PATH: `${tools}:${process.env.PATH}` } });
  await until(() => existsSync(begun), 'git runs');
  running.child.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 130, stderr: '' });
  await until(() => runningWith(tools).length === 0, 'git has ended');
  expect(await readdir(folder)).toEqual([]);
});

it('SF-13: --play without a terminal reports what to do, and the help documents it', async () => {
  const { folder, start } = await place();
  const end = await runProgram(['demo', '--play'], start);
  expect(end).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'error: --play needs a terminal for its input and output. Without one: coppice demo\n',
  });
  const help = await runProgram(['demo', '--help'], start);
  expect(help.stdout).toMatch(/--play +in the real terminal/);
  expect(help.stdout).toMatch(/When it asks, you may answer/);
  expect(help.stdout).not.toContain('--scene');
  expect(await readdir(folder)).toEqual([]);
});
