/** Lines of one program with random options, as its own help on this machine names them. */

import { execFile } from 'node:child_process';
import { readablePath, targetPath } from '../paths.mjs';

/** Each: how its help is asked for, and what it can stand with. %f is a file, %d a folder. */
const PROGRAMS = [
  ...['ps', 'ps', 'ps'].map((name) => [
    name,
    ['--help', 'all'],
    ['', '%p', '-p %p', 'aux', '-ef', 'axe', '-ef -p %p -o args -ww'],
  ]),
  ...[
    'df',
    'lsof',
    'ss',
    'netstat',
    'free',
    'uptime',
    'w',
    'who',
    'vmstat',
    'pgrep',
    'lscpu',
    'lsblk',
    'id',
    'uname',
    'last',
  ].map((name) => [name, [name === 'lsof' ? '-h' : '--help'], ['', '', '%d', '-p %p', 'a']]),
  ...['ls', 'du', 'find', 'tree', 'stat', 'file'].map((name) => [name, ['--help'], ['%d', '%f', '']]),
  ...'cat head tail wc sort uniq cut nl tac od xxd strings base64 sha256sum cksum fold column paste grep sed jq comm cmp diff join date less tr shuf split numfmt pr'
    .split(' ')
    .map((name) => [name, ['--help'], ['%f', '%f %f', 'a %f', '']]),
  ...['tar', 'gzip', 'zcat', 'unzip'].map((name) => [name, ['--help'], ['-tf archive.tar', 'archive.tar', 'page.gz']]),
  ...'status diff log show branch tag ls-files blame grep cat-file rev-parse config stash remote describe shortlog reflog rev-list for-each-ref ls-tree worktree notes check-ignore name-rev diff-tree diff-index archive'
    .split(' ')
    .map((name) => [`git ${name}`, ['-h'], ['', 'HEAD', 'README.md', '--list', 'HEAD:README.md', '-- .']]),
];

const VALUES = [
  '1',
  '0',
  'a',
  'all',
  'always',
  'args',
  'pid',
  'name',
  '%f',
  '%o',
  '%x',
  '%p',
  'e',
  '-',
  '/',
  '.',
  'HEAD',
  '2',
];

const known = new Map();
let reading;

/** Reads the help of every program, once. */
export function readOptions() {
  reading ??= Promise.all(
    [...new Set(PROGRAMS.map(([name]) => name))].map(async (name) => {
      const [, help] = PROGRAMS.find(([one]) => one === name);
      const [file, ...before] = name.split(' ');
      const { short, long } = parseHelp(await run(file, [...before, ...help]));
      if (short.length + long.length > 0) known.set(name, { short, long });
    }),
  );
  return reading;
}

/** A line of one program; only after its options were read. */
export function optionLine(random) {
  const [name, , ends] = random.pick(PROGRAMS.filter(([one]) => known.has(one)));
  const { short, long } = known.get(name);
  const parts = [name];
  const count = random.weigh([
    [2, 0],
    [5, 1],
    [5, 2],
    [3, 3],
    [1, 5],
  ]);
  for (let index = 0; index < count; index += 1) parts.push(option(random, short, long));
  const end = random.pick(ends);
  if (random.chance(0.8)) parts.push(end);
  else parts.splice(1, 0, end);
  if (random.chance(0.1)) parts.push(option(random, short, long));
  const text = parts
    .filter((part) => part !== '')
    .join(' ')
    .replaceAll('%f', () => readablePath(random, random.chance(0.2)).replace(/.* .*/, 'README.md'))
    .replaceAll('%x', () => readablePath(random, true))
    .replaceAll('%o', () => targetPath(random, true))
    .replaceAll('%d', () => random.pick(['.', 'src', 'docs', '..', 'dir-out']))
    .replaceAll('%p', () => random.pick(['2', '2', '1', '$$', '$PPID', '3', '1,2,3']));
  return { text, tag: `options of: ${name}` };
}

function option(random, short, long) {
  const value = random.pick(VALUES);
  if (long.length > 0 && (short.length === 0 || random.chance(0.4))) {
    const { name, takes } = random.pick(long);
    const shown = random.chance(0.1) ? name.slice(0, Math.max(4, name.length - 2)) : name;
    return takes || random.chance(0.1) ? `${shown}${random.pick(['=', ' '])}${value}` : shown;
  }
  const cluster = Array.from({ length: random.whole(1, 4) }, () => random.pick(short)).join('');
  return `${random.chance(0.93) ? '-' : ''}${cluster}${random.chance(0.25) ? random.pick(['', ' ']) + value : ''}`;
}

function parseHelp(text) {
  const short = new Set();
  const long = new Map();
  for (const [, letter] of text.matchAll(/(?:^|[\s,[|(])-([A-Za-z0-9])\b/gm)) short.add(letter);
  // Old manners list all letters in one pair of brackets.
  for (const [, letters] of text.matchAll(/\[-?([A-Za-z0-9]{3,})\]/g)) for (const letter of letters) short.add(letter);
  for (const [, name, takes] of text.matchAll(/(--[a-z][a-z0-9-]+)(\[?[= ]<?[A-Za-z<[])?/g))
    long.set(name, takes !== undefined && /[=<]/.test(takes));
  return { short: [...short], long: [...long].map(([name, takes]) => ({ name, takes })) };
}

function run(file, args) {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', GIT_PAGER: 'cat', HOME: '/' };
  return new Promise((resolve) => {
    execFile(file, args, { env, cwd: '/', timeout: 3_000 }, (_error, stdout, stderr) =>
      resolve(`${stdout}\n${stderr}`),
    );
  });
}
