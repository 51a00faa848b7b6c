/** Groups messages into turns as the API does: neighbouring messages of one role are one turn. */

import type { Role } from '../../protocol/blocks.js';
import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';

export type LocatedBlock = { readonly message: number; readonly block: number; readonly frozen: FrozenBlock };

export type RepairTurn = { readonly role: Role; readonly blocks: readonly LocatedBlock[] };

export function groupTurns(messages: readonly FrozenMessage[]): RepairTurn[] {
  const turns: { role: Role; blocks: LocatedBlock[] }[] = [];
  messages.forEach(({ role, blocks }, message) => {
    const located = blocks.map((frozen, block) => ({ message, block, frozen }));
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...located);
    else turns.push({ role, blocks: located });
  });
  return turns;
}
