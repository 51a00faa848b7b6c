/**
 * Runs a command under strace inside an outer bubblewrap that keeps it from the real machine, and lists what it did: what
 * it opened, changed, started and connected to. Paths are those the kernel resolved, links followed.
 */

import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CANARIES } from './plant.mjs';

const CHANGING =
  `unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat mkdir mkdirat rmdir mknod mknodat
  truncate ftruncate chmod fchmod fchmodat chown lchown fchown fchownat utimensat utime utimes futimesat setxattr lsetxattr fsetxattr`
    .trim()
    .split(/\s+/);
const TRACED = ['open', 'openat', 'openat2', 'creat', 'execve', 'execveat', 'connect', 'bind', 'kill', ...CHANGING];
const TIMEOUT_MS = 8_000;
const MOST_OUTPUT = 200_000;

/** Resolved here: in the environment of a line other programs may have these names. */
const [STRACE, BUBBLEWRAP] = ['strace', 'bwrap'].map(findProgram);

/** `confined`: the command builds its own box, which needs a whole /proc to do so. */
export async function record({ file, args, cwd, env, confined, descriptors = [] }, place, slot) {
  const log = join(place.top, `trace-${slot}`);
  const script = join(place.top, `run-${slot}.sh`);
  const outer = [
    ...['--unshare-user', '--uid', '1000', '--gid', '1000', '--unshare-pid', '--unshare-ipc', '--die-with-parent'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', ...(confined ? ['--bind', '/proc', '/proc'] : ['--proc', '/proc'])],
    ...['--tmpfs', '/tmp', '--tmpfs', '/var/tmp', '--tmpfs', '/run'],
    ...['--ro-bind', join(place.etc, 'passwd'), '/etc/passwd', '--ro-bind', join(place.etc, 'shadow'), '/etc/shadow'],
    // Nothing looks names up beyond this machine.
    ...['--ro-bind', '/dev/null', '/etc/resolv.conf'],
    ...[place.root, place.outside, place.home].flatMap((folder) => ['--bind', folder, folder]),
    ...['--ro-bind', place.state, place.state],
    ...[
      '--bind',
      place.marks,
      place.marks,
      '--ro-bind',
      script,
      script,
      '--chdir',
      cwd,
      '--',
      '/bin/sh',
      script,
      CANARIES.arguments,
    ],
  ];
  writeFileSync(script, scriptOf([file, ...args], env, confined));
  const traced = [
    '-f',
    '--seccomp-bpf',
    '--decode-pids=comm',
    '-yy',
    '-s',
    '400',
    '-e',
    `trace=${TRACED.join(',')}`,
    '-e',
    'signal=none',
    '-o',
    log,
  ];
  const { output, timedOut } = await run(STRACE, [...traced, BUBBLEWRAP, ...outer], descriptors);
  const text = readFileSync(log, 'latin1');
  rmSync(log, { force: true });
  return { output, timedOut, ...readTrace(text, confined) };
}

/**
 * The shell that runs it is the line's parent, as we would be: it has a secret in its environment and one in its
 * arguments. The line has an environment of its own. What it leaves in the background ends with the outer bubblewrap: it
 * gets a moment to do what it would do.
 */
function scriptOf(words, env, confined) {
  const variables = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const quoted = ['/usr/bin/env', '-i', ...variables, ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const outlives = !confined && /&|>\(|coproc/.test(words.at(-1));
  return `${quoted.join(' ')}\n${outlives ? 'sleep 0.05' : ':'}\n`;
}

function findProgram(name) {
  const folder = (process.env.PATH ?? '').split(':').find((one) => one.startsWith('/') && existsSync(join(one, name)));
  return join(folder ?? '/usr/bin', name);
}

function run(file, args, descriptors) {
  return new Promise((resolve, reject) => {
    const further = descriptors.map(({ kind, path }) =>
      kind === 'file' ? openSync(path, 'r') : openSync('/dev/null', 'w'),
    );
    const child = spawn(file, args, {
      env: { PATH: process.env.PATH, SECRET: CANARIES.environment },
      stdio: ['ignore', 'pipe', 'pipe', ...further],
      detached: true,
    });
    for (const descriptor of further) closeSync(descriptor);
    let output = '';
    let timedOut = false;
    const take = (chunk) => {
      if (output.length < MOST_OUTPUT) output += chunk.toString('latin1');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const timer = setTimeout(() => {
      timedOut = true;
      process.kill(-child.pid, 'SIGKILL');
    }, TIMEOUT_MS);
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(timer);
      resolve({ output, timedOut });
    });
  });
}

/**
 * Joins the halves of calls that another process interrupted, and keeps those after the line's own bash started. `boxes`:
 * how many times bubblewrap was started before it; the first is the recorder's own.
 */
export function readTrace(text, confined) {
  const open = new Map();
  const did = [];
  const started = new Map();
  let shells = 0;
  let boxes = 0;
  for (const raw of text.split('\n')) {
    const [, pid, program, rest] = /^(\d+)<(.*?)>\s+(.*)$/.exec(raw) ?? [];
    if (pid === undefined) continue;
    let line = rest;
    if (line.endsWith('<unfinished ...>')) {
      open.set(pid, line.slice(0, -'<unfinished ...>'.length));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(line);
    if (resumed !== null) {
      line = `${open.get(pid) ?? ''}${resumed[1]}`;
      open.delete(pid);
    }
    const call = /^(\w+)\((.*)\)\s+= (-?\d+|\?)(.*)$/.exec(line);
    if (call === null) continue;
    const [, name, args, result, more] = call;
    const starts = name === 'execve' && result === '0';
    const isPlanted = starts && firstString(args).includes('torture-gate-');
    const isShell = starts && !isPlanted && /^"[^"]*\/bash"/.test(args);
    if (shells === 0 && starts && basename(firstString(args)) === 'bwrap') boxes += 1;
    if (isShell && shells < 1) {
      shells += 1;
      did.push({ kind: 'start' });
      continue;
    }
    // What bubblewrap itself does before its command starts is not the line's doing.
    if (shells === 0 && !isPlanted) continue;
    const entry = readCall(name, args, Number(result), more, confined);
    // What is shown is the name it had before; threads never start a program and inherit theirs.
    if (entry?.kind === 'start-program') started.set(pid, basename(entry.path));
    const own = entry?.kind === 'start-program' ? program : (started.get(pid) ?? program);
    if (entry !== undefined) did.push({ program: own, ...entry });
  }
  return { did, boxes };
}

function readCall(name, args, result, more, confined) {
  const failed = !(result >= 0);
  switch (name) {
    case 'execve':
    case 'execveat':
      return failed ? undefined : { kind: 'start-program', path: firstString(args), args };
    case 'connect':
      return failed && !/EINPROGRESS/.test(more) ? undefined : { kind: 'connect', what: args };
    case 'bind':
      return failed ? undefined : { kind: 'connect', what: `bind ${args}` };
    case 'kill':
      return failed || /, 0$/.test(args) ? undefined : { kind: 'signal', what: args };
    case 'open':
    case 'openat':
    case 'openat2':
    case 'creat': {
      if (failed) return undefined;
      const [, path = '', device] = /^<(.*?)(<char [\d:]+>)?>$/.exec(more.trim()) ?? [];
      const writes = name === 'creat' || /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(args);
      return {
        kind: writes ? 'open-writing' : 'open-reading',
        path,
        device,
        folder: /O_DIRECTORY/.test(args),
        inherits: !/O_CLOEXEC/.test(args),
      };
    }
    default:
      return failed ? undefined : { kind: 'change', what: `${name}(${args})`, confined };
  }
}

function firstString(args) {
  return /"((?:[^"\\]|\\.)*)"/.exec(args)?.[1] ?? '';
}
