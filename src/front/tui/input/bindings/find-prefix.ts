/** Which key the terminal multiplexer around us keeps for itself. */

import type { Host } from '../../../../host/host.js';

const LIMIT_MS = 1000;

/** In tmux's own words (`C-b`), for `Keymap`. Undefined: there is none, or it doesn't say. */
export async function findPrefix(host: Pick<Host, 'env' | 'folder' | 'processes'>): Promise<string | undefined> {
  if (!host.env.TMUX) return host.env.STY ? 'C-a' : undefined;
  const args = ['show-options', '-gv', 'prefix'];
  const run = await host.processes.run({ file: 'tmux', args, cwd: host.folder, env: host.env, timeoutMs: LIMIT_MS });
  const word = run.stdout.toString('utf8').trim();
  return run.code === 0 && word !== '' ? word : undefined;
}
