/** Lines under an allow rule: paths that are computed, what a runner can do, and a program that another rule denies. */

import { computePath } from '../paths.mjs';
import { FORBIDDEN_PROGRAM } from '../programs.mjs';

/** Where rules must not lead: in the repository, in the home, and from a worktree. */
const GUARDED = [
  '.git/hooks/post-merge',
  '.git/config',
  '.claude/settings.json',
  '.claude/agents/a.md',
  '.mcp.json',
  '@home@/.bashrc',
  '@home@/.ssh/authorized_keys',
  '@home@/.gitconfig',
  '@home@/.profile',
];
const OF_CHECKOUT = [
  '../../../q',
  '../../../README.md',
  '../../../.git/hooks/post-merge',
  '../../../.git/config',
  '@root@/q',
  '@root@/src/q',
];

/** What writes there. */
const WRITERS = [
  (word) => `touch ${word}`,
  (word) => `echo x > ${word}`,
  (word) => `echo x >> ${word}`,
  (word) => `echo x | tee -a ${word}`,
  (word) => `cp README.md ${word}`,
  (word) => `ln -sf README.md ${word}`,
  (word) => `dd if=README.md of=${word}`,
  (word) => `sed -i 's/$/x/' ${word}`,
  (word) => `rm -f ${word}`,
  (word) => `mv names.txt ${word}`,
  (word) => `chmod 777 ${word}`,
  (word) => `bash -c "touch ${word.replaceAll('"', '\\"')}"`,
  (word) => `echo ${word} | xargs touch`,
  (word) => `find . -maxdepth 0 -exec touch ${word} \\;`,
  (word) => `install README.md ${word}`,
];
const CLIMBS = [
  'bash -c "cd ..; cd ../..; touch q"',
  'x=..; touch $x/$x/$x/q',
  'cd `git rev-parse --git-common-dir`/..; touch q',
  'cd "$(git rev-parse --git-common-dir)"/.. && echo x >> README.md',
  'sh -c \'cd "$0"; touch q\' ../../..',
  'cd ../../.. ; git checkout -q -b q2',
];
const RUNS = {
  'Bash(node:*)': (path, text) =>
    `node -e 'require("fs").appendFileSync(${JSON.stringify(path)}.trim(), ${JSON.stringify(text)})'`,
  'Bash(python3:*)': (path, text) => `python3 -c 'open("".join([${JSON.stringify(path)}]),"a").write("${text}")'`,
  'Bash(perl:*)': (path) =>
    `perl -e 'open F, ">>", join("", "${path.replaceAll('@', '\\@').replaceAll(/\\@(\w+)\\@/g, '@$1@')}"); print F "x"'`,
  'Bash(awk:*)': (path) => `awk 'BEGIN { f = "${path}"; print "x" >> f }'`,
};
const READS = {
  'Bash(node:*)': `node -p 'require("fs").readFileSync(["." + "env"][0], "utf8")'`,
  'Bash(python3:*)': `python3 -c 'print(open("." + "env").read())'`,
  'Bash(perl:*)': `perl -pe 1 $(echo .e)nv`,
  'Bash(awk:*)': `awk '{ print }' .e*`,
  'Bash(tar:*)': `tar cO -T denied.txt`,
  'Bash(make:*)': `make -f - <<< $'all:\\n\\t@cat .e*'`,
  'Bash(env:*)': 'env',
};

/** Ways to a program that a rule denies, each with its name in the line or computed. */
const TO_DENIED = [
  ...[
    "make -f - <<< $'all:\\n\\t%p 6'",
    "bash -c '%p 6'",
    'p=%p; $p 6',
    'echo 6 | xargs %p',
    'find . -maxdepth 0 -exec %p 6 \\;',
  ],
  ...[
    'awk \'BEGIN { system("%p 6") }\'',
    'python3 -c \'import os; os.system("%p 6")\'',
    'perl -e \'system("%p 6")\'',
    '$(echo %p) 6',
  ],
  ...[
    'node -e \'require("child_process").execSync("%p 6")\'',
    'env -S "%p 6"',
    '/usr/bin/%p 6',
    '"%p" 6',
    "git -c alias.x='!%p 6' x",
  ],
  ...[
    "sed '1e %p 6' README.md",
    "sh <<< '%p 6'",
    'command %p 6',
    "tar -cf /dev/null README.md --checkpoint=1 --checkpoint-action=exec='%p 6'",
  ],
];

/** Everything that needs a rule is asked about without one. */
export const ALLOWED = ['Bash', 'Bash(git:*)', ...new Set([...Object.keys(RUNS), ...Object.keys(READS)])];

export function computedLine(random) {
  const worktree = random.chance(0.6);
  const allow = ['Bash'];
  if (worktree && random.chance(0.3)) return { text: random.pick(CLIMBS), allow, worktree };
  const path = random.pick(worktree ? [...OF_CHECKOUT, ...OF_CHECKOUT, ...GUARDED] : GUARDED);
  const [before, word] = computePath(random, path);
  return { text: `${before}${random.pick(WRITERS)(word)}`, allow, worktree };
}

export function runnerLine(random) {
  if (random.chance(0.5)) {
    const rule = random.pick(Object.keys(READS));
    return { text: READS[rule], allow: [random.pick([rule, rule, 'Bash'])], denies: true };
  }
  const rule = random.pick(Object.keys(RUNS));
  const worktree = random.chance(0.5);
  const path = random.pick(worktree ? OF_CHECKOUT : GUARDED);
  return { text: RUNS[rule](path, 'x'), allow: [rule], worktree };
}

export function deniedProgramLine(random) {
  return { text: random.pick(TO_DENIED).replaceAll('%p', FORBIDDEN_PROGRAM), allow: ['Bash'], forbids: true };
}
