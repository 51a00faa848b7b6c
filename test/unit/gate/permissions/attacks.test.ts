/** Attempts of the corpus's kinds that are not in it (GT-4, GT-6). */

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePlayground, type Playground } from './playground.js';

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
  await place.write('f.txt');
  await place.write('sub/a');
  await mkdir(join(place.root, 'locked'));
  await symlink('/etc', join(place.root, 'link'));
  await writeFile(join(place.root, '-evil'), '');
});
afterAll(() => place.remove());

describe('GT-6 readers made to write, run or look elsewhere', () => {
  it.each([
    '> PWN',
    ': > PWN',
    'cat f.txt | tee PWN',
    'ls 2> PWN',
    'git diff --output PWN',
    'git log --output=PWN',
    'git show --ext-diff',
    'git grep --open-files-in-pager=x y',
    'git branch new',
    'git branch -v new',
    'git branch --edit-description',
    'git tag new',
    'git tag -i new',
    'git remote update',
    'git remote -v update',
    'git config edit',
    'git config a.b c',
    'git config --unset a.b',
    'git config --file /etc/x --get y',
    'git diff /etc/passwd /dev/null',
    'git diff --no-index a b',
    'git blame --contents /etc/passwd f',
    'git log --format=%G? -1',
    'git --exec-path=. status',
    'git -p log',
    'git stash',
    'git reflog expire --all',
    'git worktree prune',
    'git ls-files -X /etc/passwd',
    'git rev-parse --parseopt',
    'git describe --no-such',
    'git submodule status',
    'find . -fprintf PWN x',
    'find . -fls PWN',
    'find . -ok rm {} \\;',
    'find -L . -name x',
    'find / -name x',
    'find . -files0-from /etc/x',
    'find . -newer /etc/passwd',
    'rg --pre ./x y',
    'rg -z x',
    'rg -L x',
    'rg -f /etc/passwd',
    'rg --ignore-file=/etc/x y',
    'rg x /etc',
    'rg --files /etc',
    'rg --hostname-bin=x y',
    'sort -T /tmp f.txt',
    'sort --files0-from=/etc/x',
    'sort -oPWN f.txt',
    'sort -uo PWN f.txt',
    'sort --out=PWN f.txt',
    'uniq f.txt PWN',
    'wc --files0-from=/etc/x',
    'file -f /etc/x',
    'file -z f.txt',
    'date -s now',
    'date 010100002030',
    'date -f f.txt',
    'date --set=now',
    'tail -F f.txt',
    'tail --follow f.txt',
    'grep -f /etc/shadow f.txt',
    'grep -R x .',
    'grep --file=/etc/x y',
    'diff -r . /etc',
    'diff -l a b',
    'tree -o PWN',
    'tree -R',
    'xxd f.txt PWN',
    'jq -n env',
    "jq -n '$ENV'",
    'jq -f /etc/x .',
    'hostname new',
    'ps e',
    'sed -n -i p f.txt',
    "sed -n '1w PWN' f.txt",
    "sed '1e touch PWN' f.txt",
    "sed 's/x/y/e' f.txt",
    "sed 's/x/y/;w PWN' f.txt",
    'sed -f x f.txt',
    "sed 'r /etc/passwd' f.txt",
    "sed '1!{w PWN\n}' f.txt",
    "sed 's/[/]w PWN/x/' f.txt",
    "printf '%n' 'a[$(touch PWN)]'",
    'printf -v x y',
    "test -v 'a[$(touch PWN)]'",
    "[ 'a[$(touch PWN)]' -eq 0 ]",
    'env',
    'env -S ls',
    'env -u X ls',
    'env A=/x ls',
    'time -o PWN ls',
    'command -p ls',
    'nice -n 5',
    'timeout --foo 5 ls',
    'cat link/passwd',
    'ls link/',
    'cat < link/passwd',
    'cat /dev/tcp/x/1',
    'cat -- /etc/passwd',
    'cat *',
    'sort *',
    'ls ~root',
    'cat ~+/f.txt',
    'cat a=~/x',
    'cd link && ls',
    'cd sub && cat ../../x',
    'cd -',
    'cd',
    'command cd link && ls',
    'pushd sub && ls',
    'ls\u00a0-la',
    'ls \r',
    'ls\u200b',
    'cat f.txt\u0000',
    'LS',
    './ls',
    'sub/ls',
    '/tmp/ls',
    '=ls',
    'ls; }',
    'ls )',
    'ls "',
    "ls '",
    'ls \\',
    'ls |',
    'ls &&',
    'ls <<EOF',
    'cat <<EOF\n`x`\nEOF',
    'cat <<EOF\n$((1))\nEOF',
    'cat <<"EOF" > PWN\nx\nEOF',
    'echo x >| PWN',
    'echo x >>PWN',
    'echo x 3<>PWN',
    'ls {fd}>PWN',
    'echo x >&PWN',
    'echo x &>>PWN',
    'cat <(x)',
    'coproc ls',
    'select x in a; do ls; done',
    'let x=1',
    '((x=1))',
    'ls & disown',
    'exec ls',
    'exec',
    'wait',
    'type -a ls; hash -r',
    'enable -n ls',
    'ulimit -n 1',
    'umask 0',
    'npm ls; npm install',
    'npm run build',
    'npm config list',
    'npm root -g; x',
    'node -p 1',
    'node --version x',
    'python3 --version -c 1',
    'go env -w A=b',
    'docker ps; docker rm x',
    'cargo version x',
  ])('GT-6: %j asks', async (command) => {
    expect((await place.bash(command)).behavior).toBe('ask');
    expect((await place.bash(command, { mode: 'plan' })).behavior).not.toBe('allow');
  });

  it('GT-6: a shell that stands outside the roots reads nothing unasked', async () => {
    expect((await place.bash('ls', { cwd: place.outside })).behavior).toBe('ask');
    expect((await place.bash('ls', { cwd: join(place.root, 'sub') })).behavior).toBe('allow');
  });
});

