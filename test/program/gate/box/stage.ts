/** A project, a home and a reading box on the real machine, for tests. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { readPathPattern } from '../../../../src/gate/permissions/rules/path-pattern.js';
import { createSandbox } from '../../../../src/gate/sandbox/create-sandbox.js';
import type { Prepared, Profile, Sandbox, View, ViewRequest } from '../../../../src/gate/sandbox/sandbox.js';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { ProcessCommand } from '../../../../src/host/processes.js';
import { processEnvironment } from '../../../../src/host/programs/process-environment.js';
import type { AgentWorktree } from '../../../../src/protocol/agent-spawned.js';
import { keepProbe } from '../../../support/kept-probe.js';

/** Where there are no user namespaces, the tests are about that instead (scripts/install-bubblewrap.sh). */
export const BOX_WORKS = await tryBox();

export type Ran = {
  readonly code: number | null;
  readonly output: string;
  readonly explained: string | undefined;
  readonly notes: readonly string[];
};

export type RunOptions = {
  readonly roots?: readonly string[];
  readonly readRoots?: readonly string[];
  /** Patterns of deny rules, as written in `Read(…)`. */
  readonly denied?: readonly string[];
  /** Patterns of deny rules, as written in `Edit(…)`. */
  readonly fixed?: readonly string[];
  readonly show?: readonly string[];
  /** Reading, if omitted. */
  readonly profile?: Profile;
  readonly worktree?: AgentWorktree;
  readonly cwd?: string;
  readonly env?: Record<string, string | undefined>;
};

export type Stage = {
  /** Not in /tmp, where a box has its own. */
  readonly base: string;
  readonly project: string;
  readonly person: string;
  readonly host: Host;
  readonly box: Sandbox;
  /** Lets time pass for the box: what was just changed is not fresh any more. */
  age(ms: number): void;
  prepare(options?: RunOptions): Promise<Prepared>;
  /** Prepares and runs; throws if that is refused. */
  run(script: string, options?: RunOptions): Promise<Ran>;
  /** The command for `run`. */
  confine(script: string, options?: RunOptions): Promise<ProcessCommand>;
  /** The same without a box. */
  runPlain(script: string, options?: RunOptions): Promise<Ran>;
};

/** Programs that lie in /tmp, as those of a clone there, would be shown in the box's own. */
export function pathOutsideTmp(): string | undefined {
  const folders = process.env.PATH?.split(delimiter);
  return folders?.filter((folder) => !folder.startsWith('/tmp/')).join(delimiter);
}

export async function setStage(env: Record<string, string | undefined> = {}, parent = '/var/tmp'): Promise<Stage> {
  const stage = await setUnprobedStage(env, parent);
  await keepProbe(join(stage.person, '.coppice'));
  return stage;
}

/** Its box has yet to find out what it can do on this machine. */
export async function setUnprobedStage(
  env: Record<string, string | undefined> = {},
  parent = '/var/tmp',
): Promise<Stage> {
  const base = await realpath(await mkdtemp(join(parent, 'coppice-box-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const project = join(base, 'project');
  const person = join(base, 'person');
  for (const folder of [project, join(person, '.coppice')]) await mkdir(folder, { recursive: true });
  const own = { PATH: process.env.PATH, HOME: person, USER: process.env.USER ?? 'root', LANG: 'C.UTF-8' };
  const real = nodeHost(project, { ...own, COPPICE_HOME: join(person, '.coppice'), ...env });
  let ahead = 0;
  const host: Host = { ...real, clock: { ...real.clock, now: () => real.clock.now() + ahead } };
  const box = createSandbox({ host, trusted: true, roots: [project] });
  onTestFinished(() => box.close());
  const prepare: Stage['prepare'] = (options = {}) => box.prepare(requestOf(project, options));
  const command = (script: string, { cwd = project, env: more = {} }: RunOptions): ProcessCommand => {
    const env = processEnvironment({ ...host, env: { ...host.env, PWD: cwd, ...more } }, 'command', [project]);
    return { file: 'bash', args: ['-c', script], cwd, env };
  };
  const boxed = async (script: string, options: RunOptions) => {
    const view = await preparedBox(prepare(options));
    const { profile = { kind: 'reading', show: options.show ?? [] }, worktree } = options;
    const confined = await box.confine(command(script, options), profile, { roots: view.roots, view, worktree });
    if (!confined.ok) throw new Error(confined.reason);
    return confined;
  };
  const start = async (started: ProcessCommand) => {
    const { code, signal, error, stdout, stderr } = await host.processes.run({ ...started, timeoutMs: 30_000 });
    const output = `${stdout.toString('utf8')}${stderr.toString('utf8')}`;
    return { code, output, exit: { code, signal, ...(error ? { error } : {}) } };
  };
  return {
    base,
    project,
    person,
    host,
    box,
    age: (ms) => {
      ahead += ms;
    },
    prepare,
    confine: async (script, options = {}) => (await boxed(script, options)).command,
    run: async (script, options = {}) => {
      const confined = await boxed(script, options);
      const { code, output, exit } = await start(confined.command);
      const notes = await confined.finish(exit);
      return { code, output, notes, explained: confined.explain(output, exit) };
    },
    runPlain: async (script, options = {}) => {
      const { code, output } = await start(command(script, options));
      return { code, output, notes: [], explained: undefined };
    },
  };
}

function requestOf(
  project: string,
  { roots = [project], readRoots = [], denied = [], fixed = [], profile }: RunOptions,
): ViewRequest {
  const patternOf = (written: string) => {
    const pattern = readPathPattern(written, 'deny', project);
    if ('warning' in pattern) throw new Error(pattern.warning);
    return pattern;
  };
  const wide = profile?.kind === 'ruled';
  return { roots, readRoots, denied: denied.map(patternOf), fixed: fixed.map(patternOf), wide };
}

export async function preparedBox(preparing: Promise<Prepared>): Promise<View> {
  const prepared = await preparing;
  if (!prepared.ok) throw new Error(prepared.reason);
  return prepared.view;
}

/** The test that takes the place of those that need a box. */
export async function expectNoBox(): Promise<void> {
  const { prepare, box } = await setStage();
  expect(await box.status()).toMatchObject({ kind: 'unavailable' });
  expect(await prepare()).toMatchObject({ ok: false, reason: expect.stringMatching(/install|enable|allow|support/) });
}

async function tryBox(): Promise<boolean> {
  const home = await mkdtemp('/var/tmp/coppice-box-');
  const host = nodeHost(home, { ...process.env, HOME: home, COPPICE_HOME: join(home, '.coppice') });
  const status = await createSandbox({ host, trusted: true, roots: [] }).status();
  await rm(home, { recursive: true, force: true });
  if (status.kind === 'unavailable') console.warn(`The tests of the reading box see none: ${status.reason}`);
  return status.kind === 'on';
}

export async function put(path: string, text = ''): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** Runs git or another program on the real machine. */
export async function act(host: Host, cwd: string, script: string): Promise<string> {
  const ids = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const env = { ...host.env, ...ids };
  const { code, stdout, stderr } = await host.processes.run({ file: 'bash', args: ['-ec', script], cwd, env });
  if (code !== 0) throw new Error(stderr.toString('utf8'));
  return stdout.toString('utf8');
}
