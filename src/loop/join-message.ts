/** Puts a user message together from results and admitted input, in order, and appends it to the conversation. */

import type { Agent } from './agent.js';
import type { Part } from './part.js';

export async function joinMessage(agent: Agent, parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return;
  await agent.emit({ kind: 'message-joined', from: parts.map((part) => part.seq) });
  agent.conversation.append({ role: 'user', blocks: parts.flatMap((part) => part.blocks) });
}
