/** Puts an agent on another model. A new epoch: the cache belongs to a model, and so does signed thinking. */

import { type Agent, NO_REQUEST } from '../loop/agent.js';
import { Conversation } from '../model/conversation.js';
import { modelData } from '../model/models.js';
import { type PrefixWish, prefixFor, replyLimit } from './start/create-agent.js';
import type { Crew } from './runtime.js';

export async function switchModel(
  crew: Crew,
  agent: Agent,
  wish: Omit<PrefixWish, 'tools' | 'maxTokens'>,
): Promise<void> {
  if (agent.model.id === wish.model) return;
  const maxTokens = replyLimit(crew, wish.model, agent.budget);
  const conversation = new Conversation(prefixFor(crew, { ...wish, maxTokens, tools: agent.tools }));
  await agent.emit({ kind: 'history-mended', reason: `switched to ${wish.model}`, message: -1, block: -1, blocks: [] });
  for (const message of agent.conversation.history) {
    const blocks = message.blocks.filter((block) => block.markable);
    if (blocks.length > 0) conversation.append({ ...message, blocks });
  }
  agent.conversation = conversation;
  agent.model = modelData(wish.model, crew.models);
  agent.maxTokens = maxTokens;
  agent.newEpoch = 'model-switch';
  agent.reference = undefined;
  agent.lastRequest = NO_REQUEST;
}
