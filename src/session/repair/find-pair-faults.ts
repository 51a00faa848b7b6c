/** Finds faults in the pairing of calls and results: calls without results, results without calls, repeated ids. */

import { text } from '../../protocol/blocks.js';
import { type FrozenBlock, freezeBlock, toolIdOf, toolNameOf, withToolId } from '../../protocol/frozen-block.js';
import type { LocatedBlock, RepairTurn } from './group-turns.js';
import type { CloseCall, ClosedCall, HistoryFault, OpenCall } from './history-fault.js';

type Pair = {
  readonly call: LocatedBlock;
  readonly id: string;
  readonly result: LocatedBlock | undefined;
  /** Its result, if it comes after another block, where the API does not accept it. */
  readonly misplaced: LocatedBlock | undefined;
};

export function findPairFaults(
  turns: readonly RepairTurn[],
  settle: CloseCall,
): { faults: HistoryFault[]; open: OpenCall[] } {
  const faults: HistoryFault[] = [];
  const used = new Set<string>();
  let open: OpenCall[] = [];
  const lastReply = turns.findLastIndex((turn) => turn.role === 'assistant');
  turns.forEach((turn, index) => {
    if (turn.role === 'user') {
      if (index === 0) faults.push(...resultsIn(turn).map((result) => leaveOut(result, 'a result without a call')));
      return;
    }
    const answer = turns[index + 1];
    const { pairs, strays } = matchPairs(turn, answer);
    const doubles = findDoubles(pairs, used);
    faults.push(...strays.map((stray) => leaveOut(stray, 'a result without a call')), ...doubles);
    const unanswered = pairs.filter((pair) => pair.result === undefined);
    if (answer === undefined && index === lastReply) {
      open = unanswered.map(({ call, id }) => ({ id, tool: toolNameOf(call.frozen) }));
      return;
    }
    // Removals first, in their own round: an insertion needs a position that stays valid.
    if (strays.length + doubles.length > 0) return;
    const lost = unanswered.filter((pair) => pair.misplaced === undefined && index !== lastReply);
    faults.push(...lost.map(({ call }) => leaveOut(call, 'a call without a result')));
    const missing = unanswered.filter((pair) => !lost.includes(pair));
    if (answer !== undefined && missing.length > 0) faults.push(...insertResults(pairs, missing, answer, settle));
  });
  return { faults, open };
}

/** A call's result is the first one with its id, provided that only results come before it. */
function matchPairs(turn: RepairTurn, answer: RepairTurn | undefined): { pairs: Pair[]; strays: LocatedBlock[] } {
  const leading = answer === undefined ? [] : leadingResults(answer);
  const others = answer === undefined ? [] : resultsIn(answer).slice(leading.length);
  const free = new Set([...leading, ...others]);
  const take = (results: readonly LocatedBlock[], id: string) => {
    const found = results.find((one) => free.has(one) && toolIdOf(one.frozen) === id);
    if (found !== undefined) free.delete(found);
    return found;
  };
  const pairs = turn.blocks.flatMap((call): Pair[] => {
    const id = call.frozen.type === 'tool_use' ? toolIdOf(call.frozen) : undefined;
    if (id === undefined) return [];
    const result = take(leading, id);
    return [{ call, id, result, misplaced: result === undefined ? take(others, id) : undefined }];
  });
  return { pairs, strays: [...free] };
}

/** Renames a repeated id, also in its result. An identical call repeated within one turn is left out. */
function findDoubles(pairs: readonly Pair[], used: Set<string>): HistoryFault[] {
  const faults: HistoryFault[] = [];
  const here = new Map<string, FrozenBlock>();
  for (const { call, id, result } of pairs) {
    const same = here.get(id);
    if (same !== undefined && result === undefined && Buffer.compare(same.bytes, call.frozen.bytes) === 0) {
      faults.push(leaveOut(call, `the call ${id} a second time`));
      continue;
    }
    here.set(id, call.frozen);
    if (!used.has(id)) {
      used.add(id);
      continue;
    }
    const fresh = freeId(id, used);
    used.add(fresh);
    for (const located of result === undefined ? [call] : [call, result]) {
      const { message, block, frozen } = located;
      const reason = `the id ${id} was there before: now ${fresh}`;
      faults.push({ message, block, blocks: [withToolId(frozen, fresh)], reason, renamed: { from: id, to: fresh } });
    }
  }
  return faults;
}

/** Inserts results that are missing or misplaced after the results that are in order. */
function insertResults(
  pairs: readonly Pair[],
  missing: readonly Pair[],
  answer: RepairTurn,
  settle: CloseCall,
): HistoryFault[] {
  const results = missing.map(({ call, id, misplaced }) =>
    misplaced === undefined ? resultBlock(settle({ id, tool: toolNameOf(call.frozen) })) : misplaced.frozen,
  );
  const moved = missing.flatMap(({ misplaced }) => misplaced ?? []);
  const lastGood = pairs.findLast((pair) => pair.result !== undefined)?.result;
  const anchor = lastGood ?? answer.blocks[0];
  if (anchor === undefined) throw new Error('a turn without blocks');
  const blocks = lastGood === undefined ? [...results, anchor.frozen] : [anchor.frozen, ...results];
  const reason =
    moved.length > 0 ? 'a result in the wrong place, moved' : 'a call of the last reply without a result, added';
  return [
    { message: anchor.message, block: anchor.block, blocks, reason },
    ...moved.map(({ message, block }) => ({ message, block, blocks: [], reason })),
  ];
}

function resultBlock(settled: ClosedCall): FrozenBlock {
  const [block] = settled.kind === 'recorded' ? settled.blocks : settled.kind === 'made' ? settled.event.blocks : [];
  // The conversation continued without the child, so its result can only arrive as a notice.
  const notice = 'The agent is still at work; its result will reach you as a notice.';
  return block ?? freezeBlock({ type: 'tool_result', tool_use_id: settled.call, content: [text(notice)] });
}

function leadingResults(turn: RepairTurn): readonly LocatedBlock[] {
  const end = turn.blocks.findIndex(({ frozen }) => frozen.type !== 'tool_result');
  return end < 0 ? turn.blocks : turn.blocks.slice(0, end);
}

function resultsIn(turn: RepairTurn): readonly LocatedBlock[] {
  return turn.blocks.filter(({ frozen }) => frozen.type === 'tool_result');
}

function leaveOut({ message, block }: LocatedBlock, reason: string): HistoryFault {
  return { message, block, blocks: [], reason: `${reason}, left out` };
}

function freeId(id: string, used: ReadonlySet<string>): string {
  let free = `${id}_2`;
  for (let n = 3; used.has(free); n += 1) free = `${id}_${n}`;
  return free;
}
