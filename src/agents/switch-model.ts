/** Puts an agent on another model. A new epoch: the cache belongs to a model, and so does signed thinking. */

import { type Agent, NO_REQUEST } from '../loop/agent.js';
import { Conversation } from '../model/conversation.js';
import { modelData } from '../model/models.js';
import type { Runtime } from './runtime.js';
import { type PrefixRequest, prefixFor, replyLimit } from './start/create-agent.js';

export async function switchModel(
  runtime: Runtime,
  agent: Agent,
  request: Omit<PrefixRequest, 'tools' | 'maxTokens'>,
): Promise<void> {
  if (agent.model.id === request.model) return;
  const maxTokens = replyLimit(runtime, request.model, agent.budget);
  const conversation = new Conversation(prefixFor(runtime, { ...request, maxTokens, tools: agent.tools }));
  await agent.emit({
    kind: 'history-mended',
    reason: `switched to ${request.model}`,
    message: -1,
    block: -1,
    blocks: [],
  });
  for (const message of agent.conversation.history) {
    const blocks = message.blocks.filter((block) => block.takesBreakpoint);
    if (blocks.length > 0) conversation.append({ ...message, blocks });
  }
  agent.conversation = conversation;
  agent.model = modelData(request.model, runtime.models);
  agent.maxTokens = maxTokens;
  agent.newEpoch = 'model-switch';
  agent.reference = undefined;
  agent.lastRequest = NO_REQUEST;
}
