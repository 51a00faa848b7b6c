/** Waits until no process of a run is left. Ending the outer process ends them all, but slightly later. */

import type { Host } from '../../../host/host.js';

const LONGEST_MS = 3_000;
const POLL_MS = 5;
const MOST_PROCESSES = 1_000_000;

/** True if they are gone. `mark` is part of a mount that only this run's processes have. */
export async function waitUntilGone(host: Host, mark: string): Promise<boolean> {
  const until = host.clock.elapsed() + LONGEST_MS;
  while (anyLives(host, mark)) {
    if (host.clock.elapsed() > until) return false;
    await host.clock.sleep(POLL_MS);
  }
  return true;
}

/** Cheap: most processes are in our own mount namespace, which only a link tells. */
export function anyLives(host: Host, mark: string): boolean {
  const { sync } = host.files;
  const own = sync.readLink('/proc/self/ns/mnt');
  return sync.list('/proc', MOST_PROCESSES).some(({ name }) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return sync.readLink(`/proc/${name}/ns/mnt`) !== own && sync.read(`/proc/${name}/mountinfo`).includes(mark);
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}
