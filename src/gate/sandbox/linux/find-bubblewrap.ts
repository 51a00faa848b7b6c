/** Finds bubblewrap on this machine. */

import type { Host } from '../../../host/host.js';
import { ownPrograms } from '../../../host/programs/own-program.js';
import { processEnvironment } from '../../../host/programs/process-environment.js';

export type Bubblewrap = {
  readonly file: string;
  readonly version: string;
  /** It can forbid user namespaces inside (0.8). */
  readonly disablesNesting: boolean;
  /** It can limit the size of a temporary file system (0.7). */
  readonly limitsSize: boolean;
};

export async function findBubblewrap(host: Host, roots: readonly string[]): Promise<Bubblewrap | undefined> {
  for (const file of ownPrograms(host, 'bwrap', roots)) {
    const env = processEnvironment(host, 'own', roots);
    const run = { file, args: ['--version'], cwd: '/', env, timeoutMs: 5_000 };
    const { stdout, code } = await host.processes.run(run);
    const version = /\d+\.\d+(?:\.\d+)?/.exec(stdout.toString('utf8'))?.[0];
    if (code !== 0 || version === undefined) continue;
    return { file, version, disablesNesting: isAtLeast(version, 0, 8), limitsSize: isAtLeast(version, 0, 7) };
  }
  return undefined;
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number);
  return first > major || (first === major && second >= minor);
}
