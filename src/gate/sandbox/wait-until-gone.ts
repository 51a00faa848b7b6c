/** Waits until no process of a run is left. Ending the outer process ends them all, but slightly later. */

import type { Host } from '../../host/host.js';

const LONGEST_MS = 3_000;
const POLL_MS = 5;

/** True if they are gone. `mark` is part of a mount that only this run's processes have. */
export async function waitUntilGone(host: Host, mark: string): Promise<boolean> {
  const until = host.clock.elapsed() + LONGEST_MS;
  while (await anyLives(host, mark)) {
    if (host.clock.elapsed() > until) return false;
    await host.clock.sleep(POLL_MS);
  }
  return true;
}

async function anyLives(host: Host, mark: string): Promise<boolean> {
  for (const { name } of await host.files.list('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const mounts = await host.files.read(`/proc/${name}/mountinfo`).catch(() => undefined);
    if (mounts?.includes(mark)) return true;
  }
  return false;
}
