/** The environment of a git that only reads, against real git: nothing configured runs, the answers stay right (GT-26). */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { safeGitEnvironment } from '../../../../src/host/git/git-environment.js';

let top: string;
let repo: string;
let mark: string;
let program: string;

const setUp = (...args: readonly string[]) => execFileSync('git', ['-C', repo, ...args], { stdio: 'pipe' });
const git = (args: readonly string[], env: Readonly<Record<string, string | undefined>>, cwd = repo) =>
  spawnSync('git', args, { cwd, env, encoding: 'utf8', input: '' });
/** With the programs off. */
const read = (args: readonly string[], env: Readonly<Record<string, string>> = {}, trusted = false) =>
  git(args, safeGitEnvironment({ ...process.env, ...env }, [], { trusted }));

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'git-env-')));
  repo = join(top, 'repo');
  mark = join(top, 'ran');
  program = join(top, 'program');
  writeFileSync(program, `#!/bin/sh\necho >${mark}\n`, { mode: 0o755 });
  execFileSync('git', ['init', '-q', repo]);
  setUp('config', 'user.name', 'a');
  setUp('config', 'user.email', 'a@b');
  writeFileSync(join(repo, 'f'), 'one\n');
  setUp('add', 'f');
  setUp('commit', '-qm', 'first');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('GT-26 the environment of a reading git', () => {
  it.each([
    ['a file watcher', 'core.fsmonitor', ['status']],
    ['ssh', 'core.sshCommand', ['ls-remote', 'ssh://localhost/x']],
    ['a proxy command', 'core.gitProxy', ['ls-remote', 'git://localhost/x']],
    ['a signature program', 'gpg.program', ['log', '--show-signature']],
    ['signatures by default', 'log.showSignature', ['log']],
    ['an editor', 'core.editor', ['commit', '--amend']],
    ['a transport program', 'protocol.ext.allow', ['ls-remote', 'ext::PROGRAM %S x']],
  ])('GT-26: %s is off', (_what, key, args) => {
    setUp('config', key, /showSignature|ext/.test(key) ? (key.startsWith('log') ? 'true' : 'always') : program);
    if (key.includes('Signature') || key.startsWith('gpg')) {
      setUp('config', 'gpg.program', program);
      const signed = `tree ${setUp('rev-parse', 'HEAD^{tree}').toString().trim()}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nm\n`;
      const made = spawnSync('git', ['-C', repo, 'hash-object', '-t', 'commit', '-w', '--stdin'], { input: signed });
      setUp('reset', '-q', '--hard', made.stdout.toString().trim());
    }
    const given = args.map((arg) => arg.replace('PROGRAM', program));
    git(given, { ...process.env, GIT_TERMINAL_PROMPT: '0' });
    expect(existsSync(mark), 'git runs it when nothing is off').toBe(true);
    rmSync(mark);
    read(given);
    expect(existsSync(mark)).toBe(false);
  });

  it('GT-26: variables that lead git elsewhere, run or write something are dropped', () => {
    const other = join(top, 'other');
    execFileSync('git', ['init', '-q', other]);
    const env = {
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, 'index'),
      GIT_OBJECT_DIRECTORY: join(other, '.git', 'objects'),
      GIT_TRACE: join(top, 'trace'),
      GIT_TRACE2_EVENT: join(top, 'trace2'),
      GIT_EXTERNAL_DIFF: program,
      GIT_EXEC_PATH: top,
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${program}'`,
      GIT_CONFIG_GLOBAL: '/dev/full',
      GIT_PAGER: program,
      GIT_SOMETHING_NEW: 'x',
    };
    writeFileSync(join(repo, 'f'), 'two\n');
    const { stdout, status } = read(['diff'], env);
    expect(status).toBe(0);
    expect(stdout).toContain('+two');
    expect(read(['rev-parse', '--show-toplevel'], env).stdout.trim()).toBe(repo);
    for (const path of ['ran', 'trace', 'trace2']) expect(existsSync(join(top, path)), path).toBe(false);
    const kept = safeGitEnvironment({ ...env, GIT_AUTHOR_NAME: 'me', HOME: '/h', SSH_ASKPASS: program });
    expect(kept).toMatchObject({ GIT_AUTHOR_NAME: 'me', HOME: '/h' });
    expect(Object.keys(kept)).not.toContain('GIT_SOMETHING_NEW');
    expect(Object.keys(kept)).not.toContain('SSH_ASKPASS');
    expect(read(['var', 'GIT_PAGER'], env).stdout.trim()).toBe('cat');
    expect(read(['var', 'GIT_EDITOR'], { EDITOR: program }).stdout.trim()).toBe('false');
  });

  it('GT-26: a stale index gives right answers and is not written', () => {
    const stale = (day: string) => execFileSync('touch', ['-d', day, join(repo, 'f')]);
    setUp('config', 'core.hooksPath', top);
    writeFileSync(join(top, 'post-index-change'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    stale('2001-01-01');
    git(['status'], process.env);
    expect(existsSync(mark), 'git writes the index when nothing is off').toBe(true);
    rmSync(mark);
    stale('2002-02-02');
    expect(read(['status', '--porcelain']).stdout).toBe('');
    expect(read(['diff', '--stat']).stdout).toBe('');
    expect(read(['describe', '--always', '--dirty']).stdout).not.toContain('dirty');
    writeFileSync(join(repo, 'f'), 'two\n');
    expect(read(['status', '--porcelain']).stdout).toBe(' M f\n');
    expect(existsSync(mark)).toBe(false);
  });

  it('GT-26: a missing object of a partial clone is reported as missing, not fetched', () => {
    setUp('config', 'uploadpack.allowFilter', 'true');
    const clone = join(top, 'clone');
    execFileSync('git', ['clone', '-q', '--filter=blob:none', '--no-checkout', `file://${repo}`, clone]);
    const { status, stderr } = git(['show', 'HEAD:f'], safeGitEnvironment(process.env), clone);
    expect(status).toBe(128);
    expect(stderr).toContain('promisor');
    expect(git(['show', 'HEAD:f'], process.env, clone).stdout).toBe('one\n');
  });

  it('GT-26: a repository inside is inspected only in a trusted repository, and with its watcher off', () => {
    const inner = join(repo, 'inner');
    execFileSync('git', ['init', '-q', inner]);
    execFileSync('git', [
      '-C',
      inner,
      '-c',
      'user.name=a',
      '-c',
      'user.email=b',
      'commit',
      '-qm',
      'x',
      '--allow-empty',
    ]);
    writeFileSync(join(inner, 'g'), 'x\n');
    execFileSync('git', ['-C', inner, 'add', 'g']);
    setUp('-c', 'advice.addEmbeddedRepo=false', 'add', 'inner');
    setUp('commit', '-qm', 'inner');
    execFileSync('git', ['-C', inner, 'config', 'core.fsmonitor', program]);
    execFileSync('git', ['-C', inner, 'config', 'filter.x.clean', program]);
    writeFileSync(join(inner, '.gitattributes'), 'g filter=x\n');
    execFileSync('touch', ['-d', '2001-01-01', join(inner, 'g')]);
    git(['status'], process.env);
    expect(existsSync(mark), 'git runs it when nothing is off').toBe(true);
    rmSync(mark);
    execFileSync('touch', ['-d', '2002-02-02', join(inner, 'g')]);
    read(['status']);
    read(['diff']);
    expect(existsSync(mark)).toBe(false);
    execFileSync('git', ['-C', inner, 'config', '--unset', 'filter.x.clean']);
    expect(read(['status', '--porcelain'], {}, true).stdout).toContain('inner');
    expect(existsSync(mark)).toBe(false);
  });
});
