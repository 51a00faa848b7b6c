/** What the tests of make-failures.test.ts share with those of test:long. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Host } from '../../../../src/host/host.js';
import type { FinishedProcess, ProcessCommand } from '../../../../src/host/processes.js';
import { filesIn, makeRepository, type Repository, traces } from './make-repository.js';

/** All there is to make: changes, sparse paths, a link, a copy. */
export async function wholeRepository(): Promise<Repository> {
  const repository = await makeRepository({
    'a.txt': 'one\n',
    'b/c.txt': 'two\n',
    '.gitignore': '.env\nlib/\n',
    '.worktreeinclude': '.env\n',
  });
  await repository.write({ '.env': 'KEY=1\n', 'lib/x.txt': 'x\n', 'b/new.txt': 'new\n' });
  // These stay when it fails: they belong to no worktree.
  await writeFile(join(repository.top, '.git/info/exclude'), '/.claude/worktrees/\n/lib\n');
  return repository;
}

export const WHOLE = { includeDirty: true, sparsePaths: ['b'], symlinkDirectories: ['lib'] };

export type Run = (command: ProcessCommand) => Promise<FinishedProcess>;

/** The subcommand of git: the first argument that is not an option. */
export function wordOf({ args }: ProcessCommand): string {
  return args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c') ?? '';
}

/** A machine where something happens instead of, or around, the first git command of a kind. */
export function withGit(
  host: Host,
  word: string,
  around: (run: Run, command: ProcessCommand) => Promise<FinishedProcess>,
): Host {
  let isOver = false;
  const run: Host['processes']['run'] = (command) => {
    if (isOver || !command.file.endsWith('/git') || wordOf(command) !== word) return host.processes.run(command);
    isOver = true;
    return around(host.processes.run, command);
  };
  return { ...host, processes: { ...host.processes, run } };
}

export const FAILED: FinishedProcess = {
  code: 128,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: Buffer.from('fatal: made up\n'),
  stdoutBytes: 0,
  stderrBytes: 15,
  timedOut: false,
  aborted: false,
};

export const MAKING = ['update-ref', 'worktree', 'sparse-checkout', 'read-tree'];

/** Fails with a reason, and everything is as it was. */
export async function fails(repository: Repository, host: Host, signal?: AbortSignal): Promise<string> {
  const before = await traces(repository);
  const files = await filesIn(repository.top);
  const made = await repository.make({ ...WHOLE, ...(signal === undefined ? {} : { signal }) }, { host });
  if (made.ok) throw new Error('it was made');
  expect(await traces(repository)).toEqual(before);
  expect(await filesIn(repository.top)).toEqual(files);
  return made.reason;
}
