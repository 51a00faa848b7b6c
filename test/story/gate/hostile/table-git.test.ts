import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { agentCall, script } from '../../agents/agents-script.js';
import { commitSome, expectLive, READS, reads } from './table-git-stage.js';
import { bash, setTable, type Table, write } from './table-stage.js';

beforeAll(buildProgram);

describe('a repository before trust', () => {
  it('GT-26: an embedded bare repository whose objects are a link', async () => {
    const table = await setTable();
    await plantBare(table, table.folder, 'bare');
    await rename(join(table.folder, 'objects'), join(table.folder, 'real-objects'));
    await symlink('real-objects', join(table.folder, 'objects'));
    expectLive(table, table.folder);
    await table.run(reads());
    expect(await table.marked()).toEqual([]);
  });

  it('GT-26: a folder reached by a link', async () => {
    const table = await setTable();
    await table.write('deep/er/file.txt', 'x\n');
    await plantBare(table, join(table.folder, 'deep'), 'link');
    await symlink('deep/er', join(table.folder, 'link'));
    expectLive(table, join(table.folder, 'deep', 'er'));
    await table.run([...reads('cd link && '), bash('git -C link status'), bash('cd link; git status')]);
    expect(await table.marked()).toEqual([]);
  });

  it('GT-26: a commondir elsewhere', async () => {
    const table = await setTable();
    await commitSome(table);
    const elsewhere = join(table.folder, 'elsewhere');
    await rename(join(table.folder, '.git'), elsewhere);
    await mkdir(join(table.folder, '.git'));
    for (const name of ['HEAD', 'index'])
      await writeFile(join(table.folder, '.git', name), await readFile(join(elsewhere, name)));
    await writeFile(join(table.folder, '.git', 'commondir'), `${elsewhere}\n`);
    await writeFile(
      join(elsewhere, 'config'),
      `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "${table.mark('commondir')}"\n`,
    );
    expectLive(table, table.folder);
    await table.run(reads());
    expect(await table.marked()).toEqual([]);
  });

  it('GT-26: an empty .git next to a bare layout', async () => {
    const table = await setTable();
    await plantBare(table, table.folder, 'empty');
    await mkdir(join(table.folder, '.git'));
    expectLive(table, table.folder);
    await table.run(reads());
    expect(await table.marked()).toEqual([]);
  });
});

describe('trust belongs to a repository', () => {
  it('GT-26: in acceptEdits a bare layout written into a folder does not run at git status there', async () => {
    const table = await setTable();
    await commitSome(table);
    const sub = join(table.folder, 'sub');
    await mkdir(join(table.outside, 'copy'));
    await plantBare(table, join(table.outside, 'copy'), 'written');
    expectLive(table, join(table.outside, 'copy'));
    const config = (await readFile(join(table.outside, 'copy', 'config'), 'utf8')).replaceAll(
      join(table.outside, 'copy'),
      sub,
    );
    const calls = [
      write(join(sub, 'HEAD'), 'ref: refs/heads/main\n'),
      write(join(sub, 'config'), config),
      write(join(sub, 'objects', 'x'), ''),
      write(join(sub, 'refs', 'heads', 'x'), ''),
      bash('cd sub && git status'),
      bash('cd sub'),
      bash('git status'),
      bash('git -C sub status'),
    ];
    await table.run(calls, '--permission-mode', 'acceptEdits', '--trust');
    expect(await table.marked()).toEqual([]);
  });

  it('GT-26: an agent whose folder is a nested repository runs none of its programs', async () => {
    const table = await setTable();
    await commitSome(table);
    const nested = join(table.folder, 'vendor');
    await table.write('vendor/file.txt', 'x\n');
    table.git(nested, 'init', '-q');
    await writeFile(
      join(nested, '.git', 'config'),
      `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "${table.mark('nested')}"\n`,
    );
    expectLive(table, nested);
    table.sim.use(
      script({
        main: [[agentCall('CHILD look', { subagent_type: 'general-purpose', cwd: nested })], 'done'],
        CHILD: [READS.map((line) => bash(line)), 'seen'],
      }),
    );
    await runProgram(['-p', 'MAIN look', '--output-format', 'json', '--trust'], { cwd: table.folder, env: table.env });
    expect(await table.marked()).toEqual([]);
  });
});

describe('tools that a project configures', () => {
  it.each([
    ['mvn --version', '.mvn/jvm.config', '-javaagent:x'],
    ['yarn --version', '.yarnrc.yml', 'yarnPath: ./evil.cjs\n'],
    ['make --version', 'Makefile', 'x := $(shell touch evil)\n'],
    ['pytest --version', 'conftest.py', 'open("evil", "w")\n'],
    ['npx --version', '.npmrc', 'node-options=--require ./evil.cjs\n'],
    ['npm --version', '.npmrc', 'node-options=--require ./evil.cjs\n'],
    ['gradle --version', 'gradlew', '#!/bin/sh\ntouch evil\n'],
  ])('GT-27: %s runs nothing of a project that is not trusted', async (command, file, content) => {
    const table = await setTable();
    await table.write(file, content);
    await table.write('evil.cjs', `require('fs').writeFileSync(${JSON.stringify(join(table.marks, 'ran'))}, '')\n`);
    const { results } = await table.run(
      [bash(command), write(join(table.folder, 'x'), ''), bash(command)],
      '--permission-mode',
      'acceptEdits',
    );
    expect(await table.marked()).toEqual([]);
    expect(results[0]?.isError, results[0]?.text).toBe(true);
  });
});

/** A bare layout whose configuration runs a program at `git status`. */
async function plantBare(table: Table, folder: string, mark: string): Promise<void> {
  await mkdir(join(folder, 'refs', 'heads'), { recursive: true });
  await mkdir(join(folder, 'objects'), { recursive: true });
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${folder}\n\tfsmonitor = "${table.mark(mark)}"\n`;
  await writeFile(join(folder, 'config'), config);
}
