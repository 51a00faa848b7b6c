/** Whether there is a reading box: the real one, none, and ones that don't hold what they promise. */

import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../../../src/gate/sandbox/create-sandbox.js';
import { describeLimits, findStatus } from '../../../../src/gate/sandbox/describe-sandbox.js';
import { lazySandbox } from '../../../../src/gate/sandbox/lazy-sandbox.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';
import { BOX_WORKS, expectNoBox, setUnprobedStage } from './stage.js';

/** A PATH with a program named `bwrap` that is this script, before the others. */
async function fakeBubblewrap(script: string, version = '9.9.9'): Promise<string> {
  const folder = await scratchFolder();
  const text = `#!/bin/bash\n[ "$1" = --version ] && echo "bubblewrap ${version}" && exit\n${script}\n`;
  await writeFile(join(folder, 'bwrap'), text);
  await chmod(join(folder, 'bwrap'), 0o755);
  return `${folder}:/usr/bin:/bin`;
}

/** The real one, each of its arguments passed through a line of shell that may keep or change it. */
const altered = (line: string) =>
  fakeBubblewrap(`for a; do shift; ${line}; done; PATH=/usr/local/bin:/usr/bin:/bin exec bwrap "$@"`);

const without = (option: string, values = 0) =>
  altered(
    `[ "$a" = ${option} ] && skip=${values} && continue; [ "\${skip:-0}" -gt 0 ] && skip=$((skip - 1)) && continue; set -- "$@" "$a"`,
  );

async function withoutBubblewrap(): Promise<string> {
  const folder = await scratchFolder();
  for (const name of ['bash', 'mkfifo']) await symlink(`/usr/bin/${name}`, join(folder, name));
  return folder;
}

type Case = readonly [title: string, makePath: () => Promise<string>, words: string];

const ALTERED: readonly Case[] = [
  ['it leaves the network on', () => without('--unshare-net'), 'net namespace'],
  [
    'it leaves capabilities',
    () => altered('[ "$a" = --as-pid-1 ] && set -- "$@" --cap-add ALL; set -- "$@" "$a"'),
    'capabilities',
  ],
  ['it filters no system calls', () => without('--seccomp', 1), 'socket'],
  [
    'it shows other processes',
    () => altered('[ "$a" = --unshare-pid ] || [ "$a" = --as-pid-1 ] || set -- "$@" "$a"'),
    'processes',
  ],
  ['it lets write', () => altered('[ "$a" = --ro-bind ] && a=--bind; set -- "$@" "$a"'), 'write'],
  [
    'it covers no pipe',
    () =>
      altered(
        '[[ "$last" = --ro-bind && "$a" = */nothing ]] && a=$root/pipe; [[ "$a" = */root ]] && root=$a; last=$a; set -- "$@" "$a"',
      ),
    'pipe',
  ],
  [
    'it shows the home',
    () =>
      altered(
        '[ "$a" = --as-pid-1 ] && set -- "$@" --ro-bind "$HOME" "$HOME" --ro-bind /dev/null "$pipe"; [[ "$a" = */pipe ]] && pipe=$a; set -- "$@" "$a"',
      ),
    'home',
  ],
];

describe.each<Case>([
  ['bubblewrap is missing', withoutBubblewrap, 'apt install bubblewrap'],
  ['bubblewrap is too old', () => fakeBubblewrap('exit 1', '0.6.1'), 'install 0.7 or later'],
  [
    'user namespaces are switched off',
    () => fakeBubblewrap('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1'),
    'User namespaces seem to be switched off',
  ],
  [
    'bubblewrap confines nothing',
    // What it writes goes into a folder of its own, not into that of the machine.
    () =>
      fakeBubblewrap(
        'while [ "$1" != -- ]; do [ "$1" = --chdir ] && cd "$2"; shift; done; shift; TMPDIR=$(dirname "$0") exec "$@"',
      ),
    'let a command',
  ],
  ...(BOX_WORKS ? ALTERED : []),
])('where %s', (_, makePath, words) => {
  it('GT-23: nothing is confined, and the reason says why and what to do', async () => {
    const { prepare, box, host, person } = await setUnprobedStage({ PATH: await makePath() });
    expect(await box.status()).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining(words) });
    expect(await prepare()).toMatchObject({ ok: false, reason: expect.stringContaining(words) });
    expect(describeLimits(await findStatus(host), 'auto')).toMatchObject({
      state: 'note',
      found: expect.stringContaining(words),
    });
    const left = readdirSync(join(person, '.coppice'), { recursive: true }).map(String);
    expect(left.filter((name) => /probe/.test(name))).toEqual([]);
  });
});

