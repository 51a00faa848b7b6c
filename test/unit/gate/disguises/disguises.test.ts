/** A deny covers what can't be seen through: disguises of a denied program or file under `Bash` allowed (GT-29). */

import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLines } from '../../../support/read-lines.js';
import { makePlayground, type Playground, type PolicyChanges } from '../permissions/playground.js';

const list = (name: string) => readLines(new URL(name, import.meta.url));
const WRAPPERS = list('wrappers.txt');
const RUNNERS = list('runners.txt');

const PROGRAMS = [
  ...WRAPPERS.map((wrapper) => `${wrapper} curl http://x`),
  ...WRAPPERS.map((wrapper) => `${wrapper} c'u'rl http://x`),
  ...list('names.txt').map((name) => `${name} http://x`),
  ...RUNNERS.map((runner) => runner.replace('%s', () => 'curl http:..x')),
  ...RUNNERS.filter((_, index) => index % 3 === 0).map((runner) => runner.replace('%s', () => '/usr/bin/curl x')),
];
const FILES = list('files.txt');
const HARMLESS = list('harmless.txt');
/** A path in these is computed, which matters only where a path is denied. */
const HARMLESS_COMPUTED = list('harmless-computed.txt');

const DENIED_PROGRAM = ['Bash(curl:*)'];
const DENIED_FILES = ['Read(.env)', 'Read(secrets/**)'];

let place: Playground;

beforeAll(async () => {
  place = await makePlayground();
  for (const name of ['README.md', '.env', 'secrets/k', 'src/main.ts', 'a.txt', 'f', 'run.sh']) await place.write(name);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', place.root, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]);
  git('init', '-q');
  git('add', '-f', '.');
  git('commit', '-qm', 'one');
});
afterAll(() => place.remove());

const judge = (
  command: string,
  deny: readonly string[],
  mode: 'default' | 'dontAsk' | 'bypassPermissions' = 'default',
  more: PolicyChanges = {},
) => place.bash(command, { allow: ['Bash'], deny, mode, ...more });

/** A runner may use any file, so under a denied file it runs without a question only where that is hidden. */
const BOX = { box: { deniedInGit: false, gitIsWhole: true } };

describe('GT-29 disguises', () => {
  it('GT-29: the lists are long enough to mean something', () => {
    expect(new Set(PROGRAMS).size).toBeGreaterThanOrEqual(380);
    expect(new Set(FILES).size).toBeGreaterThanOrEqual(90);
    expect(new Set([...HARMLESS, ...HARMLESS_COMPUTED]).size).toBeGreaterThanOrEqual(60);
  });

  it.each(PROGRAMS)('GT-29: a denied program is asked about or denied: %s', (command) => {
    expect(judge(command, DENIED_PROGRAM).behavior).not.toBe('allow');
    expect(judge(command, DENIED_PROGRAM, 'bypassPermissions').behavior).not.toBe('allow');
    expect(judge(command, DENIED_PROGRAM, 'dontAsk').behavior).toBe('deny');
  });

  it.each(FILES)('GT-29: a denied file is asked about or denied: %s', (command) => {
    expect(judge(command, DENIED_FILES).behavior).not.toBe('allow');
    expect(judge(command, DENIED_FILES, 'dontAsk').behavior).toBe('deny');
  });

  it.each(HARMLESS)('GT-29: allowed under the same denies: %s', (command) => {
    expect(judge(command, [...DENIED_PROGRAM, ...DENIED_FILES], 'default', BOX)).toMatchObject({ behavior: 'allow' });
  });

  it.each(HARMLESS_COMPUTED)('GT-29: allowed where only the program is denied: %s', (command) => {
    expect(judge(command, DENIED_PROGRAM, 'default', BOX)).toMatchObject({ behavior: 'allow' });
  });
});
