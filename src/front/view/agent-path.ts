/** The path of an agent through its parents, from the view. */

import { childPath, rootPath } from '../../agents/start/agent-path.js';
import type { SessionView } from './session-view.js';

export function pathOfAgent(view: Pick<SessionView, 'agents'>, agent: string, session: string): string {
  const parent = view.agents.get(agent)?.parent;
  return parent === undefined ? rootPath(session) : childPath(pathOfAgent(view, parent, session), agent);
}
