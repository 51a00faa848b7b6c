/** Puts a user message together from results and admitted input, in order, and appends it to the conversation. */

import type { FrozenBlock } from '../protocol/frozen-block.js';
import type { Agent } from './agent.js';

/** Blocks that are on disk already, under the record `seq`. */
export type Part = { readonly seq: number; readonly blocks: readonly FrozenBlock[] };

export async function joinMessage(agent: Agent, parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return;
  await agent.emit({ kind: 'message-joined', from: parts.map((part) => part.seq) });
  agent.conversation.append({ role: 'user', blocks: parts.flatMap((part) => part.blocks) });
}
