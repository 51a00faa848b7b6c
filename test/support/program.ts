/** The real program as a process: built when it is older than its source, started with a home of its own. */

import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAM = join(ROOT, 'dist', 'cli.js');

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Started = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** What came so far. */
  stdout(): string;
  stderr(): string;
};

export type Start = {
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
  /** Written to standard input, which is then closed. Omitted: an empty input. */
  readonly input?: string;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
};

export function startProgram(args: readonly string[], start: Start): Started {
  return watch(
    spawn(process.execPath, [...(start.node ?? []), PROGRAM, ...args], {
      cwd: start.cwd,
      env: start.env as NodeJS.ProcessEnv,
    }),
    start.input,
  );
}

export function runProgram(args: readonly string[], start: Start): Promise<Ended> {
  return startProgram(args, start).ended;
}

/** A line for the shell, with `coppice` in it standing for the program. */
export function runShell(line: string, start: Start): Promise<Ended> {
  const script = `coppice() { "${process.execPath}" "${PROGRAM}" "$@"; }\n${line}`;
  const child = spawn('/bin/bash', ['-c', script], { cwd: start.cwd, env: start.env as NodeJS.ProcessEnv });
  return watch(child, start.input).ended;
}

function watch(child: ChildProcessWithoutNullStreams, input: string | undefined): Started {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

/** Builds dist/ if it is missing or older than the source. Several test files may ask at once; one builds. */
export async function buildProgram(): Promise<void> {
  const lock = join(ROOT, 'node_modules', '.cache', 'coppice-build.lock');
  await mkdir(join(ROOT, 'node_modules', '.cache'), { recursive: true });
  for (;;) {
    if (!isOld()) return;
    const mine = await open(lock, 'wx').catch(() => undefined);
    if (mine === undefined) {
      // A lock that nobody removed belongs to a build that died.
      if (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > 60_000) await rm(lock, { force: true });
      await new Promise((resolve) => setTimeout(resolve, 100));
      continue;
    }
    try {
      if (isOld()) await promisify(execFile)(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { cwd: ROOT });
    } finally {
      await mine.close();
      await rm(lock, { force: true });
    }
  }
}

function isOld(): boolean {
  // The last file the build writes decides whether it is whole.
  if (!existsSync(PROGRAM) || !existsSync(join(ROOT, 'dist', 'sim.mjs'))) return true;
  const built = statSync(PROGRAM).mtimeMs;
  const source = join(ROOT, 'src');
  return readdirSync(source, { recursive: true })
    .map(String)
    .some(
      (name) => name.endsWith('.ts') && (statSync(join(source, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) > built,
    );
}
