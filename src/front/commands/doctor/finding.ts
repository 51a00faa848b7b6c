/** The result of a check of the machine; runs a program for a check. */

import type { Host } from '../../../host/host.js';
import { findOwnProgram } from '../../../host/programs/own-program.js';
import { processEnvironment } from '../../../host/programs/process-environment.js';

export type Finding = {
  readonly check: string;
  /** `note`: nothing is wrong, but something is missing. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly found: string;
};

/** Returns the first line that a program prints; undefined if it is missing or fails. */
export async function firstLine(host: Host, file: string, args: readonly string[]): Promise<string | undefined> {
  const program = file.includes('/') ? file : findOwnProgram(host, file);
  if (program === undefined) return undefined;
  const env = processEnvironment(host, 'own');
  const end = await host.processes.run({ file: program, args, cwd: host.folder, env, timeoutMs: 5_000 });
  return end.code === 0 ? end.stdout.toString('utf8').split('\n')[0]?.trim() : undefined;
}
