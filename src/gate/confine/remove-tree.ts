/** Removes one of our folders with everything in it. */

import type { Host } from '../../host/host.js';

/** Removes links without following them; what can't be removed stays and is retried at the next start. */
export async function removeTree(host: Host, folder: string): Promise<void> {
  await host.processes.run({ file: 'rm', args: ['-rf', '--', folder], cwd: '/', env: host.env, timeoutMs: 60_000 });
}
