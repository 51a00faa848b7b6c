/** Puts what a server asks to the person, in the name of the agent that uses it. */

import type { Runtime } from '../../agents/runtime.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import type { Elicit } from '../../tools/mcp/connect/connection.js';

/** `runtime`: there once the session is; a server may ask before. */
export function createElicit(runtime: () => Runtime): Elicit {
  return async (request, agentId, signal) => {
    const { agents, ports } = runtime();
    const agent = agents.get(agentId ?? MAIN_AGENT) ?? agents.get(MAIN_AGENT);
    return agent === undefined ? { action: 'decline' } : ports.gate.elicit(request, agent.requester, signal);
  };
}
