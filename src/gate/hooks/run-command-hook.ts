/** Runs a command hook: JSON on stdin; output and exit code back; no process left running. */

import type { Readable } from 'node:stream';
import type { Clock } from '../../host/clock.js';
import { errorCode } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import type { ProcessCommand, ProcessExit, RunningProcess } from '../../host/processes.js';
import { processEnvironment } from '../../host/programs/process-environment.js';
import type { HookRun } from './hook-answer.js';
import type { CommandHandler } from './hook-config.js';

/** The limit for each stream. */
const MOST_OUTPUT_BYTES = 1024 * 1024;

export type CommandRunOptions = {
  readonly host: Host;
  readonly projectDir: string;
  /** Its working folder. */
  readonly folder: string;
  readonly shell: string;
  readonly signal?: AbortSignal | undefined;
};

export async function runCommandHook(
  handler: CommandHandler,
  input: string,
  options: CommandRunOptions,
): Promise<HookRun> {
  if (options.signal?.aborted) return { kind: 'aborted' };
  const process = options.host.processes.start(commandOf(handler, options));
  const stdout = collect(process.stdout);
  const stderr = collect(process.stderr);
  process.stdin?.end(input);
  const end = await waitForEnd(process, handler.timeoutMs, options);
  if (end.kind === 'exited') await readRest([stdout, stderr], options.host.clock);
  if (await process.groupRuns()) await process.end();
  // A grandchild that left the process group may hold the other ends forever.
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream?.destroy();
  switch (end.kind) {
    case 'timed out':
      return { kind: 'timed out', seconds: handler.timeoutMs / 1000 };
    case 'aborted':
      return { kind: 'aborted' };
    case 'exited':
      return outcomeOf(end.exit, stdout, stderr, options);
    default:
      return end satisfies never;
  }
}

/** The shell that runs hooks: bash if available, because most one-line scripts are written for it. */
export async function findShell(host: Host): Promise<string> {
  for (const shell of ['/bin/bash', '/usr/bin/bash']) {
    const found = await host.files.stat(shell).catch(() => undefined);
    if (found?.kind === 'file') return shell;
  }
  return '/bin/sh';
}

function commandOf(handler: CommandHandler, { host, projectDir, folder, shell }: CommandRunOptions): ProcessCommand {
  const program =
    handler.args === undefined
      ? { file: shell, args: ['-c', handler.command] }
      : { file: handler.command, args: handler.args };
  const own = { CLAUDE_PROJECT_DIR: projectDir, COPPICE_PROJECT_DIR: projectDir };
  const env = { ...processEnvironment(host, 'command'), ...handler.environment, ...own };
  return { ...program, cwd: folder, env, input: 'open' };
}

type End =
  | { readonly kind: 'exited'; readonly exit: ProcessExit }
  | { readonly kind: 'timed out' }
  | { readonly kind: 'aborted' };

async function waitForEnd(
  process: RunningProcess,
  timeoutMs: number,
  { host, signal }: CommandRunOptions,
): Promise<End> {
  let cancel = () => {};
  const forced = new Promise<End>((resolve) => {
    const cancelTimer = host.clock.after(timeoutMs, () => resolve({ kind: 'timed out' }));
    const onAbort = () => resolve({ kind: 'aborted' });
    signal?.addEventListener('abort', onAbort, { once: true });
    cancel = () => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    };
  });
  const end = await Promise.race([process.exit.then((exit): End => ({ kind: 'exited', exit })), forced]);
  cancel();
  return end;
}

type Collected = { readonly text: () => string; readonly bytes: () => number; readonly ended: Promise<void> };

function collect(stream: Readable): Collected {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const ended = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      if (bytes < MOST_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MOST_OUTPUT_BYTES - bytes));
      bytes += chunk.length;
    });
    stream.once('close', resolve);
    stream.once('end', resolve);
    stream.once('error', () => resolve());
  });
  // Bytes that are not UTF-8 become replacement characters; a byte order mark is dropped.
  return { text: () => new TextDecoder().decode(Buffer.concat(chunks)), bytes: () => bytes, ended };
}

const QUIET_MS = 10;
const MOST_ROUNDS = 50;

/**
 * Waits until both streams have ended. If a leftover process holds them open, waits until the hook's own output has
 * arrived: two rounds of the event loop without a byte.
 */
async function readRest(streams: readonly Collected[], clock: Clock): Promise<void> {
  let done = false;
  const ended = Promise.all(streams.map((stream) => stream.ended)).then(() => {
    done = true;
  });
  let quiet = 0;
  let before = -1;
  for (let round = 0; !done && quiet < 2 && round < MOST_ROUNDS; round++) {
    const now = streams.reduce((sum, stream) => sum + stream.bytes(), 0);
    quiet = now === before ? quiet + 1 : 0;
    before = now;
    await Promise.race([ended, clock.sleep(QUIET_MS)]);
  }
}

/** A shell reports the signal that killed its child as 128 + the signal's number. */
const FIRST_SIGNAL_CODE = 129;
const LAST_SIGNAL_CODE = 159;

async function outcomeOf(
  exit: ProcessExit,
  stdout: Collected,
  stderr: Collected,
  options: CommandRunOptions,
): Promise<HookRun> {
  if (exit.error !== undefined) return { kind: 'not started', reason: await whyNotStarted(exit.error, options) };
  const { code } = exit;
  if (code === null) return { kind: 'killed', signal: exit.signal ?? 'unknown', stderr: stderr.text() };
  if (code >= FIRST_SIGNAL_CODE && code <= LAST_SIGNAL_CODE) {
    return { kind: 'killed', signal: `number ${code - 128}`, stderr: stderr.text() };
  }
  const stdoutCut = stdout.bytes() > MOST_OUTPUT_BYTES;
  return { kind: 'exited', code, stdout: stdout.text(), stderr: stderr.text(), stdoutCut };
}

/** Node reports a missing working folder as a missing program. */
async function whyNotStarted(error: Error, { host, folder }: CommandRunOptions): Promise<string> {
  if (errorCode(error) === 'ENOENT') {
    const found = await host.files.stat(folder).catch(() => undefined);
    if (found?.kind !== 'folder') return `the folder ${folder} does not exist`;
  }
  return error.message;
}
