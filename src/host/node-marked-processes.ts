/**
 * Finds and ends processes by the mark in their environment; finds processes that work in a folder. Linux shows both for
 * one's own processes in `/proc`; elsewhere none are found. A process that clears its environment (`env -i`) loses its mark.
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isHookMark, MARK_VARIABLE, readMark, writeMark } from './process-mark.js';
import type { EndedProcess, FoundProcess, ProcessCommand, ProcessMark } from './processes.js';

const POLL_MS = 20;
const GRACE_MS = 500;
/** A process in uninterruptible sleep can't be killed: don't wait forever. */
const LONGEST_MS = 5_000;
const MOST_COMMAND = 120;

/** Sessions that have started processes here and were not closed yet. */
const sessions = new Set<string>();

export function environmentOf({ env, mark }: ProcessCommand): ProcessCommand['env'] {
  if (mark === undefined) return env;
  if (!isHookMark(mark)) sessions.add(mark.session);
  return { ...env, [MARK_VARIABLE]: writeMark(mark) };
}

/** A hook's program that detached itself belongs to the user, and keeps running when the session is closed. */
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

/** Kills at once, for when our own process exits. */
export function killMarked(): void {
  if (sessions.size === 0) return;
  for (const { pid } of findMarked((mark) => sessions.has(mark.session) && !isHookMark(mark))) signal(pid, 'SIGKILL');
}

/**
 * Kills processes of a call that run in their own pid namespace. The sandbox kills them when its own process ends, but
 * not if that is killed while it starts; and even then it takes a moment.
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

/** Includes this process, which may have been started there. */
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

/** A git whose parent was killed continues: one that adds or removes a worktree runs in another folder. */
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

/** Repeats until none is left: a process may start another while it is being ended. */
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

function findMarked(matches: (mark: ProcessMark) => boolean): readonly MarkedProcess[] {
  return findCarrying(MARK_VARIABLE, (value) => {
    const mark = readMark(value);
    return mark !== undefined && matches(mark) ? { mark } : undefined;
  });
}

/** Synchronous: scanning all processes takes a few milliseconds, a tenth of what the thread pool takes. */
function findCarrying<T>(variable: string, judge: (value: string) => T | undefined): readonly (FoundProcess & T)[] {
  const own = ownAncestors();
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

/** Undefined for a zombie and for processes of other users: both show no environment. */
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

/** The script given to a shell with `-c` is the command of the call itself, wrapped by us: not repeated here. */
function commandOf(pid: number): string {
  const [program = '', ...args] = (readOf(pid, 'cmdline')?.toString('utf8') ?? '').split('\0');
  const words = args[0] === '-c' ? [program] : [program, ...args];
  return words.join(' ').trim().slice(0, MOST_COMMAND).toWellFormed();
}

/** This process and its ancestors: a session may be resumed from one of its own commands. */
function ownAncestors(): ReadonlySet<number> {
  const ancestors = new Set<number>();
  for (let pid = process.pid; pid > 1 && !ancestors.has(pid); ) {
    ancestors.add(pid);
    const stat = readOf(pid, 'stat')?.toString('latin1') ?? '';
    // The name in parentheses may contain anything, so count fields after it: state is the first, the parent the second.
    pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || 0;
  }
  return ancestors;
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
