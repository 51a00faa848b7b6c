/** One at a time brings an agent back, or writes to its transcript. */

import type { Runtime } from '../runtime.js';

/**
 * Whoever brings an agent back has it alone: a transcript has one writer. Notices for it wait until it is at work again, or
 * can't be. Undefined: somebody brings it back already, or it is at work. `bringBack` must not reject.
 */
export function claimResume<T>(runtime: Runtime, agent: string, bringBack: () => Promise<T>): Promise<T> | undefined {
  if (runtime.returning.has(agent) || runtime.agents.has(agent)) return undefined;
  const work = bringBack();
  runtime.returning.set(agent, work);
  void work.then(() => runtime.returning.delete(agent));
  return work;
}
