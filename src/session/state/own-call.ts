/** The history of a fork that does not see its siblings: of its parent's last reply, only its own call remains. */

import { type FrozenBlock, type FrozenMessage, toolIdOf } from '../../protocol/frozen-block.js';
import { History, type HistoryView } from '../../protocol/history.js';

/** The messages before the reply, then the reply's blocks before its calls, and this call. Blocks keep their bytes. */
export function withOwnCall(before: HistoryView, reply: FrozenMessage, call: FrozenBlock): HistoryView {
  const first = reply.blocks.findIndex((block) => block.type === 'tool_use');
  const history = new History(before);
  history.append({ role: reply.role, blocks: [...reply.blocks.slice(0, first), call] });
  return history.view();
}

export function findCall({ blocks }: FrozenMessage, id: string): FrozenBlock | undefined {
  return blocks.find((block) => block.type === 'tool_use' && toolIdOf(block) === id);
}
