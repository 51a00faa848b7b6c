/** The proven table (GT-6): forms that pass without a box, and near misses that do not. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineProgram } from '../../../../src/gate/permissions/shell/examine-program.js';
import { makePlayground, type Playground } from './playground.js';

const lines = (text: string) => text.trim().split('\n');

const READS = `
git log @{u}..HEAD
git show HEAD:src/main.ts
git show :0:src/main.ts
git show stash@{0}:src/main.ts
git -C src status
git --no-pager -C src log --oneline -3
git diff -U5
git diff -M --stat
git log -p -2 -- src
git log -L 1,5:src/main.ts
git stash show -p
git cherry -v main
git status -uno
git tag -n3
od -c -w16 f
od -A x -t x1z f
date -Iseconds
date -r f
xxd f
xxd -l 64 -c 8 f
xxd -p f
strings -n 8 f
tar -tf a.tar
tar tvzf a.tgz
unzip -l a.zip
zipinfo -1 a.zip
zcat a.gz
gunzip -c a.gz
gzip -dc a.gz
nm -C f
readelf -h f
join f f
shuf -n 3 f
expr 1 + 2
getconf PAGE_SIZE
locale -a
ss -tlnp
jq --arg a b .x package.json
jq --indent 2 --argjson a 1 .x package.json
xxd -
test f -nt package.json
[ -O f ]
diff -u f package.json
sort -t / -k 2 -S 1M f
cut -d / -f 2 f
uniq --all-repeated=separate f
awk '/main/' src/main.ts
awk -F, 'NR == 1 {print $2, $NF}' f
awk '!/x|y/ {print $1}' f
awk '/^[a-z_]+ x/ && NR >= 2 {print $1}' f
node --version
python3 --version
perl -v
gcc --version
docker ps -a
`;

const ASKS = `
awk 'BEGIN{print 1 / system("touch PWN") / 1}'
awk 'BEGIN{print NR/system("touch PWN")/1}' f
awk '{print > "PWN"}' f
awk '{print | "sh"}' f
awk 'BEGIN{while(getline < "/etc/passwd")print}'
awk '{n=$1; print (1) / system(n) / 1}' f
od -c -w /etc/passwd
od -S 4 /etc/passwd
head -n /etc/passwd
sort -k /etc/passwd
git diff -U /etc/passwd -U /etc/group
git log --format /etc/passwd
git show HEAD:../../etc/passwd
git -C /etc status
git -C .. status
git -C src -c core.pager=x log
git -C
git --git-dir=src status
git --work-tree=/etc status
git diff --no-index f package.json
git archive HEAD
ps
ps aux
ps -ef
ps -eo pid,ppid,cmd --sort=-pcpu
ps -p 1 -o pid,comm
ps -ef -p 1 -o args -ww
lsof -i :3000
lsof -nP -iTCP:3000 -sTCP:LISTEN
lsof -i @127.0.0.1:80
netstat -a
git config --global --list
git config --list
git config --get http.extraheader
ps -axe
ps axe
ps auxe
ps -ef e
ps e
ps -aux -e
ps -e -ax
ps -o pid,environ
ps eww
ps -E
xxd f PWN
xxd -r f
xxd -pc /etc/passwd
xxd -ps -c /etc/passwd
strings @f
nm @f
nm --plugin x f
readelf -w f
tar -tf host:a.tar
tar -tf a.tar --to-command=x
tar -xf a.tar
tar -tIf x a.tar
unzip a.zip
unzip -l 'a*'
unzip -l linked
zcat linked
zcat -r src
gunzip a.gz
gzip f
gzip -d a.gz
diff folder f
diff f folder
diff folder src
ls -L folder
ls -LR .
du -L .
find -L .
file -p f
file -f f
date -f f
date -s now
shuf -o PWN f
getconf -v x y
lsof -D b
ss -K
ss -D PWN
pgrep -F f
fd -l x
jq -n --arg a b env
jq '$__prog_args' f
ls -w /etc
npm ls
cargo --version
mvn --version
go version
rustc --version
yarn --version
gradle --version
bundle --version
`;

/** Each ran something, wrote a file, or contacted another machine. */
const DISGUISED = `
echo x | xxd - PWN
xxd <(echo hi) PWN
xxd - PWN
xxd f -
xxd -- f PWN
awk '/[/ && "]/{system($0)} # "' f
awk '/[/]/{print}' f
awk '{print} # x' f
awk '!/a[/]b/' f
awk '/a\\[/ {print}' f
awk --field-separator 'BEGIN{system("touch PWN")}' '{print}' f
awk '{print}' -F /etc/passwd
awk '{print "x" >= "PWN"}' f
awk '{print "x" || "PWN"}' f
jq -R --indent --arg . /etc/passwd . f
jq -R --indent --argjson . /etc/passwd . f
jq --indent x . f
jq --indent --tab /etc/passwd . f
jq . f --args x
jq --jsonargs . f
jq --slurpfile a /etc/passwd . f
jq --rawfile a /etc/passwd . f
jq -f f
jq -L src . f
jq --arg a
lsof -i @secret.evil.example
lsof -i@secret.evil.example
lsof -i tcp@evil.example:80
lsof -i @::evil
`;

