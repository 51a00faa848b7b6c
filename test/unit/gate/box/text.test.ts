/** The parts of the reading box that are pure: the filter of system calls, the order of mounts, the profile for macOS. */

import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BOX_VARIABLES, boxEnvironment } from '../../../../src/gate/sandbox/box-environment.js';
import { createSandbox } from '../../../../src/gate/sandbox/create-sandbox.js';
import { seccompFilter } from '../../../../src/gate/sandbox/linux/seccomp-filter.js';
import { assembleMac } from '../../../../src/gate/sandbox/mac/mac-box.js';
import { macProfile } from '../../../../src/gate/sandbox/mac/mac-profile.js';
import { arrangeMounts, type Mount } from '../../../../src/gate/sandbox/mounts/mounts.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';

/** Runs a program of classic BPF on the data of a system call, as the kernel does. */
function runFilter(program: Buffer, { audit, number, args = [] }: { audit: number; number: number; args?: number[] }) {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of args.entries()) data.writeUInt32LE(value, 16 + 8 * index);
  let value = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const k = program.readUInt32LE(at * 8 + 4);
    const jump = (yes: boolean) => {
      at += program.readUInt8(at * 8 + (yes ? 2 : 3));
    };
    if (code === 0x20) value = data.readUInt32LE(k);
    else if (code === 0x54) value &= k;
    else if (code === 0x15) jump(value === k);
    else if (code === 0x35) jump(value >= k);
    else if (code === 0x06) return k === 0x7fff0000 ? 'allowed' : `refused ${k & 0xffff}`;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('the program has no end');
}

describe.each([
  ['x64', 0xc000003e, { socket: 41, socketpair: 53, read: 0, uring: 425, keyctl: 250, fchmod: 91 }],
  ['arm64', 0xc00000b7, { socket: 198, socketpair: 199, read: 63, uring: 425, keyctl: 219, fchmod: 52 }],
] as const)('the filter for %s', (arch, audit, numbers) => {
  const filter = (ownsDevices: boolean) => seccompFilter(arch, { ownsDevices }) ?? Buffer.alloc(0);
  const answer = (number: number, ...args: number[]) => runFilter(filter(true), { audit, number, args });

  it('GT-23: a socket only for the box’s own network; a pair that stays one; no io_uring, no keyrings', () => {
    expect([2, 10, 16].map((family) => answer(numbers.socket, family))).toEqual(['allowed', 'allowed', 'allowed']);
    for (const family of [0, 1, 3, 17, 38, 40, 44]) expect(answer(numbers.socket, family)).toBe('refused 97');
    for (const type of [1, 5, 0x80001, 0x801]) expect(answer(numbers.socketpair, 1, type)).toBe('allowed');
    for (const type of [2, 3, 0x80002, 0x802, 10]) expect(answer(numbers.socketpair, 1, type)).toBe('refused 97');
    expect(answer(numbers.read)).toBe('allowed');
    expect(answer(numbers.uring)).toBe('refused 38');
    expect(answer(numbers.keyctl)).toBe('refused 38');
  });

  it('GT-23: modes, owners and times can’t be changed where the devices are ours', () => {
    for (const number of [numbers.fchmod, 452, 463]) {
      expect(answer(number)).toBe('refused 30');
      expect(runFilter(filter(false), { audit, number })).toBe('allowed');
    }
  });

  it('GT-23: no other architecture, and no other way of calling', () => {
    for (const other of [0x40000003, 0x40000028, 0xc00000f3]) {
      expect(runFilter(filter(false), { audit: other, number: numbers.read })).toBe('refused 38');
    }
    if (arch === 'x64') expect(answer(0x40000000 + 41, 2)).toBe('refused 38');
  });
});

it('GT-23: for an architecture we don’t know there is no filter', () => {
  expect(seccompFilter('riscv64', { ownsDevices: true })).toBeUndefined();
});

describe('mounts', () => {
  const paths = (mounts: readonly Mount[]) => arrangeMounts(mounts).map(({ kind, path }) => `${kind} ${path}`);

  it('GT-23: outer ones first, nothing twice, and a cover only over something shown', () => {
    expect(
      paths([
        { kind: 'hide-file', path: '/tmp/root/.env' },
        { kind: 'hide-file', path: '/elsewhere/.env' },
        { kind: 'show', path: '/tmp/root/inner' },
        { kind: 'show', path: '/tmp/root' },
        { kind: 'own', path: '/tmp' },
        { kind: 'link', path: '/tmp/root/link', target: 'x' },
        { kind: 'link', path: '/tmp/name', target: 'root' },
      ]),
    ).toEqual(['own /tmp', 'show /tmp/root', 'link /tmp/name', 'hide-file /tmp/root/.env']);
  });

  it('GT-23: what is shown inside something covered by an empty folder stays; inside something denied it doesn’t', () => {
    const home: Mount[] = [
      { kind: 'show', path: '/home/me' },
      { kind: 'show', path: '/home/me/.state/results' },
    ];
    expect(paths([...home, { kind: 'empty', path: '/home/me/.state' }])).toContain('show /home/me/.state/results');
    expect(paths([...home, { kind: 'hide-folder', path: '/home/me/.state' }])).toEqual([
      'show /home/me',
      'hide-folder /home/me/.state',
    ]);
  });
});

