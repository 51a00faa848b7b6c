/** Git's own configuration answers in the box as it does outside; git in an untrusted repository runs nothing of it. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRepository } from '../../../../src/gate/permissions/paths/repository.js';
import { findNeededProgram } from '../../../../src/gate/permissions/paths/repository-needs.js';
import { safeGitEnvironment } from '../../../../src/host/git/git-environment.js';
import { nodeFiles } from '../../../../src/host/node-files.js';
import { scratchFolder } from '../../../support/scratch.js';
import { BOX_WORKS, setStage } from '../box/stage.js';

describe('the person’s git settings in the box', () => {
  it('GT-23: the repository’s own values win, and what it does not set is the person’s, as outside', async (context) => {
    if (!BOX_WORKS) context.skip('there is no box here');
    const stage = await setStage();
    const { project, person } = stage;
    const ignore = join(person, 'ignored');
    writeFileSync(ignore, '*.bak\n');
    writeFileSync(join(person, 'work'), '[log]\n\tdate = short\n[http]\n\textraHeader = secret\n');
    writeFileSync(
      join(person, '.gitconfig'),
      `[user]\n\tname = Person\n\temail = person@x\n[core]\n\tautocrlf = true\n\texcludesFile = ${ignore}\n` +
        `[alias]\n\tst = status\n[url "https://token@x/"]\n\tinsteadOf = y:\n[credential]\n\thelper = store\n` +
        `[pretty]\n\todd = "%h # \\"%s\\"; x"\n[includeIf "gitdir:${project}/"]\n\tpath = work\n` +
        `[includeIf "gitdir:/elsewhere/"]\n\tpath = missing\n`,
    );
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: project, env: { ...process.env, HOME: person, GIT_CONFIG_NOSYSTEM: '1' } });
    git('init', '-q');
    git('config', 'user.email', 'project@x');
    git('config', 'core.autocrlf', 'false');
    writeFileSync(join(project, 'a.txt'), 'a\r\n');
    writeFileSync(join(project, 'b.bak'), 'b\n');
    git('add', 'a.txt');
    git('commit', '-q', '-m', 'first');
    writeFileSync(join(project, 'a.txt'), 'b\r\n');
    for (const script of [
      'git config user.email; git config user.name; git config core.autocrlf; git config log.date',
      'git log --format=%ae,%ad --author="$(git config user.email)"',
      'git log --format=odd; git status --short; git diff --stat; git diff',
      'git check-ignore -v b.bak',
    ]) {
      const [inside, outside] = [await stage.run(script), await stage.runPlain(script)];
      expect([script, inside.output, inside.code]).toEqual([script, outside.output, outside.code]);
    }
    const listed = (await stage.run('git config --list; git config --global --list')).output;
    expect(listed).toContain('user.name=Person');
    expect(listed).toContain('core.fsmonitor=false');
    expect(listed).not.toMatch(/token|extraheader|alias|helper=store/i);
    expect((await stage.run('git config --global user.name x')).code).not.toBe(0);
  });
});

/** A repository with a submodule; each of its programs leaves a trace. */
async function plant(): Promise<{ folder: string; trace: string; git: (...args: string[]) => string }> {
  const base = await scratchFolder();
  const [folder, origin, trace] = [join(base, 'top'), join(base, 'origin'), join(base, 'trace')];
  const plain = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', '-c', 'protocol.file.allow=always', ...args], {
      cwd,
    });
  for (const one of [origin, folder]) {
    mkdirSync(one);
    plain(one, 'init', '-q', '-b', 'main');
    writeFileSync(join(one, 'file'), 'a\n');
    writeFileSync(join(one, '.gitattributes'), 'file filter=planted diff=planted\n');
    plain(one, 'add', '.');
    plain(one, 'commit', '-q', '-m', 'first');
  }
  plain(folder, 'submodule', 'add', '-q', origin, 'sub');
  plain(folder, 'commit', '-q', '-m', 'second');
  const program = join(base, 'program');
  writeFileSync(program, `#!/bin/sh\n: > ${trace}\nexec cat\n`, { mode: 0o755 });
  const sub = join(folder, 'sub');
  for (const key of ['filter.planted.clean', 'filter.planted.smudge', 'core.fsmonitor', 'diff.planted.textconv']) {
    plain(sub, 'config', key, program);
  }
  for (const [where, key] of [
    [folder, 'core.fsmonitor'],
    [folder, 'core.pager'],
    [folder, 'core.editor'],
  ] as const) {
    plain(where, 'config', key, program);
  }
  for (const git of [join(folder, '.git'), join(folder, '.git', 'modules', 'sub')]) {
    mkdirSync(join(git, 'hooks'), { recursive: true });
    for (const hook of ['pre-commit', 'post-commit', 'post-index-change', 'reference-transaction', 'commit-msg']) {
      writeFileSync(join(git, 'hooks', hook), `#!/bin/sh\n: > ${trace}\n`, { mode: 0o755 });
    }
  }
  writeFileSync(join(folder, 'file'), 'changed\n');
  writeFileSync(join(sub, 'file'), 'changed\n');
  const identity = { GIT_AUTHOR_NAME: 'n', GIT_AUTHOR_EMAIL: 'e', GIT_COMMITTER_NAME: 'n', GIT_COMMITTER_EMAIL: 'e' };
  const env = safeGitEnvironment({ PATH: process.env.PATH, HOME: base, ...identity }, [], { trusted: false });
  return {
    folder,
    trace,
    git: (...args) => execFileSync('git', args, { cwd: folder, env: env as NodeJS.ProcessEnv }).toString(),
  };
}

describe('git in an untrusted repository', () => {
  it('GT-26: with programs off nothing of the repository or its submodule runs', async () => {
    const { folder, trace, git } = await plant();
    const lines = [
      'status',
      'diff',
      'log -p',
      'add -A',
      'diff --cached',
      'commit -q -m third',
      'show',
      'status --short',
    ];
    for (const line of lines) {
      git(...line.split(' '));
      expect([line, existsSync(trace)]).toEqual([line, false]);
    }
    expect(git('log', '-1', '--format=%s')).toBe('third\n');
    execFileSync('git', ['status'], { cwd: folder, stdio: 'ignore' });
    expect(existsSync(trace)).toBe(true);
  });

  it('GT-26: a commit hook, and a filter where files are stored or written, are needed; nothing else is', async () => {
    const { folder } = await plant();
    const needs = (where: string, subcommand: string) =>
      findNeededProgram(readRepository(where, nodeFiles.sync), subcommand, nodeFiles.sync);
    expect(needs(folder, 'commit')).toBe('it has the hook pre-commit');
    for (const subcommand of ['status', 'log', 'diff', 'add', 'checkout', 'show']) {
      expect([subcommand, needs(folder, subcommand)]).toEqual([subcommand, undefined]);
    }
    expect(needs(folder, 'push')).toMatch(/reaches another machine/);
    const sub = join(folder, 'sub');
    for (const subcommand of ['add', 'stash', 'checkout']) {
      expect(needs(sub, subcommand)).toBe('its configuration sets filter.planted.clean');
    }
    expect(needs(sub, 'log')).toBeUndefined();
    execFileSync('git', ['config', 'core.hooksPath', 'h'], { cwd: folder });
    expect(needs(folder, 'commit')).toBe('its configuration names a folder of hooks');
  });
});
