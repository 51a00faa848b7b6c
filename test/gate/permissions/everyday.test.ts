/** Commands of ordinary days: those that plainly read pass unasked in `default`, those that change something ask (GT-6). */

import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePlayground, type Playground } from './playground.js';

const READS = `
git status
git status -s
git status --short --branch
git status --porcelain
git status -uno
git log
git log --oneline -5
git log --oneline --graph --all -20
git log -n 3 --stat
git log -p -1 -- src/main.ts
git log --since="2 weeks ago" --author=kim --format="%h %s"
git log main..HEAD --oneline
git log -S needle --oneline
git diff
git diff --stat
git diff --cached
git diff --name-only HEAD~3
git diff main...HEAD -- src/main.ts
git diff HEAD -- package.json
git --no-pager diff
git show
git show HEAD:README.md
git show --stat HEAD~1
git show --name-only HEAD
git branch
git branch -a
git branch -vv
git branch --show-current
git branch --list 'feat/*'
git branch --contains HEAD
git remote -v
git remote get-url origin
git tag
git tag -l 'v1.*'
git stash list
git rev-parse HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git ls-files
git ls-files --others --exclude-standard
git blame src/main.ts
git blame -L 10,20 src/main.ts
git describe --tags --always
git reflog
git reflog -5
git shortlog -sn HEAD
git merge-base main HEAD
git worktree list
git config --get user.name
git config user.email
git cat-file -p HEAD
git grep -n TODO
git grep -n "/api/users" -- src
git check-ignore -v node_modules
git for-each-ref --sort=-committerdate --count=5 refs/heads
git rev-list --count HEAD
git ls-tree -r --name-only HEAD
git --version
ls
ls -la
ls -lah src
ls -1 src test
ls *.md
ls src/*.ts
ls -R src
cat README.md
cat -n src/main.ts
cat src/main.ts package.json
cat ./src/../package.json
head -20 src/main.ts
head -n 50 README.md
tail -5 README.md
tail -n +10 src/main.ts
wc -l src/main.ts
wc -l src/*.ts
pwd
echo hello
echo "done: 3 files"
echo 'rm -rf /'
printf '%s\\n' hello
date
date +%Y-%m-%d
date -u +"%Y-%m-%dT%H:%M:%SZ"
whoami
id -u
uname -a
hostname
which node
which -a python3
command -v rg
type ls
stat src/main.ts
stat -c %s package.json
file README.md
du -sh src
du -h --max-depth=1 .
df -h
tree -L 2
tree -L 2 -I node_modules
basename src/main.ts .ts
dirname src/main.ts
realpath src/main.ts
sha256sum package.json
sort names.txt
sort -u names.txt
sort -k2,2n -t, names.txt
uniq -c names.txt
cut -d: -f1 names.txt
diff -u src/main.ts src/util.ts
diff README.md package.json
cmp src/main.ts src/util.ts
jq . package.json
jq -r '.scripts | keys[]' package.json
grep -n main src/main.ts
grep -rn "TODO" src
grep -rn --include=*.ts main .
grep -c x README.md
grep -E 'a|b' README.md
grep -i -A 3 -B 1 main src/main.ts
grep -v '^#' README.md
rg main
rg -n "function main" src
rg -l TODO
rg --files
rg --files -g '*.ts'
rg -g'*.py' pattern
rg -t ts -C 2 main src
rg -i --hidden --glob '!node_modules' main
find . -name '*.ts'
find src -type f
find . -type f -name "*.md" -not -path "./node_modules/*"
find . -maxdepth 2 -type d
find . -name '*.ts' -newermt 2024-01-01 -print
find . \\( -name '*.ts' -o -name '*.js' \\) -print
find src -type f -size +10k -mtime -7
sed -n '1,5p' src/main.ts
sed -n 10,40p src/main.ts
sed -n '/main/p' src/main.ts
sed -n '$p' README.md
sed 's/a/b/' README.md
sed -e '1d' README.md
sed -n '1,20p;30q' src/main.ts
node --version
node -v
python3 --version
docker --version
docker ps
docker ps -a
docker images
make --version
gcc --version
test -f package.json
[ -d src ]
true
sleep 1
ps aux
cat README.md | head -5
ls -la | grep main
git log --oneline | head -10
git diff --name-only | sort | uniq
cat package.json | jq .name
grep -rn main src | wc -l
find . -name '*.ts' | wc -l
rg -l main | sort
git ls-files | grep test | head
cat names.txt | cut -d, -f1 | sort | uniq -c | sort -rn | head -5
ls -la && cat README.md
cd src && ls
cd src && git status
git -C src status
cd src; cat main.ts
pwd; ls; git status
git status && git diff --stat && git log --oneline -3
ls missing || echo none
test -f package.json && echo yes || echo no
(cd src && ls -la)
ls nosuch 2>/dev/null
cat README.md 2>&1 | tail -3
wc -l < README.md
tr a-z A-Z < README.md
timeout 5 git status
time ls
cat <<'EOF'
some $text
EOF
NO_COLOR=1 git status
LC_ALL=C sort names.txt
if [ -f package.json ]; then cat package.json; fi
`;

