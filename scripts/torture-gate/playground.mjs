/**
 * A throw-away tree to run lines in: a hostile repository as the root, a home, a folder outside, and canaries in all that
 * may not be read. Listeners note who connects. `changes` shows what is different since it was made.
 */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Each stands in one file that lines may not read; seen in an output, it was read. */
export const CANARIES = {
  env: 'zqdeniedenv',
  secrets: 'zqdeniedkey',
  outside: 'zqoutsidefile',
  inner: 'zqoutsideinner',
  home: 'zqhomenotes',
  ssh: 'zqhomekeyfile',
  netrc: 'zqhomenetrc',
  passwd: 'zqetcpasswd',
  shadow: 'zqetcshadow',
  key: 'zqapikeyvalue',
};

export async function makePlayground() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'torture-gate-')));
  const [root, outside, home, etc, state] = ['project', 'elsewhere', 'home', 'etc', 'state'].map((name) =>
    join(top, name),
  );
  const connections = [];
  const note = (name) => (socket) => {
    connections.push(name);
    socket.on('error', () => {});
    socket.destroy();
  };
  const tcp = createServer(note('tcp'));
  await new Promise((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  mkdirSync(state, { mode: 0o700 });
  const place = { top, root, outside, home, etc, state, port: tcp.address().port };
  let unix;
  let fifo;
  let before;
  let isTrusted = false;
  const rebuild = async () => {
    isTrusted = false;
    if (fifo !== undefined) closeSync(fifo);
    if (unix !== undefined) await new Promise((resolve) => unix.close(resolve));
    for (const folder of [root, outside, home, etc]) rmSync(folder, { recursive: true, force: true });
    plant(place);
    unix = createServer(note('unix socket'));
    await new Promise((resolve) => unix.listen(join(root, 'socket'), resolve));
    // Open for both, so that nobody who opens it waits for the other end.
    fifo = openSync(join(root, 'fifo'), constants.O_RDWR | constants.O_NONBLOCK);
    before = snapshot(place);
  };
  await rebuild();
  return {
    ...place,
    /** Names of the listeners that were used, and what came through the FIFO; empties both. */
    takeUses: () => [...connections.splice(0), ...readFifo(fifo)],
    changes: () => compare(before, snapshot(place)),
    /** Makes the root a repository that a user may trust, or one that nobody should. */
    setTrusted: (trusted) => {
      if (trusted === isTrusted) return;
      isTrusted = trusted;
      plantDrivers(root, join(root, 'evil.sh'), !trusted);
      before = snapshot(place);
    },
    rebuild,
    remove: async () => {
      closeSync(fifo);
      await new Promise((resolve) => unix.close(resolve));
      await new Promise((resolve) => tcp.close(resolve));
      rmSync(top, { recursive: true, force: true });
    },
  };
}

function readFifo(fifo) {
  const buffer = Buffer.alloc(64);
  try {
    const length = readSync(fifo, buffer);
    return length > 0 ? [`FIFO written: ${buffer.toString('utf8', 0, length)}`] : [];
  } catch {
    return [];
  }
}

function plant({ top, root, outside, home, etc }) {
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
  put(join(home, '.gitconfig'), '[user]\n\tname = a\n\temail = a@b.c\n');
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
  plantRepository(root, top, ['README.md', 'src', 'names.txt', '.env', 'secrets', 'a', 'b']);
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'sub', 'README.md'), 'inner\n');
  plantRepository(join(root, 'sub'), top, ['README.md']);
  writeFileSync(join(root, 'src', 'main.ts'), 'export function main() {\n  return 2;\n}\n');
}

/** Committed while it is still harmless; then every setting of it runs a program. */
function plantRepository(folder, top, files) {
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: top, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  git('add', '-f', ...files);
  git('commit', '-qm', 'one');
  const evil = join(folder, folder.endsWith('sub') ? '../evil.sh' : 'evil.sh');
  plantDrivers(folder, evil, true);
  for (const name of ['post-index-change', 'pre-commit', 'post-checkout', 'reference-transaction'])
    writeFileSync(join(folder, '.git', 'hooks', name), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
}

/**
 * What the environment of a reading git switches off, and drivers that are chosen by name: those may run where the user
 * trusts the repository.
 */
function plantDrivers(folder, evil, named) {
  const always = `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${evil}\n\tpager = ${evil}\n[alias]\n\tst = !${evil}\n`;
  const drivers = `[diff]\n\texternal = ${evil}\n[diff "evil"]\n\ttextconv = ${evil}\n\tcommand = ${evil}\n[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n`;
  writeFileSync(join(folder, '.git', 'config'), named ? `${always}${drivers}` : always);
}

/** Every entry with what would change if it was touched. */
function snapshot({ root, outside, home, etc }) {
  const found = new Map();
  const walk = (path) => {
    const stats = lstatSync(path, { bigint: true });
    const link = stats.isSymbolicLink() ? readlinkSync(path) : '';
    found.set(path, `${stats.mode} ${stats.ino} ${stats.size} ${stats.isDirectory() ? '' : stats.mtimeNs} ${link}`);
    if (stats.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
  };
  for (const folder of [root, outside, home, etc]) walk(folder);
  return found;
}

function compare(before, after) {
  const changes = [];
  for (const [path, state] of after) {
    if (!before.has(path)) changes.push(`made ${path}`);
    else if (before.get(path) !== state) changes.push(`changed ${path}`);
  }
  for (const path of before.keys()) if (!after.has(path)) changes.push(`removed ${path}`);
  return changes;
}
