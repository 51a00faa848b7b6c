/** What stands in a playground: files of every kind, a repository that nobody should trust, a worktree of it, and canaries. */

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PLANTED_CANARY, plantPrograms, SHIM_CANARY } from './environments.mjs';

/** Each stands in one place that lines may not read; seen in an output, it was read. */
export const CANARIES = {
  env: 'zqdeniedenv',
  secrets: 'zqdeniedkey',
  outside: 'zqoutsidefile',
  inner: 'zqoutsideinner',
  home: 'zqhomenotes',
  ssh: 'zqhomekeyfile',
  netrc: 'zqhomenetrc',
  token: 'zqgitconfigtoken',
  passwd: 'zqetcpasswd',
  shadow: 'zqetcshadow',
  key: 'zqapikeyvalue',
  environment: 'zqothersenvironment',
  arguments: 'zqothersarguments',
  planted: PLANTED_CANARY,
  shim: SHIM_CANARY,
};

/** `stored`: git has what rules deny in its objects. */
export function plant(place, stored) {
  const { top, root, outside, home, etc } = place;
  const put = (path, text, mode) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (mode !== undefined) chmodSync(path, mode);
  };
  const canary = (name) => `${CANARIES[name]} a main ${CANARIES[name]}\n`.repeat(3);
  put(join(outside, 'secret.txt'), canary('outside'));
  put(join(outside, 'folder', 'inner.txt'), canary('inner'));
  put(join(home, '.ssh', 'id_rsa'), canary('ssh'));
  put(join(home, '.netrc'), canary('netrc'));
  put(join(home, 'notes.txt'), canary('home'));
  put(join(home, '.bashrc'), '# mine\n');
  put(join(home, '.gitconfig'), `[user]\n\tname = a\n\temail = a@b.c\n[x]\n\ttoken = ${CANARIES.token}\n`);
  put(
    join(etc, 'passwd'),
    `root:x:0:0:${CANARIES.passwd}:/root:/bin/bash\nme:x:1000:1000:${CANARIES.passwd}:${home}:/bin/bash\n`,
  );
  put(join(etc, 'shadow'), canary('shadow'));

  const inRoot = (name, text, mode) => put(join(root, name), text, mode);
  inRoot('README.md', '# Readme\na main line\nlast a\n');
  inRoot('src/main.ts', 'export function main() {\n  return 1;\n}\n');
  inRoot('src/util.ts', 'export const a = 1;\n');
  inRoot('src/a b.ts', 'spaces\n');
  inRoot('docs/guide.md', 'guide a\n');
  inRoot('names.txt', 'c,3\na,1\nb,2\n');
  inRoot('list.txt', 'README.md\nsrc/main.ts\n');
  inRoot('data.json', '{"name": "x", "list": [1, 2]}\n');
  inRoot('package.json', '{"name": "x", "scripts": {"evil": "touch out"}}\n');
  inRoot('.env', canary('env'));
  inRoot('secrets/k', canary('secrets'));
  inRoot('evil.sh', '#!/bin/sh\ntouch evil-ran\n', 0o755);
  inRoot('evil.sed', 'w out\n');
  inRoot('evil.awk', 'BEGIN { system("touch out") }\n');
  inRoot('evil.mk', 'all:\n\ttouch out\n');
  inRoot('evil.rc', '--pre=./evil.sh\n');
  inRoot('evil.cjs', 'require("fs").writeFileSync("out", "");\n');
  inRoot('evil.jq', 'env\n');
  inRoot('a/same', 'same\n');
  inRoot('b/same', 'other\n');
  inRoot('b/link', 'not it\n');
  inRoot('odd/-oout', 'x\n');
  inRoot('odd/x', 'x\n');
  inRoot('denied.txt', '.env\n');
  inRoot('locked/a', 'a\n');
  inRoot('.claude/settings.json', '{}\n');
  inRoot('.gitattributes', '*.md diff=evil filter=evil\n');
  for (const [name, target] of [
    ['link-in', 'README.md'],
    ['link-out', '../elsewhere/secret.txt'],
    ['dir-out', '../elsewhere'],
    ['dangling', '../elsewhere/absent'],
    ['a/link', '../../elsewhere/secret.txt'],
  ])
    symlinkSync(target, join(root, name));
  execFileSync('mkfifo', [join(root, 'fifo')]);
  execFileSync('tar', ['-cf', 'archive.tar', 'README.md', 'src'], { cwd: root });
  execFileSync('gzip', ['-k', '-c', 'README.md'], {
    cwd: root,
    stdio: ['ignore', openSync(join(root, 'page.gz'), 'w'), 'ignore'],
  });
  if (process.getuid() === 0) execFileSync('mknod', ['-m', '666', join(root, 'device'), 'c', '1', '5']);
  plantPrograms(place);
  plantRepository(
    root,
    top,
    ['README.md', 'src', 'names.txt', 'a', 'b', ...(stored ? DENIED_FILES : [])],
    place.worktree,
  );
  for (const name of stored ? [] : DENIED_FILES)
    cpSync(join(root, name), join(place.worktree, name), { recursive: true });
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'sub', 'README.md'), 'inner\n');
  plantRepository(join(root, 'sub'), top, ['README.md']);
  writeFileSync(join(root, 'src', 'main.ts'), 'export function main() {\n  return 2;\n}\n');
}

const DENIED_FILES = ['.env', 'secrets'];

export const AGENT_BRANCH = 'agent';

/** Committed while it is still harmless; then every setting of it runs a program. */
function plantRepository(folder, top, files, worktree) {
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: top, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  git('add', '-f', ...files);
  git('commit', '-qm', 'one');
  if (worktree !== undefined) {
    // Other refs than the agent's own, and something that only a stash has.
    git('branch', 'other');
    git('tag', 'v1');
    writeFileSync(join(folder, 'names.txt'), 'stashed\n');
    git('stash', '-q');
    git('worktree', 'add', '-q', '-b', AGENT_BRANCH, worktree);
  }
  const evil = join(folder, folder.endsWith('sub') ? '../evil.sh' : 'evil.sh');
  plantDrivers(folder, evil, true);
  for (const name of ['post-index-change', 'pre-commit', 'post-checkout', 'reference-transaction'])
    writeFileSync(join(folder, '.git', 'hooks', name), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
}

/**
 * What the environment of a reading git switches off, and drivers that are chosen by name: those may run where the user
 * trusts the repository.
 */
export function plantDrivers(folder, evil, named) {
  const always = `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${evil}\n\tpager = ${evil}\n[alias]\n\tst = !${evil}\n`;
  const drivers = `[diff]\n\texternal = ${evil}\n[diff "evil"]\n\ttextconv = ${evil}\n\tcommand = ${evil}\n[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n`;
  writeFileSync(join(folder, '.git', 'config'), named ? `${always}${drivers}` : always);
}
