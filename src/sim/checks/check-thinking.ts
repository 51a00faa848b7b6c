/** Checks that thinking is returned unmodified, to the same model, and is not missing from its tool loop. */

import { isObject, type JsonObject, textOf } from '../json-value.js';
import { type ApiTurn, blocksOfType, type LocatedBlock } from '../scenario/api-turns.js';
import { isUnthought } from '../server/reply-ids.js';
import { isRedacted, isSigned } from '../server/signature.js';
import type { CheckOptions } from './check-options.js';
import { firstProblem, invalid, type Problem } from './problem.js';

export function checkThinking(turns: readonly ApiTurn[], body: JsonObject, options: CheckOptions): Problem | undefined {
  const last = turns.findLast((turn) => turn.role === 'assistant');
  const model = textOf(body.model);
  const signatures = () => firstProblem(turns, (turn) => checkSignatures(turn, model, turn === last));
  return (
    (options.signatures === false ? undefined : signatures()) ??
    firstProblem(turns, checkEnd) ??
    checkLoopStart(turns, body, options)
  );
}

function checkSignatures(turn: ApiTurn, model: string, latest: boolean): Problem | undefined {
  return firstProblem(turn.blocks, ({ block, path }) => {
    if (!isThinking(block) || isGenuine(block, model)) return undefined;
    if (latest) {
      return invalid(
        `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      );
    }
    return invalid(
      block.type === 'thinking'
        ? `${path}: Invalid \`signature\` in \`thinking\` block`
        : `${path}: Invalid \`data\` in \`redacted_thinking\` block`,
    );
  });
}

function isThinking(block: JsonObject): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function isGenuine(block: JsonObject, model: string): boolean {
  return block.type === 'thinking'
    ? isSigned(textOf(block.thinking), block.signature, model)
    : isRedacted(textOf(block.data), model);
}

function checkEnd(turn: ApiTurn): Problem | undefined {
  const end = turn.role === 'assistant' ? turn.blocks.at(-1) : undefined;
  return end && isThinking(end.block)
    ? invalid(
        `messages.${end.message}: The final block in an assistant message cannot be \`${textOf(end.block.type)}\`.`,
      )
    : undefined;
}

/** With a thinking budget, the current tool loop must start with its thinking block. */
function checkLoopStart(turns: readonly ApiTurn[], body: JsonObject, options: CheckOptions): Problem | undefined {
  if (!isObject(body.thinking) || body.thinking.type !== 'enabled') return undefined;
  const lastUserText = turns.findLastIndex(
    (turn) => turn.role === 'user' && turn.blocks.some(({ block }) => block.type !== 'tool_result'),
  );
  const start: ApiTurn | undefined = turns[lastUserText + 1];
  const first: LocatedBlock | undefined = start?.blocks[0];
  const calls = blocksOfType(start, 'tool_use');
  if (!first || calls.length === 0 || isThinking(first.block)) return undefined;
  if (calls.every(({ block }) => isUnthought(textOf(block.id)) || options.unthought?.(textOf(block.id)))) {
    return undefined;
  }
  return invalid(
    `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${textOf(first.block.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
  );
}
