/** What can stand around a command and still run it: wrappers, shells, evaluations, and assignments before it. */

const single = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** In front of a simple command. */
const RUNNERS = [
  'env',
  'env A=1',
  'env -i',
  'env -u HOME',
  'env NO_COLOR=1',
  'timeout 5',
  'timeout -k 1 5',
  'timeout --signal=KILL 5',
  'nice',
  'nice -n 5',
  'nohup',
  'stdbuf -oL',
  'ionice -c 3',
  'command',
  'command -p',
  'builtin',
  'exec',
  'time',
  'time -p',
  '!',
  'setsid',
  'xargs',
  'xargs -n 1',
  'nice timeout 5',
  'env timeout 5 nice',
  'coproc',
  '/usr/bin/env',
  '\\command',
  'flock names.txt',
  'taskset 1',
  'chrt -o 0',
  'unshare -r',
  'script -qc',
  'busybox',
  'x86_64',
  'setarch -R',
  'choom -n 0 --',
  'sudo',
];

/** Around any text. */
const SHELLS = [
  ['sh -c', (text) => `sh -c ${single(text)}`],
  ['bash -c', (text) => `bash -c ${single(text)}`],
  ['bash -lc', (text) => `bash -lc ${single(text)}`],
  ['env bash -c', (text) => `env bash -c ${single(text)}`],
  ['eval', (text) => `eval ${single(text)}`],
  ['eval words', (text) => `eval ${text}`],
  ['trap', (text) => `trap ${single(text)} EXIT`],
  ['fed shell', (text) => `bash <<< ${single(text)}`],
  ['piped shell', (text) => `echo ${single(text)} | sh`],
  ['env -S', (text) => `env -S ${single(text)}`],
  ['xargs sh', (text) => `echo ${single(text)} | xargs -0 sh -c`],
  ['xargs I', (text) => `echo x | xargs -I{} ${text}`],
  ['find exec', (text) => `find . -maxdepth 0 -exec ${text} \\;`],
  ['find exec sh', (text) => `find . -maxdepth 0 -exec sh -c ${single(text)} \\;`],
  ['sourced', (text) => `. <(echo ${single(text)})`],
  ['script file', (text) => `bash <(echo ${single(text)})`],
  ['prompt', (text) => `v=${single(`$(${text})`)}; echo "\${v@P}"`],
];

const HARMLESS_ASSIGNMENTS = ['NO_COLOR=1', 'LC_ALL=C', 'CI=1', 'LANG=C', 'TERM=dumb', 'COLUMNS=80'];
/** @x@ is a value. */
const ASSIGNMENTS = [
  'v=@x@',
  'v=1 w=2',
  'v+=@x@',
  'l=(@x@ b)',
  'l[0]=@x@',
  'l+=(@x@)',
  'PATH=.:$PATH',
  'PATH=.',
  'IFS=,',
  'HOME=.',
  'BASH_ENV=./evil.sh',
  'ENV=./evil.sh',
  'GIT_PAGER=./evil.sh',
  'GIT_DIR=sub/.git',
  'LD_PRELOAD=./evil.so',
  'PS4=@x@',
  'TMPDIR=.',
  'GLOBIGNORE=x',
  'POSIXLY_CORRECT=1',
  'TZ=@x@',
];
const DECLARATIONS = [
  'export v=@x@',
  'declare v=@x@',
  'typeset v=@x@',
  'readonly v=@x@',
  'declare -a l=(@x@)',
  'declare -A m=([k]=@x@)',
  'declare -i n=1',
  'declare -n r=v',
  'export PATH=.:$PATH',
  'local v=@x@',
  'let n=1',
  'set -- @x@',
  'unset v',
  'shopt -s nullglob dotglob',
  'set -x',
  'alias ls=cat',
];

export function wrapSimple(random, text) {
  const runner = random.pick(RUNNERS);
  return { text: `${runner} ${text}`, tag: `wrapper: ${runner}` };
}

export function wrapText(random, text) {
  const [name, make] = random.pick(SHELLS);
  return { text: make(text), tag: `wrapper: ${name}` };
}

/** Before a command on the same simple command, or a separate command in front of it. */
export function assign(random, { dangerous, value }) {
  const own = random.chance(0.4);
  const list = own ? DECLARATIONS : dangerous ? ASSIGNMENTS : HARMLESS_ASSIGNMENTS;
  const written = random.pick(list);
  const text = written.replaceAll('@x@', () => value());
  const joins = own || random.chance(0.3) ? '; ' : ' ';
  return { text: `${text}${joins}`, tag: `assignment: ${written}` };
}

export const WRAPPERS = [...RUNNERS, ...SHELLS.map(([name]) => name)];
