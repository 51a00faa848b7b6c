/**
 * The chain of an agent: an id of its tree, then the line of agents down to it. Its first part is the same for all agents
 * of a session, the whole is new for each. It goes with every request, event and hook, so that they can be put together.
 */

/** Of the main agent. */
export function rootPath(session: string): string {
  return /-([0-9a-f]{12})$/.exec(session)?.[1] ?? session;
}

export function childPath(parent: string, agent: string): string {
  return `${parent}/${agent}`;
}
