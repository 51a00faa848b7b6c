/**
 * The path of an agent: the id of its tree, then its ancestors down to itself. The first part is the same for all
 * agents of a session; the whole is unique. Every request, event and hook carries it, so that they can be correlated.
 */

/** The path of the main agent. */
export function rootPath(session: string): string {
  return /-([0-9a-f]{12})$/.exec(session)?.[1] ?? session;
}

export function childPath(parent: string, agent: string): string {
  return `${parent}/${agent}`;
}