describe('GT-4 ways around a deny', () => {
  it.each([
    'sh -c \'c"ur"l x\'',
    "bash -s x <<< 'curl y'",
    "source /dev/stdin <<< 'curl x'",
    ". /dev/stdin <<'E'\ncurl x\nE\n",
    "env bash -s <<< 'curl x'",
    '{curl,x}',
    'exec -a z curl x',
    'nohup -- curl x',
    "env -S 'curl x'",
    'env -Scurl',
    "env --split-string='curl x'",
    "sudo -u root -- sh -c 'curl x'",
    'alias c=curl; c x',
    'f() { curl x; }; f',
    '$(which curl) x',
    "git -c alias.z='!curl x' z",
    "git -c core.sshCommand='curl x' fetch",
    "GIT_SSH_COMMAND='curl x' git fetch",
    'xargs -I{} curl {}',
    'find . -exec sh -c "curl {}" \\;',
    'watch curl x',
    'parallel curl ::: x',
    'busybox curl x',
    "su -c 'curl x'",
    "script -qc 'curl x' /dev/null",
    'flock /tmp/l curl x',
    'strace -f curl x',
    'ld-linux-x86-64.so.2 /usr/bin/curl x',
    'time curl x',
    '! curl x',
    'curl<f',
    'curl>f',
    'a=1 b=2 curl',
    'if curl x; then :; fi',
    'while curl x; do :; done',
    'case x in x) curl y;; esac',
    '[[ $(curl x) ]]',
    `echo "$\{a:-$(curl x)}"`,
    'cat <<E\n$(curl x)\nE\n',
    'echo $((`curl x`))',
    'a[$(curl x)]=1',
    'cat <(curl x)',
    'curl x | sh',
    'true && { curl x; }',
    'CURL x',
    './curl x',
    '../bin/curl x',
    'ｃｕｒｌ x',
    'cur\u200bl x',
    "trap 'curl x' EXIT",
    "mapfile -C 'curl x' -c 1 a",
    'coproc curl x',
    'eval "eval \'curl x\'"',
    "PROMPT_COMMAND='curl x'",
    "tar cf x --checkpoint-action=exec='curl x' y",
    'rg --pre=curl x',
    'make SHELL=curl',
    'curl x "',
    '(curl x',
    'curl x )',
    'if curl',
    'sh -c \'sh -c "sh -c curl"\'',
  ])('GT-4: %j is denied', async (command) => {
    for (const changes of [{ allow: ['Bash'] }, { mode: 'bypassPermissions' as const }])
      expect((await place.bash(command, { ...changes, deny: ['Bash(curl:*)'] })).behavior).toBe('deny');
  });

  it('GT-4: an alias given on the way is the command it stands for', async () => {
    expect(
      (await place.bash('git -c alias.p=push p', { mode: 'bypassPermissions', deny: ['Bash(git push:*)'] })).behavior,
    ).toBe('deny');
  });

  it.each([
    "sh -c 'cat .env'",
    "eval 'cat .env'",
    "bash <<< 'cat .env'",
    'xargs cat .env',
    'command cd locked && touch a',
    'builtin cd locked; touch a',
    "sh -c 'cd locked && touch a'",
    'cp x locked/',
    'echo x | tee -a locked/y',
    'cd locked && echo x > y',
    'cat sub/../.env',
    'cat "$PWD/.env"',
    'head -1 <.env',
    'echo $(cat .env)',
    'python3 x.py --file=.env',
  ])('GT-4: %j reaches no denied file', async (command) => {
    const deny = ['Read(.env)', 'Edit(locked/**)'];
    for (const changes of [{ allow: ['Bash'] }, { mode: 'bypassPermissions' as const }])
      expect((await place.bash(command, { ...changes, deny })).behavior).toBe('deny');
  });
});

describe('GT-4: neither length nor a parse failure softens a deny', () => {
  const deny = ['Read(.env)', 'Bash(curl:*)'];
  const names = (count: number) => Array.from({ length: count }, (_, index) => `f${index}`).join(' ');
  it.each([
    ['a comment of 100 KB behind it', `cat .env # ${'a'.repeat(100_000)}`],
    ['text of 100 KB before it', `true ${'b '.repeat(50_000)}; cat .env`],
    ['thousands of names before it', `cat ${names(9_000)} .env`],
    ['thousands of openings before it', `echo ${'{a,'.repeat(15_000)}; cat .env`],
    ['a quote that stays open', `cat .env; echo "`],
    ['letters spelled as numbers, unread', `env ($'\\x63url' x\n)`],
  ])('GT-4: %s', async (_what, command) => {
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const)
      expect((await place.bash(command, { mode, deny, allow: ['Bash'] })).behavior).toBe('deny');
  });

  it('GT-4: a file that a link leads to is not carried past by many names', async () => {
    await place.write('.env');
    const command = `cat ${names(9_000)} harmless`;
    expect((await place.bash(command, { mode: 'bypassPermissions', deny: ['Read(.env)'] })).behavior).toBe('deny');
    expect((await place.bash(command, { mode: 'bypassPermissions' })).behavior).toBe('allow');
  });
});
