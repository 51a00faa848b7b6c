/** Rows about files: what was checked is what is opened, and the home holds more than files (GT-28, GT-7). */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { script } from '../../../story/agents/agents-script.js';
import { setTable, write } from '../../../story/gate/hostile/table-stage.js';
import { buildProgram } from '../../../support/program.js';

const WRITES = 200;

beforeAll(buildProgram);

describe('a folder swapped while we write', () => {
  it(`GT-28: of ${WRITES} writes none lands outside, and no temporary file stays`, async () => {
    const table = await setTable();
    const folder = join(table.folder, 'swapped');
    const target = join(table.outside, 'target');
    await mkdir(folder);
    await mkdir(target);
    const calls = Array.from({ length: WRITES }, (_, index) => write(join(folder, `f${index}.txt`)));
    const perTurn = 20;
    const turns = Array.from({ length: WRITES / perTurn }, (_, turn) =>
      calls.slice(turn * perTurn, (turn + 1) * perTurn),
    );
    table.sim.use(script({ main: [...turns, 'done'] }));
    const swapping = startSwapping(folder, target);
    await new Promise((resolve) => swapping.stdout?.once('data', resolve));
    const session = await table.open({ permissionMode: 'acceptEdits', trust: true });
    await session.send('MAIN write');
    swapping.kill('SIGKILL');
    await new Promise((resolve) => swapping.once('close', resolve));
    expect(await readdir(target)).toEqual([]);
    const left = [folder, `${folder}.aside`].filter((path) => existsSync(path));
    for (const path of left) {
      const names = await readdir(path);
      expect(names.filter((name) => !/^f\d+\.txt$/.test(name))).toEqual([]);
    }
  });
});

/** Swaps a folder of the project for a link to outside and back, as fast as it can, until it is ended. */
function startSwapping(folder: string, outside: string): ChildProcess {
  const code = `
    const fs = require('node:fs');
    const [folder, outside] = process.argv.slice(1);
    fs.symlinkSync(outside, folder + '.link');
    process.stdout.write('swapping');
    for (;;) {
      try { fs.renameSync(folder, folder + '.aside'); fs.renameSync(folder + '.link', folder); } catch {}
      try { fs.renameSync(folder, folder + '.link'); fs.renameSync(folder + '.aside', folder); } catch {}
    }`;
  const child = spawn(process.execPath, ['-e', code, folder, outside], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
