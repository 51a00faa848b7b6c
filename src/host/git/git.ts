/**
 * Runs git for our own purposes, with its own and the repository's programs off. Filters run only in a trusted repository:
 * without them, a checkout holds the stored content, and compares with that.
 */

import type { Host } from '../host.js';
import { findOwnProgram } from '../programs/own-program.js';
import { processEnvironment } from '../programs/process-environment.js';
import { filtersOff, safeGitEnvironment, TRANSPORT_VARIABLES } from './git-environment.js';

export type GitOptions = {
  /** Overrides the folder it was opened for. */
  readonly cwd?: string;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  readonly signal?: AbortSignal;
};

export type GitRun = {
  readonly ok: boolean;
  readonly code: number | null;
  readonly stdout: Buffer;
  /** The same as text, without the line end. */
  readonly text: string;
  /** Git's error message on one line, for people. */
  readonly reason: string;
};

/** Runs one git command in a folder. Never rejects. If another git holds a lock, it waits; it never removes one. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitRun>;

export type GitTrust = { readonly trusted: boolean };

export async function openGit(host: Host, folder: string, { trusted }: GitTrust): Promise<Git> {
  const own = processEnvironment(host, 'own');
  if (trusted) {
    const transport = Object.entries(host.env).filter(([name]) => TRANSPORT_VARIABLES.has(name));
    const env = { ...own, ...Object.fromEntries(transport) };
    return gitWith(host, folder, safeGitEnvironment(env, [], { trusted, fetches: true }));
  }
  const plain = gitWith(host, folder, safeGitEnvironment(own));
  const listed = await plain(['config', '--null', '--name-only', '--get-regexp', FILTERS]);
  const reason = reasonUnknown(listed);
  if (reason !== undefined) return async () => ({ ...listed, ok: false, code: null, reason });
  return gitWith(host, folder, safeGitEnvironment(own, filtersOff(listed.text.split('\0'))));
}

/** Returns why the filters are unknown: then git is not run. */
function reasonUnknown({ code, reason, stdout }: GitRun): string | undefined {
  // Git exits with 1 if there are none.
  if (code !== 0 && code !== 1) return reason;
  const isText = Buffer.from(stdout.toString('utf8')).equals(stdout);
  return isText
    ? undefined
    : 'the configuration of git has a filter whose name is not UTF-8: it could not be switched off';
}

const FILTERS = String.raw`^filter\..*\.(clean|smudge|process|required)$`;

function gitWith(host: Host, folder: string, env: Host['env']): Git {
  const file = findOwnProgram(host, 'git');
  if (file === undefined) return async () => NOT_FOUND;
  const once = async (args: readonly string[], options: GitOptions): Promise<GitRun> => {
    const { code, stdout, stderr, error } = await host.processes.run({
      file,
      args,
      cwd: options.cwd ?? folder,
      env: { ...env, LC_ALL: 'C', ...options.env },
      maxBytes: MOST_BYTES,
      ...(options.input === undefined ? {} : { input: options.input }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const message = stderr.toString('utf8').trim();
    const reason = error === undefined ? describeRefusal(message, code) : describeStart(error);
    return { ok: code === 0, code, stdout, text: stdout.toString('utf8').replace(/\n$/, ''), reason };
  };
  return async (args, options = {}) => {
    for (let tried = 0; ; tried += 1) {
      const run = await once(args, options);
      if (run.ok || tried === LOCK_TRIES || !IS_LOCKED.test(run.reason) || options.signal?.aborted) return run;
      await host.clock.sleep(
        Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tried) * (0.5 + host.random()),
        options.signal,
      );
    }
  };
}

const MOST_BYTES = 256 * 1024 * 1024;
/** About 15 seconds in total. */
const LOCK_TRIES = 20;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 1_000;
const IS_LOCKED = /\.lock': File exists|could not lock config file .*: File exists/;

/** Git's own error lines, without the advice below them. */
function describeRefusal(message: string, code: number | null): string {
  const lines = message.split('\n').map((line) => line.trim());
  const wrong = lines.filter((line) => /^(?:fatal|error):/.test(line));
  const chosen = wrong.length > 0 ? wrong : lines.slice(0, 1);
  return chosen.map((line) => line.replace(/^(?:fatal|error): /, '')).join('; ') || `git ended with ${code}`;
}

function describeStart(error: Error): string {
  return /ENOENT/.test(error.message) ? NOT_FOUND.reason : error.message;
}

const NOT_FOUND: GitRun = {
  ok: false,
  code: null,
  stdout: Buffer.alloc(0),
  text: '',
  reason: 'git is not installed, or not on the PATH',
};
