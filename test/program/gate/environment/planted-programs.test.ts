/** A repository on the PATH, plainly or by a link, gets none of our own helpers and no reading command replaced. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommandHook } from '../../../../src/gate/hooks/run-command-hook.js';
import { confinePermitted } from '../../../../src/gate/sandbox/confine-permitted.js';
import { createSandbox } from '../../../../src/gate/sandbox/create-sandbox.js';
import { openGit } from '../../../../src/host/git/git.js';
import { type Host, withEnvironment } from '../../../../src/host/host.js';
import type { RunProfile } from '../../../../src/protocol/permission.js';
import { shellCommand } from '../../../../src/tools/bash/shell-command.js';
import { searchWithRipgrep } from '../../../../src/tools/search/ripgrep.js';
import { BOX_WORKS, setUnprobedStage } from '../box/stage.js';

const NAMES = 'cp mkfifo rm git bash sh df free uptime ls node rg bwrap mount readlink cat'.split(' ');
const READING = 'ls; df . >/dev/null; node --version; uptime; free; git log --oneline; cat a';

/** The repository's programs leave a trace outside of any box's reach, and tell it in their output. */
async function plant(): Promise<{ host: Host; project: string; trace: string }> {
  const { base, project, person, host } = await setUnprobedStage();
  const [tools, trace] = [join(project, 'tools'), join(base, 'trace')];
  mkdirSync(tools);
  for (const name of NAMES) {
    writeFileSync(join(tools, name), `#!/bin/sh\necho planted ${name}\n: > ${trace}\n`, { mode: 0o755 });
  }
  writeFileSync(join(project, 'a'), 'a\n');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, stdio: 'ignore' });
  git('init', '-q');
  git('-c', 'user.name=n', '-c', 'user.email=e@x', 'commit', '-q', '--allow-empty', '-m', 'first');
  symlinkSync(tools, join(person, 'bin'));
  const PATH = `${join(person, 'bin')}:tools:${tools}:${host.env.PATH}`;
  return { host: withEnvironment(host, { ...host.env, PATH }), project, trace };
}

it('GT-23: the planted programs are first on the PATH as it is', async () => {
  const { host, project, trace } = await plant();
  const run = await host.processes.run({ file: '/bin/sh', args: ['-c', READING], cwd: project, env: host.env });
  expect(run.stdout.toString('utf8')).toContain('planted ls');
  expect(existsSync(trace)).toBe(true);
});

it('GT-23: none is run for a box, in it, for a proven command, a permitted one, a hook, a search or our own git', async () => {
  const { host, project, trace } = await plant();
  const roots = [project];
  const box = createSandbox({ host, trusted: false, roots });
  expect((await box.status()).kind).toBe(BOX_WORKS ? 'on' : 'unavailable');
  const run = async (profile: RunProfile | undefined) => {
    const prepared =
      profile?.kind === 'reading'
        ? await box.prepare({ roots, readRoots: [], denied: [], fixed: [], wide: false })
        : undefined;
    const command = shellCommand(READING, project, { host, roots });
    const confined = await confinePermitted(
      { sandbox: box, mode: 'off', confines: true },
      { host, roots, trusted: true },
      command,
      {
        ...(profile ? { run: profile } : {}),
        ...(prepared?.ok ? { box: prepared.view } : {}),
      },
    );
    if (!confined.ok) throw new Error(confined.reason);
    const { stdout } = await host.processes.run({ ...confined.command, timeoutMs: 30_000 });
    return stdout.toString('utf8');
  };
  const profiles: (RunProfile | undefined)[] = [undefined, { kind: 'proven', refresh: [project], changes: [] }];
  if (BOX_WORKS) profiles.push({ kind: 'reading', show: [] });
  for (const profile of profiles) {
    const output = await run(profile);
    expect(output).not.toContain('planted');
    expect(output).toContain('first');
  }
  const handler = { kind: 'command', command: READING, timeoutMs: 30_000 } as unknown as Parameters<
    typeof runCommandHook
  >[0];
  const hook = await runCommandHook(handler, '{}', { host, projectDir: project, folder: project, shell: '/bin/sh' });
  expect(hook).toMatchObject({ kind: 'exited', stdout: expect.not.stringContaining('planted') });
  for (const trusted of [true, false]) {
    const git = await openGit(host, project, { trusted });
    expect(await git(['log', '--format=%s'])).toMatchObject({ ok: true, text: 'first' });
  }
  const signal = new AbortController().signal;
  await searchWithRipgrep(
    { host, signal, roots },
    { args: ['--files'], cwd: project, separator: '\n', take: () => true },
  );
  await box.close();
  expect(existsSync(trace)).toBe(false);
});

it('GT-23: a link to a single program of the repository is not taken for our own helpers either', async () => {
  const { host, project, trace } = await plant();
  const bin = join(project, '..', 'person', 'bin');
  rmSync(bin);
  mkdirSync(bin);
  for (const name of NAMES) symlinkSync(join(project, 'tools', name), join(bin, name));
  const box = createSandbox({ host, trusted: false, roots: [project] });
  await box.status();
  await box.close();
  const git = await openGit(host, project, { trusted: true });
  expect(await git(['log', '--format=%s'])).toMatchObject({ ok: true, text: 'first' });
  const command = shellCommand('echo ran', project, { host, roots: [project] });
  expect((await host.processes.run(command)).stdout.toString('utf8')).toBe('ran\n');
  expect(existsSync(trace)).toBe(false);
});
