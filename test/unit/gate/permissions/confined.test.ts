/** Lines that run in the read-only sandbox: the programs decide, and the shell around them is free. */

import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePlayground, type Playground, type PolicyChanges } from './playground.js';

const BOX = { deniedInGit: false, gitIsWhole: true };
let ground: Playground;

beforeAll(async () => {
  ground = await makePlayground();
  await ground.write('README.md');
  await ground.write('src/a.ts');
  await ground.write('.env', 'KEY=1\n');
  await writeFile(join(ground.outside, 'secret'), 'x\n');
  await symlink(join(ground.outside, 'secret'), join(ground.root, 'link'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ground.root });
  git('init', '-q');
});

afterAll(() => ground.remove());

const judge = (command: string, changes: PolicyChanges = {}) => ground.bash(command, { box: BOX, ...changes });

const FREE = [
  'find . -name "*.ts" -exec wc -l {} +',
  'git ls-files | xargs grep -l foo',
  'git ls-files -z | xargs -0 -n1 wc -l',
  'ls | xargs -I{} stat {}',
  'echo "exit: $?"',
  '[[ -d src ]] && ls src',
  '[[ $(wc -l < README.md) -gt 3 ]] || echo short',
  'diff <(sort README.md) <(sort src/a.ts)',
  'for f in src/*.ts; do wc -l "$f"; done',
  'for ((i = 0; i < 3; i++)); do echo $i; done',
  'cat $(git ls-files)',
  "awk '{ print $1 }' README.md",
  'x=$(git rev-parse HEAD); git show "$x" --stat',
  'while read -r a b; do echo "$b"; done < README.md',
  'case $(uname) in Linux) ls ;; *) pwd ;; esac',
  'if grep -q x README.md; then head README.md; else tail README.md; fi',
  'bash -c "ls | wc -l"',
  'timeout 5 grep -rn x src',
  'cat <<EOF\n$(ls)\nEOF',
  'tar -tzf a.tgz',
  'cat {README,LICENSE}.md',
  'cd "$(git rev-parse --show-toplevel)" && git log',
  'grep -rn "/usr/bin/env" src',
  'rg -n "rm -rf" src',
  'sed -n "/a/,/b/p" README.md',
  'ls > /dev/null 2>&1',
  'LC_ALL=C sort README.md',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is shell.
  'files=(src/*.ts); echo "${#files[@]} ${files[0]%.ts}"',
  'echo $((1 + 2))',
  "printf '%s\\n' $'a\\tb'",
];

const DOUBTS: readonly [command: string, why: RegExp][] = [
  ['make', /make/],
  ['find . -exec ./run {} +', /\.\/run/],
  ['find . -execdir git status \\;', /repository/],
  ['find . -delete', /-delete/],
  ['ls | xargs rm', /rm/],
  ['ls | xargs -I{} {}', /computed/],
  ['ls | xargs -I% git -C % status', /-C|computed/],
  ['$x', /program/],
  ['"$(echo ls)"', /program/],
  ['l* README.md', /program/],
  ['eval ls', /eval/],
  ['source ./x', /source/],
  ['exec ls', /exec/],
  ['trap ls EXIT', /trap/],
  ['ls > out', /out/],
  ['(ls) > out', /out/],
  ['{ ls; } >> out', /out/],
  ['if true; then ls; fi > out', /out/],
  ['for f in *; do ls; done > out', /out/],
  ['while false; do :; done 2> out', /out/],
  ['[[ -d x ]] > out', /out/],
  ['((1)) > out', /out/],
  ['case x in x) ls ;; esac > out', /out/],
  ['cat <> README.md', /README/],
  ['ls >&out', /out/],
  ['ls &> out', /out/],
  ['ls {fd}> out', /descriptor/],
  ['(cat) < /dev/tcp/127.0.0.1/80', /network/],
  ['f() { f | f; }; f', /function/],
  ['ls &', /background/],
  ['coproc cat', /coproc/],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is shell.
  ['echo ${x@P}', /transforms/],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is shell.
  ['echo ${!x}', /another/],
  ['PATH=. ls', /PATH/],
  ['export LD_PRELOAD=./x.so', /LD_PRELOAD/],
  ['read PATH < README.md; ls', /PATH/],
  ['env GIT_DIR=x git status', /GIT_DIR/],
  ['env', /environment/],
  ['echo $SECRET', /SECRET/],
  ['bash README.md', /script/],
  ['cat README.md | sh', /script/],
  ['bash -c "make"', /make/],
  ["bash -c 'cat /etc/passwd'", /\/etc\/passwd/],
  ['cat /etc/passwd', /\/etc\/passwd/],
  ['cat ../elsewhere/secret', /elsewhere/],
  ['cat link', /elsewhere/],
  ['cat ~/.ssh/id', /\.ssh/],
  ['cat "$HOME/.ssh/id"', /\.ssh/],
  ['for f in /etc/*; do cat "$f"; done', /\/etc/],
  ['[[ -f /etc/passwd ]] && echo y', /\/etc\/passwd/],
  ['grep --file=/etc/passwd x README.md', /\/etc\/passwd/],
  ['cat /etc/$x', /./],
  ['git branch new', /git/],
  ['git -c core.pager=x log', /-c/],
  ['git $x', /./],
  ['cd "$x" && git status', /./],
  ['git config user.name x', /./],
  ['sed -i s/a/b/ README.md; for i in 1; do ls; done', /sed/],
  ['ls \u0007', /control/],
];

