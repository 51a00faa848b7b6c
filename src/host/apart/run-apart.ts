/**
 * Runs work on hostile input in a thread of its own, with a deadline and a limit of memory: a library may take minutes
 * for a page that was made for it, and the session must go on meanwhile.
 */

import { Worker } from 'node:worker_threads';
import { reasonOf } from '../../protocol/reason-of.js';

/**
 * Is sent to the thread as text, so it refers to nothing outside itself: no imports, no other functions, no `import()`.
 * `load` is `require` for the packages of the program.
 */
export type Job<Input, Output> = (input: Input, load: (name: string) => unknown) => Output | Promise<Output>;

export type ApartOptions = { readonly deadlineMs: number; readonly signal?: AbortSignal };

export type ApartResult<Output> =
  | { readonly kind: 'done'; readonly value: Output }
  /** The job threw, or it took too much memory. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'too-slow' }
  | { readonly kind: 'aborted' };

const MOST_MEMORY_MB = 512;

export function runApart<Input, Output>(
  job: Job<Input, Output>,
  input: Input,
  { deadlineMs, signal }: ApartOptions,
): Promise<ApartResult<Output>> {
  if (signal?.aborted) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    const worker = new Worker(threadCode(job), {
      eval: true,
      workerData: { input, base: import.meta.url },
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
      env: {},
      execArgv: [],
      // What a library prints is not for the terminal.
      stdout: true,
      stderr: true,
    });
    const end = (result: ApartResult<Output>): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      void worker.terminate();
      resolve(result);
    };
    const abort = (): void => end({ kind: 'aborted' });
    const timer = setTimeout(() => end({ kind: 'too-slow' }), deadlineMs);
    signal?.addEventListener('abort', abort);
    worker.once('message', end);
    worker.once('error', (error) => end({ kind: 'failed', reason: reasonOf(error) }));
    worker.once('exit', () => end({ kind: 'failed', reason: 'it ended without a result' }));
  });
}

/** The packages are those of the program, never those of the folder it runs in. */
function threadCode(job: (...args: never[]) => unknown): string {
  return `const { parentPort, workerData } = require('node:worker_threads');
const load = require('node:module').createRequire(workerData.base);
(async () => (${job.toString()})(workerData.input, load))().then(
  (value) => parentPort.postMessage({ kind: 'done', value }),
  (error) => parentPort.postMessage({ kind: 'failed', reason: String(error?.message ?? error) }),
);`;
}
