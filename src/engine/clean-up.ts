/** Old sessions are deleted when nobody waits for anything: after the first reply of a session, once a day, in passing. */

import { join } from 'node:path';
import type { Crew } from '../agents/runtime.js';
import { coppiceHome } from '../config/paths.js';
import { MAIN_AGENT } from '../protocol/events.js';
import { cleanUpSessions } from '../session/store/delete-session.js';
import type { Watcher } from '../session/emit.js';

export const CLEANUP_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

export function scheduleCleanUp(crew: Crew, days: number = CLEANUP_DAYS): void {
  if (!(days > 0)) return;
  const watch: Watcher = ({ agent, event }) => {
    if (agent !== MAIN_AGENT || event.kind !== 'response-began') return;
    crew.watchers.delete(watch);
    // What can't be deleted today is deleted another day.
    void cleanUp(crew, days).catch(() => {});
  };
  crew.watchers.add(watch);
}

async function cleanUp(crew: Crew, days: number): Promise<void> {
  const { files, clock, env } = crew.host;
  const home = coppiceHome(env);
  const marker = join(home, 'cleaned-up');
  const last = (await files.stat(marker))?.mtimeMs ?? 0;
  if (clock.now() - last < DAY_MS) return;
  await files.replace(marker, '');
  await files.touch(marker, clock.now());
  const { deleted } = await cleanUpSessions(crew.host, home, days, () => crew.isClosing);
  if (deleted.length === 0) return;
  const count = deleted.length === 1 ? 'one session' : `${deleted.length} sessions`;
  const line = `deleted ${count} that nobody had touched for ${days} days (cleanupPeriodDays)`;
  const event = { kind: 'line-shown', level: 'info', line } as const;
  for (const watcher of crew.watchers) watcher({ agent: MAIN_AGENT, seq: undefined, event });
}
