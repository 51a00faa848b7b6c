/** Deletes old sessions once a day, after the first reply of a session, when nothing waits for it. */

import { join } from 'node:path';
import type { Runtime } from '../agents/runtime.js';
import { coppiceHome } from '../config/paths.js';
import { type Listener, MAIN_AGENT } from '../protocol/events.js';
import { cleanUpSessions } from '../session/store/delete-session.js';
import type { Resources } from './resources.js';

const CLEANUP_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A session that closes waits only for the file that is being checked. */
export function scheduleCleanUp(runtime: Runtime, resources: Resources, days: number = CLEANUP_DAYS): void {
  if (!(days > 0)) return;
  const watch: Listener = ({ agent, event }) => {
    if (agent !== MAIN_AGENT || event.kind !== 'response-began') return;
    unlisten();
    // What can't be deleted now is deleted another day.
    const work = cleanUp(runtime, days).catch(() => {});
    resources.add('the clean-up', () => work);
  };
  const unlisten = runtime.listeners.add(watch, ['response-began']);
}

async function cleanUp(runtime: Runtime, days: number): Promise<void> {
  const { files, clock, env } = runtime.host;
  const home = coppiceHome(env);
  const marker = join(home, 'cleaned-up');
  const last = (await files.stat(marker))?.mtimeMs ?? 0;
  if (clock.now() - last < DAY_MS) return;
  await files.replace(marker, '');
  await files.touch(marker, clock.now());
  const { deleted } = await cleanUpSessions(runtime.host, home, days, () => runtime.isClosing);
  if (deleted.length === 0) return;
  const count = deleted.length === 1 ? 'one session' : `${deleted.length} sessions`;
  const line = `deleted ${count} that nobody had touched for ${days} days (cleanupPeriodDays)`;
  const event = { kind: 'line-shown', level: 'info', line } as const;
  runtime.listeners.tell({ agent: MAIN_AGENT, seq: undefined, event });
}
