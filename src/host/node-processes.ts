/** Implements `Processes` with node:child_process. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  endByVariable,
  endMarked,
  environmentOf,
  killConfined,
  killMarked,
  workingIn,
} from './node-marked-processes.js';
import type {
  Descriptor,
  FinishedProcess,
  ProcessCommand,
  ProcessExit,
  Processes,
  RunLimits,
  RunningProcess,
} from './processes.js';

const POLL_MS = 20;
const DEFAULT_GRACE_MS = 500;
const DRAIN_MS = 250;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const MOST_REPORTED = 64 * 1024;

export const nodeProcesses: Processes = { start, run, endMarked, endByVariable: endByVariable, endGroup, workingIn };

function start(command: ProcessCommand): RunningProcess {
  const child = spawnChild(command);
  if (child instanceof Error) return neverStarted(child);
  const exit = new Promise<ProcessExit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  feed(child, command.input);
  if (child.pid !== undefined) watchGroup(child, child.pid);
  const reported = collectReport(child, command.descriptors ?? []);
  const groupRuns = async () => child.pid !== undefined && (await runs(child.pid));
  return {
    pid: child.pid,
    stdin: command.input === 'open' ? (child.stdin ?? undefined) : undefined,
    stdout: child.stdout ?? Readable.from([]),
    stderr: child.stderr ?? Readable.from([]),
    exit,
    groupRuns,
    report: async () => {
      await exit;
      await Promise.race([reported.ended, drainTime()]);
      reported.stream?.destroy();
      return reported.bytes();
    },
    end: async (graceMs = DEFAULT_GRACE_MS) => {
      if (child.pid === undefined) return;
      await endGroup(child.pid, graceMs);
      groups.delete(child.pid);
      if (command.mark !== undefined) await killConfined(command.mark);
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}

async function endGroup(leader: number, graceMs = DEFAULT_GRACE_MS): Promise<void> {
  signalGroup(leader, 'SIGTERM');
  const started = performance.now();
  let killed = false;
  while (await runs(leader)) {
    if (!killed && performance.now() - started >= graceMs) {
      signalGroup(leader, 'SIGKILL');
      killed = true;
    }
    // A process in uninterruptible sleep can't be killed: don't wait forever.
    if (performance.now() - started > graceMs + 5_000) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function runs(group: number): Promise<boolean> {
  return groupExists(group) && !(await onlyZombies(group));
}

/** Groups that may still have members. They, and marked processes outside of them, are killed however this process exits. */
const groups = new Set<number>();

function watchGroup(child: ChildProcess, pid: number): void {
  if (groups.size === 0) {
    process.off('exit', killGroups);
    process.once('exit', killGroups);
  }
  groups.add(pid);
  child.once('exit', () => {
    if (!groupExists(pid)) groups.delete(pid);
  });
}

function killGroups(): void {
  for (const pid of groups) signalGroup(pid, 'SIGKILL');
  killMarked();
}

async function run(command: ProcessCommand & RunLimits): Promise<FinishedProcess> {
  const process = start(command);
  const maxBytes = command.maxBytes ?? DEFAULT_MAX_BYTES;
  const stdout = collect(process.stdout, maxBytes);
  const stderr = collect(process.stderr, maxBytes);
  let timedOut = false;
  let aborted = command.signal?.aborted ?? false;
  const end = () => void process.end();
  const onAbort = () => {
    aborted = true;
    end();
  };
  const timer =
    command.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          end();
        }, command.timeoutMs);
  if (aborted) end();
  command.signal?.addEventListener('abort', onAbort, { once: true });
  const exit = await process.exit;
  clearTimeout(timer);
  command.signal?.removeEventListener('abort', onAbort);
  if (await process.groupRuns()) await process.end();
  // A process that left the group may hold the pipes open forever: don't wait for its output.
  const drained = Promise.all([stdout.ended, stderr.ended]);
  await Promise.race([drained, drainTime()]);
  process.stdout.destroy();
  process.stderr.destroy();
  return {
    ...exit,
    stdout: Buffer.concat(stdout.chunks),
    stderr: Buffer.concat(stderr.chunks),
    stdoutBytes: stdout.bytes(),
    stderrBytes: stderr.bytes(),
    timedOut,
    aborted,
  };
}

function drainTime(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, DRAIN_MS).unref());
}

function spawnChild(command: ProcessCommand): ChildProcess | Error {
  const opened: number[] = [];
  const openFile = (path: string) => {
    const descriptor = openSync(path, 'r');
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const further = (command.descriptors ?? []).map((one) => (one.kind === 'file' ? openFile(one.path) : 'pipe'));
    return spawn(command.file, command.args, {
      cwd: command.cwd,
      env: environmentOf(command) as NodeJS.ProcessEnv,
      detached: true,
      stdio: [command.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...further],
    });
  } catch (error) {
    // Invalid arguments (such as NUL bytes) throw instead of emitting an error.
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

function neverStarted(error: Error): RunningProcess {
  return {
    pid: undefined,
    stdin: undefined,
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    exit: Promise.resolve({ code: null, signal: null, error }),
    report: async () => Buffer.alloc(0),
    groupRuns: async () => false,
    end: async () => {},
  };
}

function feed(child: ChildProcess, input: ProcessCommand['input']): void {
  // A program may close its input early: that is not an error.
  child.stdin?.on('error', () => {});
  if (input !== undefined && input !== 'open') child.stdin?.end(input);
}

function collect(stream: Readable, maxBytes: number) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let kept = 0;
  const ended = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (kept >= maxBytes) return;
      const part = chunk.subarray(0, maxBytes - kept);
      kept += part.length;
      chunks.push(part);
    });
    stream.once('close', resolve);
    stream.once('end', resolve);
    stream.once('error', () => resolve());
  });
  return { chunks, ended, bytes: () => bytes };
}

/** Retains only the end, which has the last message. */
function collectReport(child: ChildProcess, descriptors: readonly Descriptor[]) {
  const index = descriptors.findIndex(({ kind }) => kind === 'report');
  const stream = index < 0 ? undefined : (child.stdio[index + 3] as Readable | null | undefined);
  let kept: Buffer = Buffer.alloc(0);
  const ended = new Promise<void>((resolve) => {
    if (!stream) return resolve();
    stream.on('data', (chunk: Buffer) => {
      kept = Buffer.concat([kept, chunk]).subarray(-MOST_REPORTED);
    });
    for (const event of ['close', 'end', 'error']) stream.once(event, () => resolve());
  });
  return { stream, ended, bytes: () => kept };
}

function groupExists(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Zombies still accept signals. On Linux, /proc shows which processes are zombies. */
async function onlyZombies(group: number): Promise<boolean> {
  let entries: string[];
  try {
    entries = await readdir('/proc');
  } catch {
    return false;
  }
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = await readFile(`/proc/${entry}/stat`, 'utf8');
      const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(processGroup) === group && state !== 'Z' && state !== 'X') return false;
    } catch {
      // Ended in the meantime.
    }
  }
  return true;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Already ended.
  }
}
