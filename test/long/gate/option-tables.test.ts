/**
 * The option tables against the real programs: whatever word a program opens, the look must have taken for a path
 * (GT-25). Each letter and each long option is given to the program with a word that is no file, and its complaint tells.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../../src/gate/permissions/programs/find-program.js';
import { examineProgram } from '../../../src/gate/permissions/shell/examine-program.js';
import { readOptions } from '../../../src/gate/permissions/shell/read-options.js';
import { makePlayground, type Playground } from '../../unit/gate/permissions/playground.js';

const WORD = 'no-such-word';
const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];

/** What each needs before it opens anything. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  cut: ['-c1'],
  comm: ['f'],
  cmp: ['f'],
  diff: ['f'],
  join: ['f'],
  grep: ['-e', 'x'],
  sed: ['-e', 'p'],
};
const PROGRAMS =
  'cat ls head tail wc nl tac rev cut paste fold expand unexpand column comm cmp diff sort uniq stat du md5sum sha256sum b2sum cksum base64 base32 od hexdump strings nm readelf join shuf fmt grep sed'
    .split(' ')
    .filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);

let place: Playground;
beforeAll(() =>
  makePlayground().then((made) => {
    place = made;
    writeFileSync(join(place.root, 'f'), 'x\n');
  }),
);
afterAll(() => place.remove());

const env = { PATH: process.env.PATH, LC_ALL: 'C', HOME: '/nonexistent' };

function complaint(words: readonly string[]): string {
  const [name = '', ...args] = words;
  const ran = spawnSync(name, args, { cwd: place.root, env, input: '', encoding: 'utf8', timeout: 5_000 });
  return `${ran.stdout}${ran.stderr}`;
}

function longsOf(name: string): readonly string[] {
  const help = spawnSync(name, ['--help'], { env, encoding: 'utf8', input: '' });
  return [...new Set(`${help.stdout}${help.stderr}`.match(/--[a-z][a-z0-9-]+/g) ?? [])];
}

describe('GT-25 what a program opens is what the look took for a path', () => {
  it.each(PROGRAMS)('GT-25: %s', (name) => {
    const needed = NEEDED[name] ?? [];
    const reads = findProgram(name)?.reads;
    const spec = typeof reads === 'object' ? reads : undefined;
    let tried = 0;
    for (const option of [...LETTERS.map((letter) => `-${letter}`), ...longsOf(name)]) {
      const words = [name, ...needed, option, WORD];
      const finding = examineProgram(words, false);
      if (!finding.reads || finding.problems.length > 0) continue;
      tried += 1;
      const opened = new RegExp(
        `${WORD}['’]?:? .*(?:No such file|cannot|not)|${WORD}': No such|'${WORD}'.*No such`,
      ).test(complaint(words));
      if (opened)
        expect(
          finding.paths.map(({ path }) => path),
          words.join(' '),
        ).toContain(WORD);
      // Not only noticed by the second net, which checks values as paths.
      const operands = spec === undefined ? undefined : readOptions(words, 1, spec).operands.map(({ value }) => value);
      if (opened && operands !== undefined) expect(operands, words.join(' ')).toContain(WORD);
    }
    expect(tried).toBeGreaterThan(0);
  });

  it('GT-25: od -w takes no value of its own', () => {
    expect(examineProgram(['od', '-c', '-w', '/etc/passwd'], false).paths).toEqual([
      { at: 3, path: '/etc/passwd', use: 'read' },
    ]);
    expect(complaint(['od', '-c', '-w', WORD])).toContain('No such file');
    expect(place.bash('od -c -w /etc/passwd').behavior).toBe('ask');
    expect(place.bash('od -c -w8 f').behavior).toBe('allow');
  });
});

describe('GT-25 what git takes for a revision is what the look took for a path', () => {
  const names = 'status log show diff blame branch tag reflog rev-list ls-files ls-tree grep describe shortlog'.split(
    ' ',
  );
  it.each(names)('GT-25: git %s', (name) => {
    const repo = join(place.root, `git-${name}`);
    mkdirSync(repo);
    const git = (...args: string[]) => execFileSync('git', ['-C', repo, ...args]);
    git('init', '-q');
    writeFileSync(join(repo, 'f'), 'x\n');
    git('add', 'f');
    git('-c', 'user.name=a', '-c', 'user.email=b', 'commit', '-qm', 'x');
    git('tag', 'v1');
    const longs =
      'unified stat color abbrev pretty decorate word-diff find-renames relative dirstat untracked-files porcelain date since after until before author committer format grep max-count skip min-parents max-parents exclude diff-filter inter-hunk-context src-prefix diff-algorithm word-diff-regex contains sort match context glob branches tags remotes points-at candidates dirty group hash';
    for (const option of [...LETTERS.map((letter) => `-${letter}`), ...longs.split(' ').map((long) => `--${long}`)]) {
      const words = ['git', name, option, WORD];
      const finding = examineProgram(words, false);
      // Its complaint about a value reads like one about an operand.
      if (option === '-L' || !finding.reads || finding.problems.length > 0) continue;
      const ran = spawnSync('git', words.slice(1), {
        cwd: repo,
        env: { ...env, GIT_PAGER: 'cat' },
        encoding: 'utf8',
        input: '',
      });
      // With a value still missing after it, the word was the value.
      const taken = new RegExp(
        `(?:argument|revision|object name|path|pathspec)[^\n]*'?${WORD}|no such path '?${WORD}`,
        'i',
      ).test(ran.stderr);
      const isPattern = name === 'grep' || name === 'branch' || name === 'tag' || name === 'describe';
      if (taken && !isPattern)
        expect(
          finding.paths.map(({ path }) => path),
          words.join(' '),
        ).toContain(WORD);
    }
  });

  it('GT-25: git diff -U takes no word of its own', () => {
    expect(place.bash('git diff -U /etc/passwd -U /etc/group').behavior).toBe('ask');
  });
});
