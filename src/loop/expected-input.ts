/** How large the next request will be. */

import { estimateHistory } from '../model/estimate.js';
import type { Agent } from './agent.js';

/** What the next request will have, from what the API counted last time and what has come since. */
export function expectedInput(agent: Agent): number {
  const { tokens, messages } = agent.lastRequest;
  const prefix = messages === 0 ? Math.ceil(agent.conversation.prefix.bytes.length / 3.5) : 0;
  return tokens + prefix + estimateHistory(agent.conversation.history, messages);
}
