/** A project, a home of ours and a sandbox on the real machine, for tests. */

import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Confinement, confinePermitted } from '../../../../src/gate/sandbox/confine-permitted.js';
import { createSandbox } from '../../../../src/gate/sandbox/create-sandbox.js';
import type { Grant, Sandbox } from '../../../../src/gate/sandbox/sandbox.js';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { AgentWorktree } from '../../../../src/protocol/agent-spawned.js';

/** Where bubblewrap is missing or switched off, the tests are about that instead (scripts/install-bubblewrap.sh). */
export const SANDBOX_WORKS = await trySandbox();

type Ran = {
  readonly code: number | null;
  readonly output: string;
  readonly notes: readonly string[];
  readonly explained?: string | undefined;
};

export type Stage = {
  readonly base: string;
  /** The root the agent works in. */
  readonly project: string;
  /** Beside the project: not to be written to. */
  readonly outside: string;
  readonly home: string;
  readonly host: Host;
  readonly sandbox: Sandbox;
  run(script: string, more?: Needs): Promise<Ran>;
};

export type Needs = {
  readonly cwd?: string;
  readonly roots?: readonly string[];
  readonly worktree?: AgentWorktree;
  readonly grant?: Grant;
};

export async function setStage(
  mode: Confinement['mode'] = 'required',
  env: Record<string, string> = {},
  change: (host: Host) => Host = (host) => host,
  parent = '/var/tmp',
): Promise<Stage> {
  // Not in /tmp, where a command sees a folder of its own: what is outside must be refused, not just out of sight.
  const base = await scratchFolder(parent);
  const project = join(base, 'project');
  const outside = join(base, 'outside');
  const home = join(base, 'person', '.coppice');
  for (const folder of [project, outside, home]) await mkdir(folder, { recursive: true });
  const own = { HOME: join(base, 'person'), COPPICE_HOME: home };
  const host = change(nodeHost(project, { ...process.env, ...own, ...env }));
  const sandbox = createSandbox({ host, roots: [project] });
  onTestFinished(() => sandbox.close());
  const run: Stage['run'] = async (script, { cwd = project, roots = [project], worktree, grant } = {}) => {
    const confined = await confinePermitted(
      { sandbox, mode, confines: true },
      { host, roots, worktree, trusted: true },
      { file: 'bash', args: ['-c', script], cwd, env: host.env },
      { grant },
    );
    if (!confined.ok) return { code: null, output: confined.reason, notes: [] };
    const { code, signal, error, stdout, stderr } = await host.processes.run({
      ...confined.command,
      timeoutMs: 20_000,
    });
    const exit = { code, signal, ...(error ? { error } : {}) };
    const notes = await confined.finish(exit);
    const output = `${stdout.toString('utf8')}${stderr.toString('utf8')}`;
    return { code, output, notes, explained: confined.explain(output, exit) };
  };
  return { base, project, outside, home, host, sandbox, run };
}

/** The test that takes the place of those that need a sandbox. */
export async function expectRefusal(): Promise<void> {
  const { run, project } = await setStage();
  expect(await run('touch made')).toMatchObject({ code: null, output: expect.stringContaining('there is none:') });
  expect(readdirSync(project)).toEqual([]);
}

async function trySandbox(): Promise<boolean> {
  const home = await mkdtemp('/var/tmp/coppice-test-');
  const host = nodeHost(home, { ...process.env, COPPICE_HOME: home });
  const status = await createSandbox({ host, roots: [] }).status();
  await rm(home, { recursive: true });
  if (status.kind === 'unavailable') console.warn(`The tests of the sandbox see none: ${status.reason}`);
  return status.kind === 'on';
}

async function scratchFolder(parent: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(parent, 'coppice-test-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function put(path: string, text = ''): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** A repository with one commit, its hooks folder there. */
export async function makeRepository(host: Host, folder: string): Promise<void> {
  const script = `git init -q -b main . && git config user.name a && git config user.email a@b.c &&
    echo one > file && git add file && git commit -qm one && mkdir -p .git/hooks`;
  const { code, stderr } = await host.processes.run({ file: 'bash', args: ['-c', script], cwd: folder, env: host.env });
  if (code !== 0) throw new Error(stderr.toString('utf8'));
}
