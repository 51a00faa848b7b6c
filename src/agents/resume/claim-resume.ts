/** Ensures that only one caller at a time resumes an agent or writes to its transcript. */

import type { Runtime } from '../runtime.js';

/**
 * Claims an agent for resuming, since a transcript has a single writer. Notices for it wait until it is running again
 * or can't be resumed. Returns undefined if it is already being resumed, or running. `bringBack` must not reject.
 */
export function claimResume<T>(runtime: Runtime, agent: string, bringBack: () => Promise<T>): Promise<T> | undefined {
  if (runtime.returning.has(agent) || runtime.agents.has(agent)) return undefined;
  const work = bringBack();
  runtime.returning.set(agent, work);
  void work.then(() => runtime.returning.delete(agent));
  return work;
}
