/** The result of a check of the machine; runs a program for a check. */

import type { Host } from '../../../host/host.js';

export type Finding = {
  readonly check: string;
  /** `note`: nothing is wrong, but something is missing. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly found: string;
};

/** Returns the first line that a program prints; undefined if it is missing or fails. */
export async function firstLine(host: Host, file: string, args: readonly string[]): Promise<string | undefined> {
  const end = await host.processes.run({ file, args, cwd: host.folder, env: host.env, timeoutMs: 5_000 });
  return end.code === 0 ? end.stdout.toString('utf8').split('\n')[0]?.trim() : undefined;
}
