/**
 * Gives every call of the last reply that has no result one, so that the conversation can go on: after a result could
 * not be saved, say. The bytes before stay as they were, and the model learns that something may have happened.
 */

import { text } from '../protocol/blocks.js';
import { freezeBlock, parseBlock } from '../protocol/frozen-block.js';
import type { Agent } from './agent.js';
import type { Part } from './part.js';

export async function closeOpenCalls(agent: Agent): Promise<readonly Part[]> {
  if (agent.settledCalls.length > 0) {
    const settled = agent.settledCalls;
    agent.settledCalls = [];
    return settled;
  }
  const { history } = agent.conversation;
  const last = history.at(history.length - 1);
  if (last?.role !== 'assistant' || agent.inbox.closesCalls) return [];
  const parts: Part[] = [];
  for (const frozen of last.blocks) {
    const use = frozen.type === 'tool_use' ? parseBlock(frozen) : undefined;
    if (use?.type !== 'tool_use') continue;
    const block = freezeBlock({
      type: 'tool_result',
      tool_use_id: use.id,
      content: [text('Interrupted: whether it ran, and what it did, is unknown. Look before you do it again.')],
      is_error: true,
    });
    const result = { call: use.id, tool: use.name, isError: true, effects: true, ms: 0, blocks: [block] };
    parts.push({ seq: await agent.emit({ kind: 'call-finished', ...result }), blocks: [block] });
  }
  return parts;
}
