/** Lines that an attack once got through. Each is a class of its own; the comments say which. */

import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCommand } from '../../../../src/gate/permissions/shell/reading/read-command.js';
import { makePlayground, type Playground } from './playground.js';

const BOX = { deniedInGit: false, gitIsWhole: true };
const MANY = Array.from({ length: 64 }, (_, n) => `a${n}`).join(',');
let ground: Playground;
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd });

beforeAll(async () => {
  ground = await makePlayground();
  for (const name of ['f.txt', 'list', 'src/a.ts', 'a/b/c/x', '.env']) await ground.write(name);
  await writeFile(join(ground.outside, 'secret'), 'x\n');
  git(ground.root, 'init', '-q');
  git(ground.root, 'add', '.');
  git(ground.root, 'commit', '-qm', 'one');
  await symlink(ground.root, join(ground.root, 'a/b/c/up'));
  const nested = join(ground.root, 'nested');
  await mkdir(join(nested, 'sub'), { recursive: true });
  git(nested, 'init', '-q');
  git(nested, 'config', 'filter.x.clean', './evil');
  await symlink('nested/sub', join(ground.root, 'ln'));
  git(ground.outside, 'init', '-q');
});
afterAll(() => ground.remove());

describe('plain braces are what the shell makes of them', () => {
  it.each([
    'x{a,b}y',
    '{a,b}{c,d}',
    '{,a}b',
    'a{,b}',
    '{,}',
    'a{b,c}{,d}e',
    '-{a,b}',
    'src/{a,b}.ts',
    '{a.b,c-d}/{e,f}',
  ])('GT-25: %s', (word) => {
    const bash = execFileSync('bash', ['-c', `printf '%s\\n' x ${word}`], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(
      readCommand(`echo x ${word}`)
        .commands[0]?.words.slice(1)
        .map(({ value }) => value),
    ).toEqual(bash);
  });

  it('GT-25: with very many words it is a doubt, and no word is lost', () => {
    expect(ground.bash(`cat {f.txt,${MANY},/etc/passwd}`).behavior).toBe('ask');
    expect(ground.bash(`find . {-delete,-true,${MANY}}`).behavior).toBe('ask');
  });
});

describe('no line leaves the box by a word in front of it', () => {
  it.each([
    'df; cat f.txt',
    'ps aux; sed -n 1p f.txt',
    'df | cat - f.txt',
    'df; cat <(ls)',
    'df < f.txt',
    'ps aux | grep node',
    'df -h | tail -3',
    'id',
  ])('GT-23: %s runs in the box', (command) => {
    expect(ground.bash(command, { box: BOX })).toMatchObject({ behavior: 'allow', run: { kind: 'reading' } });
  });

  it('GT-23: what has no answer in the box asks with anything beside it', () => {
    expect(ground.bash('docker ps; ls {f.txt,list}', { box: BOX }).behavior).toBe('ask');
  });

  it.each(['ls -la', 'ls -la | head', 'ls -la && cat f.txt', 'node --version'])(
    'GT-23: %s runs in the box, too',
    (command) => {
      expect(ground.bash(command, { box: BOX })).toMatchObject({ behavior: 'allow', run: { kind: 'reading' } });
    },
  );

  it('GT-23: where git is not whole in the box, a line of git alone sees all of its repository; any other asks', () => {
    const box = { deniedInGit: false, gitIsWhole: false };
    for (const command of ['git log | head', 'git status -s | grep -c M'])
      expect(ground.bash(command, { box })).toMatchObject({ run: { kind: 'reading', wholeGit: true } });
    for (const command of ['git log; cat f.txt', "git log | awk '{print}'", 'git log | grep -f f.txt'])
      expect(ground.bash(command, { box }).behavior, command).toBe('ask');
    expect(ground.bash('cat f.txt', { box })).toMatchObject({ run: { kind: 'reading' } });
  });
});

describe('git where it really works', () => {
  it.each([
    'env - git status',
    'nice env - git log',
    'git {push,log}',
    'git {branch,log}',
    'git stash -- list',
    'git stash -u -- list',
    'git -C a/b/c/up diff ../../elsewhere/secret f.txt',
    'git -C ln -C .. status',
    'command {rm,f.txt,-v}',
    'ls .*',
  ])('GT-26: %s asks', (command) => {
    expect(ground.bash(command).behavior).toBe('ask');
  });

  it('GT-26: a repository outside that belongs to another work tree is not shown', async () => {
    const thief = join(ground.root, 'thief');
    await mkdir(join(thief, 'by-link'), { recursive: true });
    await writeFile(join(thief, '.git'), `gitdir: ${ground.outside}/.git\n`);
    await symlink(join(ground.outside, '.git'), join(thief, 'by-link', '.git'));
    for (const cwd of [thief, join(thief, 'by-link')]) {
      for (const changes of [{}, { mode: 'plan' as const }, { box: BOX }, { trusted: false }])
        expect(ground.bash('git log -p', { ...changes, cwd }).behavior).not.toBe('allow');
    }
    const objects = join(ground.root, 'objects-elsewhere');
    git(ground.root, 'init', '-q', objects);
    await mkdir(join(objects, 'x'));
    execFileSync('bash', ['-c', `rm -r .git/objects && ln -s ${ground.outside}/.git/objects .git/objects`], {
      cwd: objects,
    });
    expect(ground.bash('git log', { cwd: objects, trusted: false }).behavior).toBe('ask');
  });

  it('GT-26: a linked worktree and a submodule belong to their repository', async () => {
    const tree = join(ground.outside, 'tree');
    git(ground.root, 'worktree', 'add', '-q', tree);
    expect(ground.bash('git log', { cwd: tree, roots: [tree], trusted: false }).behavior).toBe('allow');
  });
});

describe('a denied program or file in a text that some program runs', () => {
  const deny = ['Bash(rm:*)', 'Read(.env)'];
  it.each([
    "printf 'r%s x' m | sed 1e",
    "echo 'r_m x' | sed 's/_//e'",
    "printf 'r_m x' | tr -d _ | xargs env",
    "printf 'r_m x' | tr -d _ | xargs -n2 timeout 5",
    "split --filter='r$@m x' f.txt",
    "npm exec -c 'r$@m x'",
    "choom -n 0 -- sh -c 'r$@m x'",
    "x86_64 sh -c 'r$@m x'",
    "capsh -- -c 'r$@m x'",
    'echo x | python3 /dev/stdin',
    "sqlite3 :memory: '.shell r$@m x'",
    "tar -I 'r$@m x' -cf a f.txt",
    "make -f <(printf 'all: ; r%s x' m)",
    "test -v 'a[$(r$@m x)]'",
    "declare -i y='a[$(r$@m x)]'",
    'git commit -v --dry-run',
    'git add -p',
    "grep -R '' .",
    'tar cf - .',
    'cp -r . ../elsewhere/copy',
  ])('GT-29: %s asks under Bash allowed, and in bypass', (command) => {
    expect(ground.bash(command, { deny, allow: ['Bash'] }).behavior).not.toBe('allow');
    expect(ground.bash(command, { deny, mode: 'bypassPermissions' }).behavior).not.toBe('allow');
  });

  it.each(['npm test', 'sed -i s/a/b/ f.txt', 'make', 'tar czf a.tgz src', "git commit -m 'x'", 'node build.js'])(
    'GT-29: %s stays allowed',
    (command) => {
      expect(ground.bash(command, { deny, allow: ['Bash'], box: BOX }).behavior).toBe('allow');
    },
  );
});

it('GT-29: content that git keeps without a path is asked about by its name', () => {
  const deny = ['Read(.env)'];
  for (const command of ['git show 3b18e51', 'git cat-file -p 3b18e51', 'git cat-file --batch-all-objects --batch']) {
    for (const changes of [{ box: BOX }, { box: BOX, allow: ['Bash'] }, {}])
      expect(ground.bash(command, { ...changes, deny }).behavior, command).toBe('ask');
    expect(ground.bash(command, { box: BOX }).behavior, command).toBe('allow');
  }
  expect(ground.bash('git show HEAD', { box: BOX, deny }).behavior).toBe('allow');
});

it('GT-26: only the index of a repository that git works in is refreshed, and only where it is trusted', () => {
  const git = ground.bash('git diff');
  expect(git).toMatchObject({ run: { kind: 'proven', refresh: [ground.root] } });
  const cwd = join(ground.root, 'nested');
  for (const decision of [
    ground.bash('git diff', { trusted: false }),
    ground.bash("cat <<'E'\ngit diff\nE", { cwd }),
    ground.bash('cat sub/x; echo git', { cwd }),
  ])
    expect(decision).toMatchObject({ behavior: 'allow', run: { refresh: [] } });
});

it('GT-25: programs that run programs, nested without end, are judged at once', () => {
  const command = `${'timeout 5 '.repeat(900)}ls`;
  const started = process.cpuUsage();
  for (const changes of [{}, { box: BOX }, { allow: ['Bash'], deny: ['Bash(rm:*)'] }]) ground.bash(command, changes);
  // Minutes before. No clock decides: the CPU time of this process alone, with much room.
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(20);
});
