/** A session that is recorded on one machine and replayed on another: other folder, home, day and branch. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { SessionOptions } from '../../../src/engine/session-options.js';
import { openSession } from '../../../src/front/sdk/open-session.js';
import type { Session } from '../../../src/front/sdk/session.js';
import { realClock } from '../../../src/host/clock.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { type Rule, type Sim, type SimOptions, startSim } from '../../../src/sim/index.js';
import { scratchFolder } from '../../support/scratch.js';

export type Machine = {
  readonly folder: string;
  readonly home: string;
  readonly env: Record<string, string | undefined>;
  write(name: string, content: string): Promise<string>;
  read(name: string): Promise<string>;
  git(branch: string): Promise<void>;
  open(options?: SessionOptions): Promise<Session>;
};

type MachineOptions = {
  /** The path of the project within its own folder. */
  readonly project?: string;
  readonly home?: string;
  /** Days from today. */
  readonly days?: number;
  readonly env?: Record<string, string>;
};

const CLOSED_PORT = 'http://127.0.0.1:1';

/** Without a key, and with an address that nothing answers at: what is recorded gets both. */
export async function setMachine(options: MachineOptions = {}): Promise<Machine> {
  const scratch = await scratchFolder();
  const folder = join(scratch, options.project ?? 'project');
  const home = join(scratch, options.home ?? 'home');
  await mkdir(folder, { recursive: true });
  await mkdir(join(home, '.coppice'), { recursive: true, mode: 0o700 });
  await writeFile(join(home, '.coppice', 'cleaned-up'), '');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: scratch,
    COPPICE_MANAGED_SETTINGS: join(home, 'managed.json'),
    ANTHROPIC_BASE_URL: CLOSED_PORT,
    COPPICE_ALLOW_ROOT_BYPASS: '1',
    ...options.env,
  };
  const write = async (name: string, content: string) => {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    return path;
  };
  return {
    folder,
    home,
    env,
    write,
    read: (name) => readFile(join(folder, name), 'utf8'),
    git: async (branch) => {
      await write('.git/HEAD', /^[0-9a-f]{40}$/.test(branch) ? `${branch}\n` : `ref: refs/heads/${branch}\n`);
    },
    open: async (more = {}) => {
      const host = shifted(nodeHost(folder, { ...env, ...more.env }), options.days ?? 0);
      const given = { cwd: folder, permissionMode: 'bypassPermissions', host, ...more } as const;
      const opened = await openSession({ ...given, env: { ...env, ...more.env } });
      if (!opened.ok) throw new Error(opened.reason);
      onTestFinished(() => opened.session.close());
      return opened.session;
    },
  };
}

const DAY_MS = 86_400_000;

function shifted(host: Host, days: number): Host {
  const clock = { ...realClock, now: () => Date.now() + days * DAY_MS };
  return { ...host, clock, at: (folder) => shifted(host.at(folder), days) };
}

export async function startModel(rules: readonly Rule[], options: SimOptions = {}): Promise<Sim> {
  const sim = await startSim({ scenario: rules, ...options });
  onTestFinished(() => sim.close());
  return sim;
}

export function connection(sim: Sim): SessionOptions {
  return { env: { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'a-key-of-this-test' } };
}

export async function recordingFile(): Promise<string> {
  return join(await scratchFolder(), 'run.jsonl');
}

/** Records a session against a model; `play` does the talking. Returns the file. */
export async function record(
  machine: Machine,
  sim: Sim,
  play: (session: Session) => Promise<unknown>,
  options: SessionOptions = {},
): Promise<string> {
  const file = await recordingFile();
  const session = await machine.open({ ...connection(sim), ...options, record: file });
  await play(session);
  await session.close();
  return file;
}

export async function replay(
  machine: Machine,
  file: string,
  play: (session: Session) => Promise<unknown>,
  options: SessionOptions = {},
): Promise<NonNullable<Session['replay']>> {
  const session = await machine.open({ ...options, replay: file });
  await play(session);
  await session.close();
  if (session.replay === undefined) throw new Error('it is no replay');
  return session.replay;
}

/** All of it was played, and nothing else was asked. */
export function expectWhole(status: NonNullable<Session['replay']>): void {
  expect(status.difference).toBeUndefined();
  expect(status.missing).toEqual([]);
  expect(status).toMatchObject({ ok: true, played: status.recorded });
}

/** The folder that a request says its agent works in. */
export function folderIn(body: unknown): string {
  return /Working folder: ([^\\"]+)/.exec(JSON.stringify(body))?.[1] ?? 'no folder';
}

export const say =
  (words: string, into: string[] = []) =>
  async (session: Session) => {
    into.push((await session.send(words)).text);
    into.push((await session.settled(20_000)).end?.text ?? '');
  };

export const go = async (session: Session) => {
  await session.send('Go.');
  expect((await session.settled(20_000)).stopped).toEqual([]);
};
