/** Finds the task that the person means. */

import type { Session } from '../../sdk/session.js';

/** By id, by name, or by the beginning of an id that only one has. What is not found is left as it is. */
export function findTask(session: Session, wanted: string): string {
  const agents = session.snapshot().filter(({ parent }) => parent !== undefined);
  const ids = [...new Set([...agents.map(({ id }) => id), ...session.tasks().map(({ id }) => id)])];
  if (ids.includes(wanted)) return wanted;
  const named = agents.findLast(({ name }) => name === wanted);
  const begun = ids.filter((id) => id.startsWith(wanted));
  return named?.id ?? (begun.length === 1 ? (begun[0] ?? wanted) : wanted);
}