let place: Playground;
beforeAll(async () => {
  place = await makePlayground();
  for (const name of ['f', 'src/main.ts', 'package.json', 'a.tar', 'a.tgz', 'a.gz', 'a.zip']) await place.write(name);
  execFileSync('git', ['init', '-q', place.root]);
  await mkdir(join(place.root, 'folder'));
  await symlink('/etc/passwd', join(place.root, 'folder', 'f'));
  for (const ending of ['gz', 'zip']) await symlink('/etc/passwd', join(place.root, `linked.${ending}`));
});
afterAll(() => place.remove());

describe('GT-6 the proven table', () => {
  it.each(lines(READS))('GT-6: passes without a box: %s', (command) => {
    expect(place.bash(command)).toMatchObject({ behavior: 'allow' });
  });
  it.each(lines(ASKS))('GT-6: does not pass: %s', (command) => {
    expect(place.bash(command).behavior).toBe('ask');
    expect(place.bash(command, { mode: 'plan' }).behavior).not.toBe('allow');
  });

  it.each(lines(DISGUISED))('GT-25: does not pass: %s', (command) => {
    expect(place.bash(command).behavior).toBe('ask');
  });

  it('GT-6: diff follows links inside folders, so it passes for files only', () => {
    expect(spawnSync('sh', ['-c', 'diff folder f'], { cwd: place.root, encoding: 'utf8' }).stdout).toContain('root:');
    expect(place.bash('diff folder f').behavior).toBe('ask');
  });
});

describe('GT-23 GT-26 what git prints and where it works', () => {
  const prints = (command: string) => examineProgram(command.split(' '), false).printsHistory === true;
  it.each(
    'git diff|git show|git show --stat HEAD:f|git show --stat 0123abcd|git log -p|git log -S x|git log -G x|git log -L 1,2:f|git blame f|git grep x|git cat-file -p HEAD:f|git stash show|git diff --stat -p|git reflog -p|git status -v|git range-diff a b'.split(
      '|',
    ),
  )('GT-23: %s prints contents', (command) => expect(prints(command)).toBe(true));
  it.each(
    'git status|git log|git log --stat|git diff --stat|git diff --name-only|git show --stat HEAD|git branch -a|git ls-files|git cat-file -t HEAD|git stash list|git rev-parse HEAD'.split(
      '|',
    ),
  )('GT-23: %s prints none', (command) => expect(prints(command)).toBe(false));

  it('GT-26: git -C checks the repository there, and its paths are relative to it', () => {
    expect(examineProgram(['git', '-C', 'src', 'diff', '../f'], false)).toMatchObject({
      folder: { at: 2, path: 'src' },
      paths: [
        { at: 2, path: 'src' },
        { at: 4, path: 'f' },
      ],
    });
    const nested = join(place.root, 'nested');
    execFileSync('git', ['init', '-q', nested]);
    expect(place.bash('git -C nested status').behavior).toBe('allow');
    execFileSync('git', ['-C', nested, 'config', 'core.fsmonitor', './evil']);
    expect(place.bash('git -C nested status')).toMatchObject({ behavior: 'allow', run: { kind: 'proven' } });
    execFileSync('git', ['-C', nested, 'config', 'diff.external', './evil']);
    for (const allow of [[], ['Bash'], ['Bash(git:*)']])
      expect(place.bash('git -C nested status', { allow }).behavior).toBe('ask');
    expect(place.bash('git -C src -C ../nested status').behavior).toBe('ask');
  });

  it('GT-4: a file in the index or a revision is the file that a rule denies', () => {
    const deny = ['Read(.env)'];
    for (const command of [
      'git show :0:.env',
      'git show HEAD:./.env',
      'git show stash@{0}:.env',
      'git cat-file -p HEAD:.env',
    ])
      expect(place.bash(command, { deny }).behavior, command).toBe('deny');
  });
});
