/** Git judged as git behaves: which repository it takes, what that one may run, and whose trust covers it (GT-26). */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findUntrustedProgram, readRepository } from '../../../src/gate/permissions/paths/repository.js';
import { safeGitEnvironment } from '../../../src/host/git/git-environment.js';
import { nodeFiles } from '../../../src/host/node-files.js';
import type { Decision } from '../../../src/protocol/permission.js';
import { HOSTILE } from '../../unit/gate/permissions/hostile-repositories.js';
import { makePlayground, type Playground } from '../../unit/gate/permissions/playground.js';

let place: Playground;
let program: string;
let mark: string;
beforeEach(async () => {
  place = await makePlayground();
  mark = join(place.outside, 'ran');
  program = join(place.outside, 'program');
  await writeFile(program, `#!/bin/sh\necho >${mark}\n`);
  await chmod(program, 0o755);
});
afterEach(() => place.remove());

const run = (command: string, cwd: string, env: Readonly<Record<string, string | undefined>> = process.env) =>
  spawnSync('bash', ['-c', command], { cwd, env, encoding: 'utf8' });
const never = () => false;
const programOf = (folder: string) => findUntrustedProgram(read(folder), { trusted: undefined, isEditable: never });
const read = (folder: string) => readRepository(folder, nodeFiles.sync);

/** It asks, or runs with the programs of the repository off. */
function staysOff(decision: Decision): boolean {
  if (decision.behavior !== 'allow') return true;
  const { run } = decision;
  return run?.kind === 'reading' || run?.kind === 'proven' || (run?.kind === 'ruled' && run.programs === 'off');
}

