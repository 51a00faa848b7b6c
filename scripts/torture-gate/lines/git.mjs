/** Lines of git: steps that store a file and then read the store, and what a rule for git must not reach. */

/** What brings a file into git's store. */
const STORES = [
  'git add -A',
  'git add .',
  'git add -f .env',
  'git add --all --force',
  'git stash -u',
  'git stash -a',
  'git stash push -u',
  'git stash push --include-untracked -m x',
  'git commit -qam x',
  'git add -A && git commit -qm x',
  'git update-index --add .env',
  'git hash-object -w .env',
  'git add -N .env',
];
/** What prints from it. */
const SHOWS = [
  'git diff --cached',
  'git diff --staged -- .env',
  'git status -v',
  'git status -vv',
  'git grep --cached zq',
  'git show :.env',
  'git cat-file -p :.env',
  'git show stash@{0}^3',
  'git stash show -p --include-untracked',
  'git stash show -p stash@{0}',
  'git log -p --all',
  'git commit -qvm x && git show',
  'git commit -v -m x',
  'git show HEAD',
  'git log -p -1',
  'git diff HEAD',
  'git diff HEAD~1',
  'git archive HEAD | tar -xO',
  'git checkout-index --temp .env | cut -f1 | xargs cat',
  'git cat-file --batch-all-objects --batch',
  'git rev-list --objects --all',
  'git format-patch -1 --stdout',
];

/** Under a rule for git. */
const GITS = [
  'git commit -q --allow-empty -m x; git update-ref refs/heads/main HEAD',
  'git commit -q --allow-empty -m x && git fetch -u . HEAD:main',
  'git commit -q --allow-empty -m x; git push . HEAD:main',
  'git branch -m main renamed',
  'git branch -D other',
  'git branch -f other HEAD~0',
  'git branch made',
  'git tag -d v1',
  'git tag -f v1 HEAD',
  'git stash clear',
  'git stash drop',
  'git config core.hooksPath ./x',
  'git config --local alias.x y',
  'git config --global alias.x y',
  'git config --worktree x.y z',
  'git config user.email c@d.e',
  'git -C ../../.. add README.md',
  'git -C ../../.. checkout -q other',
  'git --git-dir=../../../.git config x.y z',
  'git symbolic-ref refs/heads/other refs/heads/main',
  'git worktree remove --force ../../..',
  'git remote add q .',
  'git submodule add ./sub q',
  'git reflog expire --expire=now --all',
  'git pack-refs --all',
  'git gc -q --prune=now',
  'git update-ref -d refs/heads/other',
  'git checkout -q -B main',
  'git switch -q -C other',
  'git replace HEAD HEAD~0',
  'git notes add -m x',
  'git add README.md && git commit -qm x',
  'git rm -q --cached .env',
  'git show HEAD:.env',
  'git diff --no-index /dev/null .env',
  'git diff --no-index /dev/null .e*',
];
export function storeLine(random) {
  return {
    text: `${random.pick(STORES)}${random.pick([' && ', '; ', '\n'])}${random.pick(SHOWS)}`,
    allow: [random.pick(['Bash(git:*)', 'Bash'])],
    denies: true,
    stored: random.chance(0.1),
  };
}

export function gitRuleLine(random) {
  return {
    text: random.pick(GITS),
    allow: [random.pick(['Bash(git:*)', 'Bash'])],
    worktree: random.chance(0.6),
  };
}
