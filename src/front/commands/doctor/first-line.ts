/** The first line that a program prints; undefined if it is not there, or fails. */

import type { Host } from '../../../host/host.js';

export async function firstLine(host: Host, file: string, args: readonly string[]): Promise<string | undefined> {
  const end = await host.processes.run({ file, args, cwd: host.folder, env: host.env, timeoutMs: 5_000 });
  return end.code === 0 ? end.stdout.toString('utf8').split('\n')[0]?.trim() : undefined;
}
