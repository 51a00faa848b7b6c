/** Checks that every tool call has exactly one result at the start of the next turn, and every result has its call. */

import { textOf } from '../json-value.js';
import { type ApiTurn, blocksOfType } from '../scenario/api-turns.js';
import { firstProblem, invalid, type Problem } from './problem.js';

export function checkPairs(turns: readonly ApiTurn[]): Problem | undefined {
  return (
    checkUnique(turns) ?? firstProblem(turns, (turn, index) => checkTurn(turn, turns[index - 1], turns[index + 1]))
  );
}

function checkUnique(turns: readonly ApiTurn[]): Problem | undefined {
  const seen = new Set<unknown>();
  return firstProblem(
    turns.flatMap((turn) => blocksOfType(turn, 'tool_use')),
    ({ block, path }) => {
      if (seen.has(block.id)) return invalid(`${path}: \`tool_use\` ids must be unique`);
      seen.add(block.id);
      return undefined;
    },
  );
}

function checkTurn(turn: ApiTurn, previous: ApiTurn | undefined, next: ApiTurn | undefined): Problem | undefined {
  return turn.role === 'user' ? checkResults(turn, previous) : checkAnswered(turn, next);
}

function checkResults(turn: ApiTurn, previous: ApiTurn | undefined): Problem | undefined {
  const calls = new Set(blocksOfType(previous, 'tool_use').map(({ block }) => block.id));
  const answered = new Set<unknown>();
  return firstProblem(blocksOfType(turn, 'tool_result'), ({ block, path }) => {
    const id = textOf(block.tool_use_id);
    if (!calls.has(id)) {
      return invalid(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (answered.has(id)) {
      return invalid(
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    answered.add(id);
    return undefined;
  });
}

function checkAnswered(turn: ApiTurn, next: ApiTurn | undefined): Problem | undefined {
  const calls = blocksOfType(turn, 'tool_use');
  const answered = new Set(leadingResults(next));
  const open = calls.filter(({ block }) => !answered.has(block.id));
  const last = open.at(-1);
  if (!last) return undefined;
  const ids = open.map(({ block }) => textOf(block.id)).join(', ');
  return invalid(
    `messages.${last.message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

/** Only results before any other content of the turn are valid. */
function leadingResults(turn: ApiTurn | undefined): readonly unknown[] {
  const blocks = turn?.blocks ?? [];
  const end = blocks.findIndex(({ block }) => block.type !== 'tool_result');
  return (end < 0 ? blocks : blocks.slice(0, end)).map(({ block }) => block.tool_use_id);
}
