/** The chain of an agent, from the view: the line of its parents. */

import { childChain, rootChain } from '../../agents/start/chain.js';
import type { SessionView } from './session-view.js';

export function agentChain(view: Pick<SessionView, 'agents'>, agent: string, session: string): string {
  const parent = view.agents.get(agent)?.parent;
  return parent === undefined ? rootChain(session) : childChain(agentChain(view, parent, session), agent);
}