describe('GT-26 repositories that run something at a plain git status', () => {
  it.each(HOSTILE.map((hostile) => [hostile.name, hostile] as const))('GT-26: %s', async (_name, hostile) => {
    await hostile.make(place.root, program);
    const cwd = join(place.root, hostile.at ?? '');
    // It is real: git itself runs it.
    run(hostile.command, cwd);
    expect(existsSync(mark)).toBe(true);
    await rm(mark);
    // Reading is asked about while nobody trusts the folder; what is nested, also in a trusted one.
    for (const allow of [[], ['Bash'], ['Bash(git status:*)', 'Bash(cd:*)']])
      expect(staysOff(place.bash(hostile.command, { cwd, trusted: false, allow }))).toBe(true);
    if (hostile.at !== undefined || hostile.command.startsWith('cd'))
      expect(staysOff(place.bash(hostile.command, { cwd, trusted: true }))).toBe(true);
    // And whatever the look says, with the programs off it does not run.
    if (/hook/.test(hostile.name)) execFileSync('touch', ['-d', '2002-02-02', join(place.root, 'f')]);
    run(hostile.command, cwd, safeGitEnvironment(process.env));
    expect(existsSync(mark)).toBe(false);
  });

  it('GT-26: a trusted folder’s own repository is trusted, also from a folder below it', async () => {
    execFileSync('git', ['init', '-q', place.root]);
    execFileSync('git', ['-C', place.root, 'config', 'core.fsmonitor', program]);
    await place.write('src/deep/a');
    for (const cwd of [place.root, join(place.root, 'src', 'deep')]) {
      expect(place.bash('git status', { cwd, trusted: true }).behavior).toBe('allow');
      expect(staysOff(place.bash('git status', { cwd, trusted: false }))).toBe(true);
    }
  });

  it('GT-26: in a trusted folder a bare repository is not covered: an edit may have made it', async () => {
    const hostile = HOSTILE.find(({ name }) => name.startsWith('an empty .git'));
    await hostile?.make(place.root, program);
    expect(staysOff(place.bash('git status', { trusted: true }))).toBe(true);
  });

  it('GT-26: a clean nested repository and a clean submodule need no question', async () => {
    execFileSync('git', ['init', '-q', place.root]);
    execFileSync('git', ['init', '-q', join(place.root, 'nested')]);
    expect(place.bash('cd nested && git status').behavior).toBe('allow');
    expect(place.bash('git status', { cwd: join(place.root, 'nested') }).behavior).toBe('allow');
    const sub = join(place.root, 'lib');
    await mkdir(sub);
    await mkdir(join(place.root, '.git', 'modules'));
    const modules = join(place.root, '.git', 'modules', 'lib');
    execFileSync('git', ['init', '-q', '--separate-git-dir', modules, sub]);
    execFileSync('git', ['--git-dir', modules, 'config', 'core.worktree', '../../../lib']);
    expect(read(sub)).toMatchObject({ folder: sub });
    expect(place.bash('git status', { cwd: sub }).behavior).toBe('allow');
    execFileSync('git', ['--git-dir', modules, 'config', 'core.worktree', '/etc']);
    expect(staysOff(place.bash('git status', { cwd: sub }))).toBe(true);
  });

  it('GT-26: a linked worktree is read with the repository it belongs to', async () => {
    execFileSync('git', ['init', '-q', place.root]);
    execFileSync('git', [
      '-C',
      place.root,
      '-c',
      'user.name=a',
      '-c',
      'user.email=b',
      'commit',
      '-qm',
      'x',
      '--allow-empty',
    ]);
    execFileSync('git', ['-C', place.root, 'worktree', 'add', '-q', '-b', 'w', 'tree']);
    const tree = join(place.root, 'tree');
    expect(programOf(tree)).toBeUndefined();
    execFileSync('git', ['-C', place.root, 'config', 'core.fsmonitor', program]);
    expect(programOf(tree)).toContain('core.fsmonitor');
    expect(findUntrustedProgram(read(tree), { trusted: read(tree), isEditable: never })).toBeUndefined();
    expect(findUntrustedProgram(read(tree), { trusted: read(place.root), isEditable: never })).toContain(
      'core.fsmonitor',
    );
  });

  it('GT-26: objects of another repository, hooks elsewhere and unreadable parts apply', async () => {
    execFileSync('git', ['init', '-q', place.root]);
    await place.write('.git/objects/info/alternates', '/elsewhere/objects\n');
    expect(programOf(place.root)).toContain('objects from another');
    await rm(join(place.root, '.git/objects/info/alternates'));
    await rm(join(place.root, '.git/hooks'), { recursive: true, force: true });
    await symlink('/usr/share', join(place.root, '.git/hooks'));
    expect(programOf(place.root)).toContain('hooks folder');
    await rm(join(place.root, '.git/hooks'));
    expect(programOf(place.root)).toBeUndefined();
    await symlink('config', join(place.root, '.git/config.worktree'));
    expect(programOf(place.root)).toContain('could not be read');
  });

  it('GT-26 GT-32: a pipe where git keeps a file is never opened', async () => {
    for (const name of ['HEAD', 'config', 'commondir', 'config.worktree']) {
      const folder = join(place.root, `in-${name}`);
      execFileSync('git', ['init', '-q', folder]);
      await rm(join(folder, '.git', name), { force: true });
      execFileSync('mkfifo', [join(folder, '.git', name)]);
      const found = read(folder);
      // A HEAD that is a pipe is no repository for git; the rest of it is checked all the same.
      if (name === 'HEAD') expect(found.folder).toBe(folder);
      else expect(findUntrustedProgram(found, { trusted: undefined, isEditable: never }), name).toBeDefined();
    }
    execFileSync('mkfifo', [join(place.root, 'HEAD')]);
    expect(read(place.root)).toMatchObject({ folder: place.root });
    await rm(join(place.root, 'HEAD'));
    execFileSync('mkfifo', [join(place.root, '.git')]);
    expect(programOf(place.root)).toContain('neither');
  });

  it('GT-26: of two candidates both are checked until one is certain', async () => {
    execFileSync('git', ['init', '-q', place.root]);
    execFileSync('git', ['-C', place.root, 'config', 'core.fsmonitor', program]);
    await place.write('sub/HEAD', 'not a head\n');
    await place.write('sub/a');
    expect(read(join(place.root, 'sub')).candidates.map(({ folder }) => folder)).toEqual([
      join(place.root, 'sub'),
      place.root,
    ]);
    expect(place.bash('git status', { cwd: join(place.root, 'sub'), trusted: true }).behavior).toBe('allow');
    expect(staysOff(place.bash('git status', { cwd: join(place.root, 'sub'), trusted: false }))).toBe(true);
  });

  it('GT-26: a line that makes a repository and then runs git in it is asked about', async () => {
    execFileSync('git', ['init', '-q', place.root]);
    const mode = 'acceptEdits' as const;
    const head = "echo 'ref: refs/heads/m' > sub/HEAD";
    await place.write(
      'sub/config',
      `[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = ${program}\n`,
    );
    const line = `mkdir -p sub/objects sub/refs && ${head} && cd sub && git status`;
    expect(staysOff(place.bash(line, { mode }))).toBe(true);
    expect(staysOff(place.bash(line, { mode, allow: ['Bash(git status:*)'] }))).toBe(true);
    run(line, place.root);
    expect(existsSync(mark)).toBe(true);
    // A bare repository that is clean now may not be changed on the way.
    await place.write('sub/config', '[core]\n\tbare = true\n');
    expect(place.bash('git status', { mode, cwd: join(place.root, 'sub') }).behavior).toBe('allow');
    expect(staysOff(place.bash('echo x >> sub/config && cd sub && git status', { mode }))).toBe(true);
    // With a rule for cp, a folder that is made as a whole may hold anything.
    expect(staysOff(place.bash('cp -r sub new && cd new && git status', { mode, allow: ['Bash(cp:*)'] }))).toBe(true);
    for (const fine of ['echo x > a && git status', 'mkdir -p docs && cd docs && git log', 'touch b; git diff --stat'])
      expect(place.bash(fine, { mode }), fine).toMatchObject({ behavior: 'allow' });
    expect(place.bash('echo x > a && git add a && git commit -m x', { mode, allow: ['Bash(git:*)'] }).behavior).toBe(
      'allow',
    );
  });

  it('GT-26: files of git under another name than .git are not trusted, because edits reach them', async () => {
    execFileSync('git', ['init', '-q', '--separate-git-dir', join(place.root, 'meta'), place.root]);
    expect(place.bash('git status').behavior).toBe('allow');
    execFileSync('git', ['-C', place.root, 'config', 'core.fsmonitor', program]);
    expect(staysOff(place.bash('git status', { trusted: true }))).toBe(true);
  });
});
