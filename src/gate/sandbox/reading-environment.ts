/** The environment of a command that only reads, where it is not confined: nothing of the project or of a pager runs. */

import { safeGitEnvironment } from '../../host/git/git-environment.js';
import type { Environment, Host } from '../../host/host.js';
import type { ProcessCommand } from '../../host/processes.js';
import { findOwnProgram } from '../../host/programs/own-program.js';
import { processEnvironment } from '../../host/programs/process-environment.js';

/** `git diff` writes the index it has refreshed; `refreshIndex` does that before, where it may be done at all. */
const NO_REFRESH = [['diff.autoRefreshIndex', 'false']] as const;

export type ReadingPlace = {
  /** The folders the agent works in: no program is taken from there. */
  readonly roots: readonly string[];
  /** The person trusts the repository. */
  readonly trusted: boolean;
};

export function readingEnvironment(host: Host, env: Environment, { roots, trusted }: ReadingPlace): Environment {
  const own = processEnvironment({ ...host, env }, 'own', roots);
  return { ...safeGitEnvironment(own, NO_REFRESH, { trusted }), PAGER: 'cat', LESSSECURE: '1' };
}

/**
 * Refreshes the index of the repository there, with its programs off, so that a git that must not write it finds it
 * fresh. Only for a trusted repository; what fails is left to the command itself.
 */
export async function refreshIndex(host: Host, command: ProcessCommand, roots: readonly string[]): Promise<void> {
  await host.processes.run({
    file: findOwnProgram(host, 'git', roots) ?? '/usr/bin/git',
    args: ['update-index', '-q', '--refresh'],
    cwd: command.cwd,
    env: command.env,
    timeoutMs: REFRESH_MS,
    maxBytes: 0,
  });
}

const REFRESH_MS = 5_000;
