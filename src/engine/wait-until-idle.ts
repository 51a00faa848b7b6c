/** Waits until the session is idle: no work of the main agent, no background task. */

import { reportAgain } from '../agents/notices/notice.js';
import type { Runtime } from '../agents/runtime.js';
import { listTasks } from '../agents/tools/list-tasks.js';
import type { RunEnd } from '../loop/run-loop.js';
import type { Driver } from './driver.js';

export type IdleResult = {
  /** Undefined if nothing was running. */
  readonly end: RunEnd | undefined;
  /** Tasks that had to be stopped because the time was up. */
  readonly stopped: readonly string[];
  /** Tasks that have ended but whose notice could not be saved. The next prompt tries again. */
  readonly unreported: readonly string[];
};

export async function waitUntilIdle(runtime: Runtime, driver: Driver, waitMs: number): Promise<IdleResult> {
  const { clock } = runtime.host;
  const until = clock.elapsed() + waitMs;
  const before = driver.lastEnd;
  const outcome = (stopped: readonly string[]): IdleResult => {
    const end = driver.lastEnd;
    const unreported = runtime.unreported.map(({ key }) => key.agent);
    return { end: end === before ? undefined : end, stopped, unreported };
  };
  for (;;) {
    if (driver.working !== undefined) {
      await driver.working;
      continue;
    }
    // A child that is being prepared has no promise yet: check again shortly.
    const agents = runningChildren(runtime).map((agent) => agent.done ?? clock.sleep(1));
    const open = [...agents, ...openShells(runtime).map((task) => task.done), ...runtime.finishing];
    if (open.length === 0) {
      await reportAgain(runtime);
      if (driver.working !== undefined) continue;
      return outcome([]);
    }
    const left = until - clock.elapsed();
    const waited = new AbortController();
    const sleep = left === Number.POSITIVE_INFINITY ? [] : [clock.sleep(Math.max(0, left), waited.signal)];
    await Promise.race([...open, ...sleep]);
    waited.abort();
    if (clock.elapsed() < until) continue;
    const names = [...runningChildren(runtime), ...runningShells(runtime)].map(({ id }) => id);
    await driver.paused(async () => {
      await Promise.all(listTasks(runtime).map((task) => task.stop('budget')));
      await Promise.all(runtime.finishing);
    });
    return outcome(names);
  }
}

export function runningChildren({ agents }: Runtime) {
  return [...agents.values()].filter((agent) => !agent.isMain && agent.isActive);
}

function openShells({ shellTasks }: Runtime) {
  return [...shellTasks.values()].filter((task) => task.isOpen);
}

export function runningShells({ shellTasks }: Runtime) {
  return [...shellTasks.values()].filter((task) => task.status === 'running');
}
