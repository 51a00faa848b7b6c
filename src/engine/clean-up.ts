/**
 * Cleans up after the first reply of a session, when nothing waits for it: old sessions once a day, and each time the
 * leftovers of processes that died: worktrees (WT-9), MCP servers (MC-15), ephemeral sessions (CL-2).
 */

import { join } from 'node:path';
import type { Runtime } from '../agents/runtime.js';
import { coppiceHome, ephemeralSessions, runningServers } from '../config/paths.js';
import { newAbort } from '../host/clock.js';
import { hasWorktrees } from '../host/worktrees/has-worktrees.js';
import { type Listener, MAIN_AGENT } from '../protocol/events.js';
import { plural } from '../protocol/format-numbers.js';
import { cleanUpSessions } from '../session/store/delete-session.js';
import type { Resources } from './resources.js';

const CLEANUP_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a closing session waits for the check of worktrees; then only for the current one. */
const LAST_WAIT_MS = 1_000;

export type CleanUp = {
  /** Sessions unused for this many days are deleted; 0: never. */
  readonly days?: number | undefined;
  readonly repoRoot: string | undefined;
  readonly trusted: boolean;
};

export function scheduleCleanUp(runtime: Runtime, resources: Resources, cleanUp: CleanUp): void {
  const { clock } = runtime.host;
  const watch: Listener = ({ agent, event }) => {
    if (agent !== MAIN_AGENT || event.kind !== 'response-began') return;
    unlisten();
    const closing = newAbort();
    // What can't be deleted now is deleted another day.
    const work = clean(runtime, cleanUp, closing.signal).catch(() => {});
    resources.add('the clean-up', async () => {
      const cancel = clock.after(LAST_WAIT_MS, () => closing.abort());
      await work;
      cancel();
    });
  };
  const unlisten = runtime.listeners.add(watch, ['response-began']);
}

async function clean(runtime: Runtime, cleanUp: CleanUp, signal: AbortSignal): Promise<void> {
  const { days = CLEANUP_DAYS } = cleanUp;
  const isDue = days > 0 && (await isFirstToday(runtime));
  await Promise.allSettled([
    isDue ? cleanUpOld(runtime, days) : undefined,
    cleanUpServers(runtime),
    cleanUpEphemeral(runtime),
    cleanUpWorktrees(runtime, { ...cleanUp, days, namesOld: isDue }, signal),
  ]);
}

async function isFirstToday({ host: { files, clock, env } }: Runtime): Promise<boolean> {
  const marker = join(coppiceHome(env), 'cleaned-up');
  const last = (await files.stat(marker))?.mtimeMs ?? 0;
  if (clock.now() - last < DAY_MS) return false;
  await files.replace(marker, '');
  await files.touch(marker, clock.now());
  return true;
}

async function cleanUpOld(runtime: Runtime, days: number): Promise<void> {
  const home = coppiceHome(runtime.host.env);
  const { deleted } = await cleanUpSessions(runtime.host, home, days, () => runtime.isClosing);
  if (deleted.length === 0) return;
  const count = plural(deleted.length, 'session');
  show(runtime, `Deleted ${count} unused for ${days} days (cleanupPeriodDays)`);
}

/** Loaded only if there ever was a server. */
async function cleanUpServers(runtime: Runtime): Promise<void> {
  const { host } = runtime;
  if ((await host.files.stat(runningServers(coppiceHome(host.env)))) === undefined) return;
  const { endLeftServers } = await import('../tools/mcp/connect/left-servers.js');
  const names = await endLeftServers(host);
  if (names.length > 0) show(runtime, `Stopped MCP servers left by an earlier process: ${names.join(', ')}`);
}

/** Loaded only if there ever was such a session. */
async function cleanUpEphemeral({ host }: Runtime): Promise<void> {
  const home = coppiceHome(host.env);
  if ((await host.files.stat(ephemeralSessions(home))) === undefined) return;
  await (await import('../session/store/ephemeral-sessions.js')).removeLeftEphemeral(host, home);
}

type Sweep = CleanUp & { readonly days: number; readonly namesOld: boolean };

async function cleanUpWorktrees(
  runtime: Runtime,
  { days, repoRoot, trusted, namesOld }: Sweep,
  signal: AbortSignal,
): Promise<void> {
  const { host } = runtime;
  if (repoRoot === undefined || !(await hasWorktrees(host, repoRoot))) return;
  const { cleanWorktrees } = await import('../features/worktrees/clean-worktrees.js');
  const age = days > 0 ? days : Number.POSITIVE_INFINITY;
  const lines = await cleanWorktrees({ host, folder: repoRoot, trusted, days: age, namesOld, signal });
  for (const { level, line } of lines) show(runtime, line, level);
}

function show({ listeners }: Runtime, line: string, level: 'info' | 'warning' = 'info'): void {
  listeners.notify({ agent: MAIN_AGENT, seq: undefined, event: { kind: 'line-shown', level, line } });
}
