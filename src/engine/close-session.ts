/** Closes a session: runs are interrupted and can be resumed, no process is left, all resources are released. */

import type { LiveAgent } from '../agents/live-agent.js';
import type { Runtime } from '../agents/runtime.js';
import { showHooks } from '../gate/hooks/hooks.js';
import { markedSession } from '../host/process-mark.js';
import { MAIN_AGENT } from '../protocol/events.js';
import { reasonOf } from '../protocol/reason-of.js';
import type { Driver } from './driver.js';
import type { Resources } from './resources.js';
import { runningChildren, runningShells } from './wait-until-idle.js';

export type ClosingSession = {
  readonly runtime: Runtime;
  readonly driver: Driver;
  readonly resources: Resources;
  /** The main agent, if it was ever started. */
  readonly main: LiveAgent | undefined;
  /** Running commands. */
  readonly running: ReadonlySet<Promise<unknown>>;
};

/** How long hooks may delay the end of a session. */
const SESSION_END_MS = 5_000;

/** Never rejects. Returns a reason for each step that failed; the lock is released in any case. */
export async function closeSession(session: ClosingSession, reason: string): Promise<readonly string[]> {
  const { runtime, resources } = session;
  const problems: string[] = [];
  for (const step of [() => endWork(session), () => endHooks(session, reason)]) {
    await step().catch((error: unknown) => problems.push(reasonOf(error)));
  }
  problems.push(...(await resources.close()));
  for (const line of problems) {
    runtime.listeners.notify({
      agent: MAIN_AGENT,
      seq: undefined,
      event: { kind: 'line-shown', level: 'error', line },
    });
  }
  return problems;
}

/** Aborts all children, and the checks and hooks after their runs. */
export function abortAll(runtime: Runtime): void {
  for (const agent of runningChildren(runtime)) agent.abort.abort();
  for (const agent of runtime.agents.values()) agent.leaving?.abort();
  runtime.worktrees.leave();
}

async function endWork({ runtime, driver, running }: ClosingSession): Promise<void> {
  driver.interrupt();
  abortAll(runtime);
  await Promise.all(runningShells(runtime).map((task) => task.stop('person')));
  await driver.working;
  await Promise.all([...runtime.agents.values()].map((agent) => agent.done));
  await Promise.all(runtime.finishing);
  await Promise.allSettled(running);
  // In their own way, before all marked processes are ended.
  await runtime.mcp.close();
  // A process that left its group (setsid) is found by its mark.
  await runtime.host.processes.endMarked(markedSession(runtime.layout.file), 'this-process');
}

async function endHooks({ main }: ClosingSession, reason: string): Promise<void> {
  if (main === undefined) return;
  if (main.hooks.has('SessionEnd')) {
    const quick = new AbortController();
    const cancel = main.host.clock.after(SESSION_END_MS, () => quick.abort());
    try {
      await showHooks({ agent: main }, await main.hooks.run('SessionEnd', { reason }, { signal: quick.signal }));
    } finally {
      cancel();
    }
  }
  // Before the lock is released: only the lock of a killed process makes a resume look for what it left running.
  await main.hooks.close();
}
