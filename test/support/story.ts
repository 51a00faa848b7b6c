/** A story's stage: a simulated model over real HTTP, an empty project, a session in it. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { SessionOptions } from '../../src/engine/session-options.js';
import { defineTool } from '../../src/front/sdk/define-tool.js';
import { openSession } from '../../src/front/sdk/open-session.js';
import type { Session } from '../../src/front/sdk/session.js';
import type { AgentEvent, SessionEvent } from '../../src/protocol/events.js';
import { decodeRecord, type TranscriptRecord } from '../../src/session/transcript/record.js';
import { type Rule, type Sim, type SimOptions, startSim } from '../../src/sim/index.js';
import { keepProbe } from './kept-probe.js';
import { scratchFolder } from './scratch.js';

export type Stage = {
  readonly sim: Sim;
  /** The project's folder. */
  readonly folder: string;
  readonly home: string;
  readonly env: Record<string, string | undefined>;
  /** For the program as a process: where, and with which environment. */
  readonly at: { readonly cwd: string; readonly env: Record<string, string | undefined> };
  readonly events: SessionEvent[];
  write(name: string, content: string | Uint8Array): Promise<string>;
  read(name: string): Promise<string>;
  /** Writes the person's own settings file. */
  settings(settings: object): Promise<string>;
  open(options?: SessionOptions): Promise<Session>;
};

export async function setStage(rules: readonly Rule[] = [], options: SimOptions = {}): Promise<Stage> {
  const scratch = await scratchFolder();
  const folder = join(scratch, 'project');
  const home = join(scratch, 'home');
  await mkdir(folder);
  await mkdir(join(home, '.coppice'), { recursive: true, mode: 0o700 });
  // Old sessions were deleted today already: otherwise that goes on while the folder is being removed.
  await writeFile(join(home, '.coppice', 'cleaned-up'), '');
  await keepProbe(join(home, '.coppice'));
  const sim = await startSim({ scenario: rules, ...options });
  onTestFinished(() => sim.close());
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    COPPICE_HOME: join(home, '.coppice'),
    COPPICE_MANAGED_SETTINGS: join(home, 'managed.json'),
    ANTHROPIC_BASE_URL: sim.url,
    ANTHROPIC_API_KEY: 'test-key',
    COPPICE_ALLOW_ROOT_BYPASS: '1',
  };
  const events: SessionEvent[] = [];
  return {
    sim,
    folder,
    home,
    env,
    at: { cwd: folder, env },
    events,
    write: async (name, content) => {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    read: (name) => readFile(join(folder, name), 'utf8'),
    settings: async (settings) => {
      const path = join(home, '.claude', 'settings.json');
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, JSON.stringify(settings));
      return path;
    },
    open: async (more = {}) => {
      const opened = await openSession({ cwd: folder, env, onEvent: (watched) => events.push(watched), ...more });
      if (!opened.ok) throw new Error(opened.reason);
      onTestFinished(() => opened.session.close());
      return opened.session;
    },
  };
}

export function eventsOf<K extends AgentEvent['kind']>(stage: Stage, kind: K): Extract<AgentEvent, { kind: K }>[] {
  return stage.events.flatMap(({ event }) => (event.kind === kind ? [event as Extract<AgentEvent, { kind: K }>] : []));
}

export async function readTranscript(path: string): Promise<TranscriptRecord[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => {
    const record = decodeRecord(Buffer.from(line));
    if (record === undefined || !('event' in record)) throw new Error(`not a record: ${line.slice(0, 200)}`);
    return record;
  });
}

/** Every request the model got was one the real API would have taken. */
export function expectAllAccepted(sim: Sim): void {
  expect(sim.unmatched, sim.report()).toEqual([]);
  expect(
    sim.requests.filter((request) => request.status !== 200).map((request) => request.error),
    sim.report(),
  ).toEqual([]);
}

/** A tool that only reads, whose effect a test decides. */
export function readingTool(name: string, run: (input: { n?: number }, signal: AbortSignal) => Promise<string>) {
  return defineTool({
    name,
    description: `A tool for tests: ${name}.`,
    schema: z.object({ n: z.number().optional() }),
    readOnly: true,
    run: (input, context) => run(input, context.signal),
  });
}

/** Lines a person saw about faults. */
export function faultLines(stage: Stage): string[] {
  return eventsOf(stage, 'fault-met').map(({ line }) => line);
}
