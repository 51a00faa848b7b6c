/** Paths that lines name: what may be read, what may not, and where something could be written. */

/** Inside the root, and readable. */
const INSIDE = [
  'README.md',
  'src/main.ts',
  './src/util.ts',
  'names.txt',
  'data.json',
  'list.txt',
  'docs/guide.md',
  'src/../README.md',
  'link-in',
  'src/a b.ts',
  '-',
];
const FOLDERS = ['.', 'src', './docs', 'docs', 'src/..'];

/** Outside the roots, denied by a rule, or of another kind than a file. */
const FORBIDDEN = [
  '.env',
  './.env',
  'src/../.env',
  'secrets/k',
  '../elsewhere/secret.txt',
  '@outside@/secret.txt',
  'link-out',
  'dir-out/secret.txt',
  'a/link',
  '~/notes.txt',
  '~/.ssh/id_rsa',
  '@home@/.netrc',
  '/etc/passwd',
  '/etc/shadow',
  '/proc/self/environ',
  '/proc/self/root/etc/passwd',
  '/dev/tcp/127.0.0.1/@port@',
  'fifo',
  'socket',
];
const FORBIDDEN_FOLDERS = ['..', '/etc', '~', '../elsewhere', 'dir-out', 'secrets', 'a', '@home@/.ssh', 'sub', 'odd'];

const HARMLESS_TARGETS = ['/dev/null', '/dev/null', '/dev/null', '/dev/stdout', '/dev/stderr'];
const TARGETS = [
  'out',
  'src/out.txt',
  'README.md',
  './new/../out',
  '~/.bashrc',
  '@home@/.profile',
  '../elsewhere/new',
  '@outside@/secret.txt',
  '.git/hooks/pre-commit',
  '.git/config',
  '.claude/settings.json',
  '.mcp.json',
  'dangling',
  'link-out',
  'dir-out/new',
  'fifo',
  'socket',
  '/tmp/left',
  '/dev/tcp/127.0.0.1/@port@',
  '/dev/udp/127.0.0.1/@port@',
  '/dev/fd/../../@root@/out',
];

export function readablePath(random, dangerous) {
  return random.pick(dangerous ? FORBIDDEN : INSIDE);
}

export function folderPath(random, dangerous) {
  return random.pick(dangerous ? FORBIDDEN_FOLDERS : FOLDERS);
}

export function targetPath(random, dangerous) {
  return random.pick(dangerous ? TARGETS : HARMLESS_TARGETS);
}

/** Puts the real places into a line. */
export function place(text, { root, outside, home, port }) {
  return text
    .replaceAll('@root@', root)
    .replaceAll('@outside@', outside)
    .replaceAll('@home@', home)
    .replaceAll('@port@', String(port));
}

/** Spellings of a path that no reader of the line knows. Each gives what stands before and the word. */
const COMPUTED = [
  (path) => [`x=${path.slice(0, 2)}; `, `$x${path.slice(2)}`],
  (path) => [`x=${`'${path}'`}; `, '$x'],
  (path) => ['', `"$(echo ${path})"`],
  (path) => ['', `\`printf %s ${path}\``],
  (path) => ['', `$(printf '\\x${path.charCodeAt(0).toString(16)}')${path.slice(1)}`],
  (path) => [`cd ${folderOf(path)}; `, path.slice(path.lastIndexOf('/') + 1)],
  (path) => [`cd "$(echo ${folderOf(path)})" && `, `./${path.slice(path.lastIndexOf('/') + 1)}`],
  (path) => [`pushd ${folderOf(path)} > /dev/null; `, path.slice(path.lastIndexOf('/') + 1)],
  (path) => [`read -r p <<< ${`'${path}'`}; `, '"$p"'],
  (path) => [
    '',
    path.startsWith('../')
      ? path.replace(/^(?:\.\.\/)+/, () => '`git rev-parse --git-common-dir`/../')
      : `./${path}`.replace('./@', '@'),
  ],
  (path) => ['', path.replace('.git/', '$(git rev-parse --git-common-dir)/')],
  (path) => ['', `\${nope:-${path}}`],
  (path) => ['', `${path.slice(0, -1)}{${path.slice(-1)},}`],
  (path) => [`ln -s ${folderOf(path)} l; `, `l/${path.slice(path.lastIndexOf('/') + 1)}`],
  (path) => ['', path],
];

export function computePath(random, path) {
  return random.pick(COMPUTED)(path);
}

function folderOf(path) {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
}
