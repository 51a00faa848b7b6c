/**
 * Finds processes by the mark in their environment, and ends them; finds those that work in a folder. Linux shows both of
 * one's own processes in `/proc`; elsewhere none is found. A process that clears its environment (`env -i`) has no mark
 * any more.
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isHookMark, MARK_VARIABLE, readMark, writeMark } from './process-mark.js';
import type { EndedProcess, FoundProcess, ProcessCommand, ProcessMark } from './processes.js';

const POLL_MS = 20;
const GRACE_MS = 500;
/** A process in uninterruptible sleep can't be killed: don't wait forever. */
const LONGEST_MS = 5_000;
const MOST_COMMAND = 120;

/** Sessions for whose calls this process has started something, and that were not left yet. */
const sessions = new Set<string>();

export function environmentOf({ env, mark }: ProcessCommand): ProcessCommand['env'] {
  if (mark === undefined) return env;
  if (!isHookMark(mark)) sessions.add(mark.session);
  return { ...env, [MARK_VARIABLE]: writeMark(mark) };
}

/** A hook's program that detached itself is the person's own, and stays when the session is left. */
export async function endMarked(
  session: string,
  of: 'this-process' | 'earlier-process',
): Promise<readonly EndedProcess[]> {
  if (of === 'earlier-process') return endAll(() => findMarked((mark) => mark.session === session), GRACE_MS);
  if (!sessions.delete(session)) return [];
  return endAll(() => findMarked((mark) => mark.session === session && !isHookMark(mark)), GRACE_MS);
}

/** See `Processes`. */
export async function endByVariable(
  variable: string,
  value: string,
  graceMs = GRACE_MS,
): Promise<readonly FoundProcess[]> {
  return endAll(() => findCarrying(variable, (found) => (found === value ? {} : undefined)), graceMs);
}

/** At once and without a grace, for the moment in which our own process exits. */
export function killMarked(): void {
  if (sessions.size === 0) return;
  for (const { pid } of findMarked((mark) => sessions.has(mark.session) && !isHookMark(mark))) signal(pid, 'SIGKILL');
}

/**
 * Kills what a call runs in a process namespace of its own. A box kills it when its own process ends, but not if that is
 * ended in the moment in which it starts; and even then it takes a moment.
 */
export async function killConfined(mark: ProcessMark): Promise<void> {
  const written = writeMark(mark);
  const own = namespaceOf('self');
  if (own === undefined) return;
  const started = performance.now();
  for (;;) {
    const living = findMarked((other) => writeMark(other) === written).filter(({ pid }) => namespaceOf(pid) !== own);
    if (living.length === 0 || performance.now() - started > LONGEST_MS) return;
    for (const { pid } of living) signal(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** This process counts too: a person may have started it there. */
export async function workingIn(folder: string): Promise<readonly FoundProcess[]> {
  const isIn = (path: string) => path === folder || path.startsWith(`${folder}/`);
  return processIds()
    .filter((pid) => isIn(folderOf(pid) ?? '') || isGitAbout(pid, isIn))
    .map((pid) => ({ pid, command: commandOf(pid) }));
}

function folderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** A git whose parent was killed goes on by itself: one that adds or removes a worktree runs in another folder. */
function isGitAbout(pid: number, isIn: (path: string) => boolean): boolean {
  const [program = '', ...args] = (readOf(pid, 'cmdline')?.toString('utf8') ?? '').split('\0');
  return /(?:^|\/)git$/.test(program) && args.some(isIn);
}

function namespaceOf(pid: number | 'self'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

type MarkedProcess = FoundProcess & { readonly mark: ProcessMark };

/** Looks again until none is left: a process may start another while it is being ended. */
async function endAll<T extends FoundProcess>(
  find: () => readonly T[],
  graceMs: number,
): Promise<readonly (T & { readonly isGone: boolean })[]> {
  const found = new Map<number, T>();
  const started = performance.now();
  for (;;) {
    const living = find();
    const elapsed = performance.now() - started;
    for (const one of living) {
      if (!found.has(one.pid)) signal(one.pid, 'SIGTERM');
      else if (elapsed >= graceMs) signal(one.pid, 'SIGKILL');
      found.set(one.pid, found.get(one.pid) ?? one);
    }
    if (living.length === 0 || elapsed > graceMs + LONGEST_MS) {
      const left = new Set(living.map(({ pid }) => pid));
      return [...found.values()].map((one) => ({ ...one, isGone: !left.has(one.pid) }));
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function findMarked(isMeant: (mark: ProcessMark) => boolean): readonly MarkedProcess[] {
  return findCarrying(MARK_VARIABLE, (value) => {
    const mark = readMark(value);
    return mark !== undefined && isMeant(mark) ? { mark } : undefined;
  });
}

/** Synchronous: a few milliseconds for all processes of a machine, a tenth of what the thread pool takes. */
function findCarrying<T>(variable: string, judge: (value: string) => T | undefined): readonly (FoundProcess & T)[] {
  const own = ownLine();
  return processIds().flatMap((pid) => {
    const value = own.has(pid) ? undefined : valueIn(pid, variable);
    const judged = value === undefined ? undefined : judge(value);
    return judged === undefined ? [] : [{ pid, command: commandOf(pid), ...judged }];
  });
}

function processIds(): readonly number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Undefined for a zombie and for what is not ours to see: both show no environment. */
function valueIn(pid: number, variable: string): string | undefined {
  const environment = readOf(pid, 'environ');
  const start = `${variable}=`;
  if (environment === undefined || !environment.includes(start)) return undefined;
  const entry = environment
    .toString('utf8')
    .split('\0')
    .find((one) => one.startsWith(start));
  return entry?.slice(start.length);
}

/** What a shell was given by `-c` is the command of the call itself, in our own wrapping: not repeated here. */
function commandOf(pid: number): string {
  const [program = '', ...args] = (readOf(pid, 'cmdline')?.toString('utf8') ?? '').split('\0');
  const words = args[0] === '-c' ? [program] : [program, ...args];
  return words.join(' ').trim().slice(0, MOST_COMMAND).toWellFormed();
}

/** This process and those it was started by: a session may be resumed from a command of its own. */
function ownLine(): ReadonlySet<number> {
  const line = new Set<number>();
  for (let pid = process.pid; pid > 1 && !line.has(pid); ) {
    line.add(pid);
    const stat = readOf(pid, 'stat')?.toString('latin1') ?? '';
    // The name in parentheses may contain anything, so count fields after it: state is the first, the parent the second.
    pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || 0;
  }
  return line;
}

function readOf(pid: number, name: 'environ' | 'cmdline' | 'stat'): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Already ended.
  }
}
