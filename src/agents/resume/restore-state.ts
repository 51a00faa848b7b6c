/** From what a transcript says an agent was to what it takes to go on with it: a valid conversation, on disk and in memory. */

import type { Agent } from '../../loop/agent.js';
import { Conversation } from '../../model/conversation.js';
import type { Prefix } from '../../model/prefix.js';
import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';
import { History } from '../../protocol/history.js';
import { type Repair, repairHistory } from '../../session/repair/repair-history.js';
import type { Restored } from '../../session/state/restored.js';
import type { TodoItem } from '../../tools/tool.js';
import type { ResumedState } from '../start/create-agent.js';

export type RestoredState = {
  readonly conversation: Conversation;
  readonly resumed: ResumedState;
  readonly repair: Repair;
};

/** How an open Agent call is settled, from the child's own log. */
export type CloseAgentCall = (callId: string) => FrozenBlock | 'wait' | undefined;

export function restoreState(restored: Restored, prefix: Prefix, settleAgentCall: CloseAgentCall): RestoredState {
  const repair = repairHistory(restored.history, { ...restored, closeAgentCall: settleAgentCall });
  const accepted = restored.accepted ?? 0;
  const sameEpoch = restored.epoch?.prefix === prefix.sha256 && restored.newEpoch === undefined;
  const touched = repair.changedFrom !== undefined && repair.changedFrom < accepted;
  const newEpoch = touched ? 'history-rejected' : (restored.newEpoch ?? (sameEpoch ? undefined : 'tools-changed'));
  const ends = newEpoch === undefined && accepted > 0 ? [{ messages: accepted }] : [];
  return {
    conversation: new Conversation(prefix, History.of(repair.messages).view(), ends),
    repair,
    resumed: {
      end: restored.end,
      newEpoch,
      pending: restored.pending,
      todos: restored.todos as readonly TodoItem[],
      usage: restored.usage,
      lastRequest:
        newEpoch === undefined ? { ...restored.lastRequest, cached: 0 } : { tokens: 0, messages: 0, cached: 0 },
    },
  };
}

/** Puts the repair on record and its results where the next message begins. `waited` gives what a child came to. */
export async function applyRepair(
  agent: Agent,
  repair: Repair,
  waited: (callId: string) => Promise<FrozenBlock>,
): Promise<void> {
  for (const edit of repair.edits) await agent.emit(edit);
  const parts = [];
  for (const settled of repair.closed) {
    switch (settled.kind) {
      case 'recorded':
        parts.push({ seq: settled.seq, blocks: settled.blocks });
        break;
      case 'made':
        parts.push({ seq: await agent.emit(settled.event), blocks: settled.event.blocks });
        break;
      case 'wait': {
        const { call, tool } = settled;
        const block = await waited(call);
        const isError = isErrorResult(block);
        const blocks = [block];
        const event = { kind: 'call-finished', call, tool, isError, effects: true, ms: 0, blocks } as const;
        parts.push({ seq: await agent.emit(event), blocks });
        break;
      }
      default:
        settled satisfies never;
    }
  }
  agent.settledCalls = parts;
}

function isErrorResult(block: FrozenBlock): boolean {
  const result = parseBlock(block);
  return result.type === 'tool_result' && result.is_error === true;
}
