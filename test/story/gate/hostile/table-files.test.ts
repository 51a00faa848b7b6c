/** Rows about files: what was checked is what is opened, and the home holds more than files (GT-28, GT-7). */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { script } from '../../agents/agents-script.js';
import { setTable, write } from './table-stage.js';

beforeAll(buildProgram);

describe('the home as the root', () => {
  it('GT-7: what opens doors there is not written unasked in acceptEdits', async () => {
    const table = await setTable();
    const names = [
      '.ssh/authorized_keys',
      '.ssh/config',
      '.config/git/config',
      '.gitconfig',
      '.coppice/trust.json',
      '.coppice/settings.json',
      '.claude.json',
      '.bashrc',
      '.profile',
      '.netrc',
      '.npmrc',
      '.config/fish/config.fish',
      '.local/bin/ls',
    ];
    const at = { cwd: table.home, env: table.env };
    await writeFile(join(table.home, 'plain.txt'), '');
    table.sim.use(
      script({
        main: [names.map((name) => write(join(table.home, name))), [write(join(table.home, 'notes.txt'))], 'done'],
      }),
    );
    const flags = ['-p', 'MAIN write', '--output-format', 'json', '--permission-mode', 'acceptEdits', '--trust'];
    const end = await runProgram(flags, at);
    const written: string[] = [];
    for (const name of names) {
      const path = join(table.home, name);
      if (existsSync(path) && (await readFile(path, 'utf8')).includes('pwned')) written.push(name);
    }
    expect(written, end.stderr).toEqual([]);
    expect(existsSync(join(table.home, 'notes.txt'))).toBe(true);
  });
});