it('GT-23: the environment is a list of names, with the box’s own folders, and git’s programs off', () => {
  const outside = {
    PATH: '/usr/bin:/project/bin:bin',
    LC_ALL: 'C',
    TMPDIR: '/x',
    AWS_KEY: 'k',
    BASH_ENV: 'x',
    LD_PRELOAD: 'x',
    GIT_DIR: 'x',
  };
  const place = {
    temporary: '/tmp',
    gitConfig: '/settings',
    trusted: false,
    roots: ['/project'],
  };
  const env = boxEnvironment(nodeHost('/'), outside, place);
  const git = Object.entries(env).filter(([name]) => name.startsWith('GIT_'));
  expect(Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')))).toEqual({
    PATH: '/usr/bin',
    LC_ALL: 'C',
    LESSSECURE: '1',
    TMPDIR: '/tmp',
    XDG_CACHE_HOME: '/tmp/cache',
    GOCACHE: '/tmp/go-build',
    COPPICE_BOX: '1',
  });
  expect(git.map(([name]) => name)).not.toContain('GIT_DIR');
  expect(git.map(([, value]) => value)).toEqual(expect.arrayContaining(['core.hooksPath', '/dev/null']));
  expect([...BOX_VARIABLES].filter((name) => /KEY|TOKEN|SECRET|PASS|^LD_|^BASH_|PROXY/.test(name))).toEqual([]);
});

it('GT-23: the profile for macOS denies by default, and everything but what is shown', () => {
  const profile = macProfile({
    shown: ['/Users/me/project', '/Users/me/.cargo/bin'],
    links: ['/Users/me/"name"'],
    secrets: ['/Users/me/.ssh', '/Users/me/.coppice'],
    again: ['/Users/me/.coppice/results'],
    denied: ['/Users/me/project/.env'],
    temporary: '/Users/me/.coppice/box/tmp-1',
  });
  const lines = profile.split('\n');
  expect(lines.slice(0, 3)).toEqual(['(version 1)', '(deny default)', '(deny network*)']);
  expect(lines.filter((line) => line.includes('file-write')).join('\n')).toMatchInlineSnapshot(`
    "(allow file-write* (subpath "/Users/me/.coppice/box/tmp-1"))
    (allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/stdout") (literal "/dev/stderr") (subpath "/dev/fd"))"
  `);
  expect(lines.find((line) => line.startsWith('(allow file-read*'))).toContain('(subpath "/Users/me/project")');
  expect(profile).toContain('(literal "/Users/me/\\"name\\"")');
  expect(profile).not.toMatch(/\(subpath "\/"\)|\(subpath "\/Users\/me"\)|\(subpath "\/private\/etc"\)|allow network/);
  // Of several rules the last counts.
  expect(lines.at(-1)).toBe('(deny file-read* (subpath "/Users/me/project/.env"))');
  const about = (word: string) => lines.findIndex((line) => line.includes(word));
  expect(about('(deny file-read* (subpath "/Users/me/.ssh")')).toBeLessThan(
    about('(subpath "/Users/me/.coppice/results")'),
  );
});

it('GT-23: on macOS the command starts through sandbox-exec, with its roots, masks and the names it was entered by', async () => {
  const base = await scratchFolder();
  const [root, person] = [join(base, 'root'), join(base, 'person')];
  for (const folder of [root, person]) await mkdir(folder);
  await symlink(root, join(base, 'name'));
  const host = nodeHost(root, { HOME: person, PATH: '/usr/bin', GITHUB_TOKEN: 'k' });
  const box = {
    ...{ roots: [root], readRoots: [], gitFolders: [join(base, 'git')], denied: [], pipes: [] },
    ...{ masks: [join(root, '.env')], maskedFolders: [], deniedInGit: false, gitIsWhole: true, places: [] },
    ...{ fixed: [], wide: false, unchanged: undefined, stores: [] },
  };
  const around = {
    home: person,
    temporary: '/private/tmp/x',
    gitSettings: { file: undefined, files: [] },
    trusted: false,
    tools: ['/t'],
  };
  const command = { file: 'bash', args: ['-c', 'ls'], cwd: root, env: { ...host.env, PWD: join(base, 'name') } };
  const assembled = assembleMac(host, around, command, box, []);
  if (!assembled.ok) throw new Error(assembled.reason);
  const { file, args, env } = assembled.command;
  expect([file, args[0], ...args.slice(2)]).toEqual(['/usr/bin/sandbox-exec', '-p', 'bash', '-c', 'ls']);
  for (const path of [root, join(base, 'git'), '/t']) expect(args[1]).toContain(`(subpath "${path}")`);
  expect(args[1]).toContain(`(literal "${join(base, 'name')}")`);
  expect(args[1]).toContain(`(deny file-read* (subpath "${join(root, '.env')}"))`);
  expect(env).toMatchObject({ TMPDIR: '/private/tmp/x', GIT_OPTIONAL_LOCKS: '0' });
  expect(env.GITHUB_TOKEN).toBeUndefined();
  expect(assembleMac(host, around, command, box, [person]).ok).toBe(false);
  // It is chosen by the platform; here the program is missing, and the reason says so.
  const status = await createSandbox({ host, roots: [root], platform: 'darwin' }).status();
  expect(status).toEqual({ kind: 'unavailable', reason: '/usr/bin/sandbox-exec is missing' });
});
