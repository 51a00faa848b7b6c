/** Puts questions of the model to the person, in the name of the agent that asks. */

import type { Runtime } from '../../agents/runtime.js';
import type { AskPerson } from '../../tools/ask/ask-user-question.js';

export function createAskPerson(runtime: () => Runtime): AskPerson {
  return async (request, agentId, signal) => {
    const { agents, ports } = runtime();
    const agent = agents.get(agentId);
    return agent === undefined ? { kind: 'nobody' } : ports.gate.askQuestions(request, agent.requester, signal);
  };
}
