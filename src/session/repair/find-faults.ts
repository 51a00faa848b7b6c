/**
 * Finds what the API would refuse in a history, with the edit that fixes each fault. The API joins neighbouring
 * messages of one role into one turn, so calls and results are paired turn by turn.
 */

import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';
import { checkBlock } from './check-block.js';
import { findPairFaults } from './find-pair-faults.js';
import { groupTurns, type RepairTurn } from './group-turns.js';
import type { CloseCall, HistoryFault, OpenCall } from './history-fault.js';

export type Faults = {
  readonly faults: readonly HistoryFault[];
  /** Calls of the last message that have no result. Valid only when there are no faults. */
  readonly open: readonly OpenCall[];
};

/** Returns only the first kind of fault found: fixing one may reveal or fix another. */
export function findFaults(messages: readonly FrozenMessage[], settle: CloseCall): Faults {
  const broken = findBroken(messages);
  if (broken.length > 0) return { faults: broken, open: [] };
  const turns = groupTurns(messages);
  const early = findEarly(turns);
  if (early.length > 0) return { faults: early, open: [] };
  const pairs = findPairFaults(turns, settle);
  if (pairs.faults.length > 0) return { faults: pairs.faults, open: [] };
  return { faults: findThinkingFaults(turns), open: pairs.open };
}

function findBroken(messages: readonly FrozenMessage[]): HistoryFault[] {
  return messages.flatMap(({ role, blocks }, message) =>
    blocks.flatMap((frozen, block) => {
      const fault = checkBlock(frozen, role);
      if (fault === undefined) return [];
      const instead: FrozenBlock[] = fault.instead === undefined ? [] : [fault.instead];
      return [
        { message, block, blocks: instead, reason: `${fault.reason} ${instead.length > 0 ? 'mended' : 'left out'}` },
      ];
    }),
  );
}

/** A conversation begins with the user. */
function findEarly(turns: readonly RepairTurn[]): HistoryFault[] {
  const first = turns[0];
  return first?.role === 'assistant' ? leaveOut(first, 'a reply to words that are lost, left out') : [];
}

/** A reply of only thinking says nothing; the API refuses one that ends with thinking. */
function findThinkingFaults(turns: readonly RepairTurn[]): HistoryFault[] {
  return turns.flatMap((turn) => {
    if (turn.role !== 'assistant') return [];
    const end = turn.blocks.findLastIndex(({ frozen }) => frozen.takesBreakpoint);
    const trailing = { ...turn, blocks: turn.blocks.slice(end + 1) };
    return leaveOut(
      trailing,
      end < 0 ? 'a reply of nothing but thinking, left out' : 'thinking at the end of a reply, left out',
    );
  });
}

function leaveOut({ blocks }: RepairTurn, reason: string): HistoryFault[] {
  return blocks.map(({ message, block }) => ({ message, block, blocks: [], reason }));
}
