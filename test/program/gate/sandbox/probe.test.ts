/** Whether there is a sandbox: the real one, none, and ones that don't hold what they promise. */

import { readdirSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../../../src/gate/sandbox/create-sandbox.js';
import { describeSandbox as describeStatus, findStatus } from '../../../../src/gate/sandbox/describe-sandbox.js';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';
import { expectRefusal, SANDBOX_WORKS, setStage } from './stage.js';

const describeSandbox = async (host: Host, mode?: 'off' | 'auto' | 'required', platform?: string) =>
  describeStatus(await findStatus(host, platform), mode);

/** A folder with a program named `bwrap` that is this script. */
async function fakeBubblewrap(script: string): Promise<string> {
  const folder = await scratchFolder();
  await writeFile(
    join(folder, 'bwrap'),
    `#!/bin/bash\n[ "$1" = --version ] && echo "bubblewrap 9.9.9" && exit\n${script}\n`,
  );
  await chmod(join(folder, 'bwrap'), 0o755);
  return folder;
}

/** Runs the command and passes over all that should confine it. */
const NO_WALLS = 'while [ "$1" != -- ]; do [ "$1" = --chdir ] && cd "$2"; shift; done; shift; exec "$@"';

describe.runIf(SANDBOX_WORKS)('with a sandbox', () => {
  describe('a sandbox that works', () => {
    it('GT-19: auto probes once and says what it found', async () => {
      const { sandbox } = await setStage('auto');
      const status = await sandbox.status();
      expect(status).toMatchObject({
        kind: 'on',
        found: expect.stringContaining('a remount, the network'),
      });
      expect(await sandbox.status()).toEqual(status);
    });

    it('GT-19: doctor says that it works, what is set, and recommends it where nothing is', async () => {
      const { host } = await setStage();
      expect(await describeSandbox(host)).toMatchObject({
        state: 'ok',
        found: expect.stringMatching(
          /^works \(bubblewrap .*Available but off. Turn it on with "sandbox": "auto" in settings\.json\.$/,
        ),
      });
      expect((await describeSandbox(host, 'off')).found).toMatch(
        /does not run in it: your settings say "sandbox": "off"$/,
      );
      expect((await describeSandbox(host, 'required')).found).toMatch(/Bash runs in it: .* "sandbox": "required"$/);
    });

    it('GT-19: off runs the command as it is and touches nothing', async () => {
      const { run, home } = await setStage('off');
      expect((await run('true')).code).toBe(0);
      expect(readdirSync(home)).toEqual([]);
    });
  });
});
it.skipIf(SANDBOX_WORKS)('GT-19: where there is no sandbox, required refuses', expectRefusal);

/** The real one, each of its arguments passed through a line of shell that may keep or change it. */
const altered = (line: string) =>
  fakeBubblewrap(`for a; do shift; ${line}; done; PATH=/usr/local/bin:/usr/bin:/bin exec bwrap "$@"`);

async function withoutBubblewrap(): Promise<string> {
  const folder = await scratchFolder();
  for (const name of ['bash', 'touch', 'mkfifo']) await symlink(`/bin/${name}`, join(folder, name));
  return folder;
}

type Case = readonly [title: string, makePath: () => Promise<string>, words: string];

const ALTERED: readonly Case[] = [
  [
    'bubblewrap leaves the network on',
    async () => `${await altered('[ "$a" = --unshare-net ] || set -- "$@" "$a"')}:/bin`,
    'net namespace',
  ],
  [
    'bubblewrap leaves capabilities',
    async () => `${await altered('[ "$a" = --as-pid-1 ] && set -- "$@" --cap-add ALL; set -- "$@" "$a"')}:/bin`,
    'capabilities',
  ],
];

describe.each<Case>([
  ['bubblewrap is missing', withoutBubblewrap, 'not installed'],
  [
    'user namespaces are switched off',
    async () => `${await fakeBubblewrap('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1')}:/bin`,
    'User namespaces seem to be switched off',
  ],
  ['bubblewrap confines nothing', async () => `${await fakeBubblewrap(NO_WALLS)}:/bin`, 'let a command'],
  ...(SANDBOX_WORKS ? ALTERED : []),
])('where %s', (_, makePath, words) => {
  it('GT-19: required refuses and says why and what to do', async () => {
    const { run, project } = await setStage('required', { PATH: await makePath() });
    const ran = await run('touch made');
    expect(ran.code).toBeNull();
    expect(ran.output).toContain(words);
    expect(ran.output).toContain('coppice doctor');
    expect(readdirSync(project)).toEqual([]);
  });

  it('GT-19: auto runs the command without, and says that protection is missing', async () => {
    const { run, sandbox, project, host } = await setStage('auto', { PATH: await makePath() });
    expect((await run('touch made')).code).toBe(0);
    expect(readdirSync(project)).toEqual(['made']);
    expect(await sandbox.status()).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining(words) });
    const said = await describeSandbox(host, 'auto');
    expect(said).toMatchObject({ state: 'note', found: expect.stringContaining('Bash runs without') });
    expect((await describeSandbox(host, 'required')).state).toBe('problem');
  });
});

it('GT-19: no bubblewrap is taken from a folder an agent writes in', async () => {
  const { project, host } = await setStage();
  await mkdir(join(project, 'bin'));
  await writeFile(join(project, 'bin/bwrap'), '#!/bin/sh\necho bubblewrap 9.9.9\n');
  await chmod(join(project, 'bin/bwrap'), 0o755);
  const env = { ...host.env, PATH: `${join(project, 'bin')}:bin:.` };
  const sandbox = createSandbox({ host: nodeHost(project, env), roots: [project] });
  expect(await sandbox.status()).toMatchObject({
    kind: 'unavailable',
    reason: expect.stringContaining('not installed'),
  });
});

it('GT-19: another system has none, and says so', async () => {
  const { host } = await setStage();
  expect(await describeSandbox(host, 'auto', 'win32')).toEqual({
    state: 'note',
    found: 'none: it is not supported on win32. Bash runs without it, with your own rights',
  });
});