/** A project may make these run something: they are asked where nothing confines them (GT-27). */
const BOXED = `
npm -v
npm --version
npm ls
npm ls --depth=0
npm run
pip list
cargo --version
rustc --version
go version
go env GOPATH
java -version
npm pkg get name
npm why lodash
cargo tree
cargo metadata --offline --no-deps --format-version=1
go list ./...
mvn --version
yarn --help
pytest --version
`;

const ASKS = `
npm install
npm test
npm run build
npm ci
npm view react version
npm config get registry
npx vitest run
node script.js
node -e "console.log(1)"
python3 script.py
python3 -c "print(1)"
python3 -m pytest
pip install requests
pytest
cargo build
cargo test
go build ./...
go test ./...
make
make test
docker run --rm alpine
docker exec -it web sh
docker compose up -d
docker inspect web
kubectl get pods
curl https://example.com
wget https://example.com
gh pr list
git add .
git commit -m "message"
git push
git push origin main
git pull
git fetch
git checkout main
git checkout -- src/main.ts
git switch -c feature
git merge main
git rebase main
git reset --hard
git stash
git stash pop
git clean -fd
git branch -d old
git branch new
git tag v1.0.0
git config user.name me
git clone https://example.com/x.git
git remote add origin https://example.com/x.git
git log --output=x
mkdir build
touch new.txt
cp a b
mv a b
rm -rf build
rm file.txt
chmod +x run.sh
ln -s a b
tee out.txt
echo hi > out.txt
echo hi >> out.txt
cat a b > c
sort -o names.txt names.txt
sed -i 's/a/b/' README.md
sed 's/a/b/w out' README.md
awk '{print $1}' names.txt
find . -name '*.tmp' -delete
find . -name '*.ts' -exec wc -l {} +
find . -name '*.ts' | xargs wc -l
xargs rm < list
cat /etc/passwd
cat ~/.ssh/id_rsa
cat ../elsewhere/file
ls /
head -5 /var/log/syslog
grep -r x /etc
cat /proc/self/environ
tail -f log.txt
less README.md
man ls
vim README.md
env
printenv
export FOO=1
source .env
. ./env.sh
eval ls
bash script.sh
bash -c ls
sh -c 'ls'
sudo ls
ssh host ls
echo $HOME
echo $(date)
echo \`date\`
for f in *.ts; do echo $f; done
while true; do sleep 1; done
FOO=bar ls
PATH=. ls
ls | tee out
kill 1
tsc
eslint src
prettier --write src
./run.sh
ls &> out.txt
ps auxe
history
cd && ls
cd /tmp && ls
`;

const lines = (list: string) => {
  const found: string[] = [];
  for (const line of list.trim().split('\n')) {
    const last = found.at(-1);
    const open = last?.includes("<<'EOF'") && !last.endsWith('\nEOF');
    if (open) found[found.length - 1] = `${last}\n${line}`;
    else found.push(line);
  }
  return found;
};

let place: Playground;

beforeAll(async () => {
  place = await makePlayground();
  for (const name of ['README.md', 'package.json', 'names.txt', 'src/main.ts', 'src/util.ts', 'test/a.test.ts'])
    await place.write(name);
  await mkdir(join(place.root, 'node_modules'));
  execFileSync('git', ['init', '-q', place.root]);
});
afterAll(() => place.remove());

describe('GT-6 everyday commands', () => {
  it('GT-6: the list is long enough to mean something', () => {
    expect(lines(READS).length).toBeGreaterThan(150);
    expect(lines(READS).length + lines(ASKS).length).toBeGreaterThan(250);
  });
  it.each(lines(READS))('GT-6: passes unasked: %s', async (command) => {
    expect(await place.bash(command)).toMatchObject({ behavior: 'allow' });
  });
  it.each(lines(READS))('GT-5: passes in plan mode too: %s', async (command) => {
    expect(await place.bash(command, { mode: 'plan' })).toMatchObject({ behavior: 'allow' });
  });
  it.each(lines(BOXED))('GT-27: passes only confined, in a trusted folder: %s', (command) => {
    const box = { deniedInGit: false };
    expect(place.bash(command, { box })).toMatchObject({ behavior: 'allow', reading: { confined: true } });
    expect(place.bash(command, { box, trusted: false }).behavior).toBe('ask');
    expect(place.bash(command).behavior).toBe('ask');
    expect(place.bash(command, { mode: 'plan' }).behavior).not.toBe('allow');
  });
  it.each(lines(ASKS))('GT-6: asks: %s', async (command) => {
    expect(await place.bash(command)).toMatchObject({ behavior: 'ask' });
  });
  it.each(lines(ASKS))('AG-8 GT-5: never runs in a read-only agent, whatever is allowed: %s', async (command) => {
    const decision = await place.bash(command, {
      readOnlyOnly: true,
      mode: 'bypassPermissions',
      allow: ['Bash', 'Edit'],
    });
    expect(decision.behavior).not.toBe('allow');
  });
});