describe.runIf(BOX_WORKS)('with a box', () => {
  it('GT-23: the probe runs at the first use, never before, and once per boot and bubblewrap', async () => {
    const count = await scratchFolder();
    const path = await altered(`:; set -- "$@" "$a"`);
    const log = join(count, 'log');
    const host = async () => (await setUnprobedStage({ PATH: path, COPPICE_HOME: join(count, 'home') })).host;
    await writeFile(
      join(path.split(':')[0] ?? '', 'bwrap'),
      `#!/bin/bash\necho "$1" >> ${log}\nPATH=/usr/bin:/bin exec bwrap "$@"\n`,
    );
    const box = lazySandbox({ host: await host(), trusted: true, roots: [] });
    expect(readdirSync(count)).toEqual([]);
    expect(await box.status()).toMatchObject({ kind: 'on', found: expect.stringContaining('a pipe, the home') });
    await box.status();
    expect(readFileSync(log, 'utf8')).toBe('--version\n--unshare-user\n--unshare-user\n');
    const later = createSandbox({ host: await host(), trusted: true, roots: [] });
    expect((await later.status()).kind).toBe('on');
    expect(readFileSync(log, 'utf8')).toBe('--version\n--unshare-user\n--unshare-user\n--version\n');
    await writeFile(join(count, 'home/box/probe.json'), '{"key":"another boot","found":"x"}');
    const next = createSandbox({ host: await host(), trusted: true, roots: [] });
    expect(await next.status()).toMatchObject({ kind: 'on', found: expect.stringContaining('bubblewrap') });
    expect(readFileSync(log, 'utf8')).toMatch(/--unshare-user\n--version\n--version\n(?:--unshare-user\n){2}$/);
  });

  it('GT-23: doctor says what confinement this machine has', async () => {
    const { host } = await setUnprobedStage();
    expect(describeLimits(await findStatus(host), 'auto')).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/without a question/),
    });
    expect(describeLimits(await findStatus(host), 'off').found).toContain('"confineReads": "off" is set');
  });
});
it.skipIf(BOX_WORKS)('GT-23: without a box nothing is confined', expectNoBox);

it('GT-23: no bubblewrap is taken from a folder an agent writes in', async () => {
  const { project, host } = await setUnprobedStage();
  await mkdir(join(project, 'bin'));
  await writeFile(join(project, 'bin/bwrap'), '#!/bin/sh\necho bubblewrap 9.9.9\n');
  await chmod(join(project, 'bin/bwrap'), 0o755);
  const env = { ...host.env, PATH: `${join(project, 'bin')}:bin:.` };
  const box = createSandbox({ host: nodeHost(project, env), trusted: true, roots: [project] });
  expect(await box.status()).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('not installed') });
});

it('GT-23: in the root folder doctor says that this is the cause, not that something is missing', async () => {
  const { host } = await setUnprobedStage();
  const { found } = describeLimits(await findStatus(nodeHost('/', host.env)), 'auto');
  expect(found).toContain('whole file system');
  expect(found).not.toContain('install');
});

it('GT-23: another system has none, and says so', async () => {
  const { host } = await setUnprobedStage();
  expect(describeLimits(await findStatus(host, 'win32'), 'auto').found).toContain('not supported on win32');
});