describe('GT-24: in the box the programs decide', () => {
  it.each(FREE)('GT-24: %s runs confined', (command) => {
    expect(judge(command)).toMatchObject({ behavior: 'allow', run: { kind: 'reading' } });
  });

  it.each(DOUBTS)('GT-24: %s asks', (command, why) => {
    expect(judge(command)).toMatchObject({ behavior: 'ask', reason: expect.stringMatching(why) });
  });

  it('GT-23: without a box only the proof by the text applies', () => {
    expect(ground.bash('awk "toupper(1)" README.md').behavior).toBe('ask');
    expect(ground.bash('cat README.md')).toMatchObject({ behavior: 'allow', run: { kind: 'proven' } });
    expect(judge('cat README.md')).toMatchObject({ behavior: 'allow', run: { kind: 'reading' } });
  });

  it('GT-23: a rule is the user’s decision: it runs as it is', () => {
    const decision = judge('cat README.md', { allow: ['Bash(cat:*)'] });
    expect(decision).toMatchObject({ behavior: 'allow' });
    expect(judge('touch x', { allow: ['Bash(touch:*)'] })).not.toHaveProperty('reading');
    expect(judge('awk "toupper(1)" README.md', { allow: ['Bash'] })).not.toHaveProperty('reading');
  });

  it('GT-23: a program whose answer the box changes runs in it all the same', () => {
    for (const command of [
      'ps aux',
      'ps -ef -p 1 -o args -ww',
      'df -h',
      'id',
      'lsof -i',
      'netstat -a',
      'free',
      'uptime',
      'mount',
    ])
      expect(judge(command), command).toMatchObject({ behavior: 'allow', run: { kind: 'reading' } });
    expect(judge('mount /dev/sda1 /mnt').behavior).toBe('ask');
  });

  it('GT-23: asked for outside the box, it is an ordinary question', () => {
    const shell = (command: string, changes: PolicyChanges = {}) =>
      ground.act('Bash', { kind: 'shell', command, cwd: ground.root, unconfined: true }, { box: BOX, ...changes });
    expect(shell('cat README.md').behavior).toBe('ask');
    expect(shell('awk "toupper(1)" README.md').behavior).toBe('ask');
    expect(shell('cat README.md', { mode: 'dontAsk' }).behavior).toBe('deny');
    expect(shell('awk "toupper(1)" README.md', { allow: ['Bash(awk:*)'] }).behavior).toBe('allow');
    expect(shell('awk "toupper(1)" README.md', { mode: 'plan' }).behavior).toBe('deny');
  });

  it('AG-8: plan mode and agents that only read may use the box', () => {
    for (const changes of [{ mode: 'plan' as const }, { readOnlyOnly: true }]) {
      expect(judge('for f in *; do wc -l "$f"; done', changes)).toMatchObject({ run: { kind: 'reading' } });
      expect(judge('make', changes).behavior).toBe('deny');
    }
  });

  it('GT-23: what a rule allows to be read outside is shown in the box', () => {
    const allow = [`Read(/${ground.outside}/**)`];
    expect(judge('awk "toupper(1)" ../elsewhere/secret', { allow })).toMatchObject({
      run: { kind: 'reading', show: [join(ground.outside, 'secret')] },
    });
  });

  it('GT-23: git that prints what a rule denies asks where it may be in the history', () => {
    const box = { deniedInGit: true, gitIsWhole: true };
    expect(ground.bash('git diff', { box, deny: ['Read(.env)'] }).behavior).toBe('ask');
    expect(ground.bash('git status', { box, deny: ['Read(.env)'] }).behavior).toBe('allow');
  });

  it('GT-26: git in another repository that could run programs asks, wherever the line leads', async () => {
    const nested = join(ground.root, 'nested');
    await mkdir(nested);
    execFileSync('bash', ['-c', 'git init -q . && git config diff.external ./evil'], { cwd: nested });
    for (const command of [
      'cd nested && git status',
      'bash -c "cd nested && git status"',
      '(cd nested; git status) | cat',
    ])
      expect(judge(command).behavior).toBe('ask');
  });

  it('GT-29: a doubt about a denied program does not hide one about a denied file', () => {
    const deny = ['Bash(rm:*)', 'Read(.env)'];
    expect(ground.bash("awk '{ print $1 }' .en*", { deny }).behavior).toBe('ask');
    expect(ground.bash("awk '{ print $1 }' README.md", { deny }).behavior).toBe('allow');
  });

  it('GT-29: the words of a denied program in a line that is not proven ask, also in the box', () => {
    const deny = ['Bash(rm:*)'];
    expect(judge('awk \'BEGIN { system("rm x") }\'', { deny }).behavior).not.toBe('allow');
    expect(judge('grep -rn "rm -rf" src', { deny }).behavior).toBe('allow');
    expect(judge('awk "toupper(1)" README.md', { deny }).behavior).toBe('allow');
  });
});
