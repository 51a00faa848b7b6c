/** Runs ripgrep, from its package or else from the PATH. Its output is streamed, and the search can be stopped early. */

import { StringDecoder } from 'node:string_decoder';
import { findOwnProgram } from '../../host/programs/own-program.js';
import { processEnvironment } from '../../host/programs/process-environment.js';
import type { ToolContext } from '../tool.js';
import { explainEndless, findEndlessAbove, findEndlessBelow } from './ignore-files.js';

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 300;
const TIMEOUT_MS = 20_000;
/** A search that takes longer may be stalled by a file of ignore rules. */
const STALLED_MS = 300;
const MAX_ERROR_CHARS = 2_000;
const MAX_ENTRY_CHARS = 1_000_000;

export type RipgrepSearch = {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The real path of the folder that it walks, with the ignore rules there. Omitted: it searches named files. */
  readonly walks?: string;
  readonly separator: '\n' | '\0';
  /** Called for each entry; `false` ends the search. */
  readonly take: (entry: string) => boolean;
  /** Ends the search, like `take`. */
  readonly until?: AbortSignal;
};

type RipgrepContext = Pick<ToolContext, 'host' | 'signal'> & Partial<Pick<ToolContext, 'roots'>>;

export type RipgrepEnd =
  /** Everything was searched, or enough was found. */
  | { readonly ended: 'done' }
  | { readonly ended: 'timeout' | 'aborted' }
  | { readonly ended: 'failed'; readonly reason: string };

/** Never follows links and reads no configuration: either could lead outside the folder or run a program. */
const ALWAYS = ['--no-config', '--no-follow', '--color=never', '--hidden', '--glob=!.git'] as const;

export async function searchWithRipgrep(context: RipgrepContext, search: RipgrepSearch): Promise<RipgrepEnd> {
  const endless = search.walks === undefined ? undefined : await findEndlessAbove(context.host.files, search.walks);
  if (endless !== undefined) return { ended: 'failed', reason: explainEndless(endless) };
  const packaged = await packagedRipgrep();
  if (packaged !== undefined) {
    const end = await runOnce(packaged, context, search);
    if (end !== 'not-started') return end;
  }
  const installed = findOwnProgram(context.host, 'rg', context.roots);
  const end = installed === undefined ? 'not-started' : await runOnce(installed, context, search);
  if (end !== 'not-started') return end;
  return {
    ended: 'failed',
    reason:
      'ripgrep is not available: neither its package nor rg on the PATH could be started. Install ripgrep, or search with Bash.',
  };
}

let packagedPath: Promise<string | undefined> | undefined;

/** Loaded on first use. The package throws on a platform without a binary. */
function packagedRipgrep(): Promise<string | undefined> {
  packagedPath ??= import('@vscode/ripgrep').then(
    (module) => module.rgPath,
    () => undefined,
  );
  return packagedPath;
}

async function runOnce(
  file: string,
  context: RipgrepContext,
  search: RipgrepSearch,
): Promise<RipgrepEnd | 'not-started'> {
  const { host, signal } = context;
  if (signal.aborted) return { ended: 'aborted' };
  const env = processEnvironment(host, 'own', context.roots);
  const process = host.processes.start({ file, args: [...ALWAYS, ...search.args], cwd: search.cwd, env });
  let stopped: 'enough' | 'timeout' | 'aborted' | undefined;
  let ending: Promise<void> | undefined;
  const stop = (reason: 'enough' | 'timeout' | 'aborted') => {
    stopped ??= reason;
    ending ??= process.end(GRACE_MS);
  };
  const onAbort = () => stop('aborted');
  const onEnough = () => stop('enough');
  const cancel = host.clock.after(TIMEOUT_MS, () => stop('timeout'));
  const ended = new AbortController();
  let endless: string | undefined;
  const cancelWalk = host.clock.after(STALLED_MS, () => {
    if (search.walks === undefined) return;
    void findEndlessBelow(host.files, search.walks, ended.signal).then((path) => {
      endless = path;
      if (path !== undefined) stop('enough');
    });
  });
  signal.addEventListener('abort', onAbort, { once: true });
  search.until?.addEventListener('abort', onEnough, { once: true });
  const errors: string[] = [];
  process.stderr.on('data', (chunk: Buffer) => {
    if (errors.join('').length < MAX_ERROR_CHARS) errors.push(chunk.toString('utf8'));
  });
  const splitter = new EntrySplitter(search.separator);
  process.stdout.on('data', (chunk: Buffer) => {
    if (stopped !== undefined) return;
    for (const entry of splitter.add(chunk)) if (!search.take(entry)) return stop('enough');
  });
  const closed = Promise.all([process.stdout, process.stderr].map((stream) => closing(stream)));
  const exit = await process.exit;
  if (exit.error === undefined) await (ending ?? closed);
  cancel();
  cancelWalk();
  ended.abort();
  signal.removeEventListener('abort', onAbort);
  search.until?.removeEventListener('abort', onEnough);
  if (exit.error !== undefined) return 'not-started';
  if (stopped === undefined) for (const entry of splitter.end()) search.take(entry);
  if (endless !== undefined) return { ended: 'failed', reason: explainEndless(endless) };
  if (stopped === 'timeout' || stopped === 'aborted') return { ended: stopped };
  // 1 means "nothing found"; 2 means an error, possibly in only one of many files.
  if (stopped === 'enough' || exit.code === 0 || exit.code === 1) return { ended: 'done' };
  return {
    ended: 'failed',
    reason: errors.join('').slice(0, MAX_ERROR_CHARS).trim() || `ripgrep ended with ${exit.signal ?? exit.code}`,
  };
}

export function explainTimeout(): string {
  return `The search took longer than ${TIMEOUT_MS / 1000} s and was stopped. Narrow it: a smaller folder, a glob, a type.`;
}

class EntrySplitter {
  readonly #separator: string;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(separator: '\n' | '\0') {
    this.#separator = separator;
  }

  add(chunk: Buffer): readonly string[] {
    const entries = (this.#rest + this.#decoder.write(chunk)).split(this.#separator);
    this.#rest = (entries.pop() ?? '').slice(0, MAX_ENTRY_CHARS);
    return entries;
  }

  end(): readonly string[] {
    return this.#rest === '' ? [] : [this.#rest];
  }
}

function closing(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', () => resolve());
    stream.once('end', () => resolve());
    stream.once('error', () => resolve());
  });
}
