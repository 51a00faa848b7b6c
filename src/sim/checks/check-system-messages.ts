/** Checks messages of the role `system`: supported by the model, and in an allowed position. */

import type { ModelFacts } from '../cache/model-facts.js';
import { isObject, type JsonObject } from '../json-value.js';
import { contentBlocks, SYSTEM } from '../scenario/api-turns.js';
import { firstProblem, invalid, type Problem } from './problem.js';

export function checkSystemMessages(messages: readonly unknown[], facts: ModelFacts): Problem | undefined {
  return firstProblem(messages, (message, index) => {
    if (!isObject(message) || message.role !== SYSTEM) return undefined;
    if (!facts.systemMessages) return invalid(`messages.${index}: role 'system' is not supported on this model`);
    return isDirective(message) ? undefined : checkPlace(messages, index);
  });
}

/** Without text it may be in any position. */
function isDirective({ content, output_config }: JsonObject): boolean {
  return Array.isArray(content) && content.length === 0 && output_config !== undefined;
}

const ANYWHERE = 'the directive-only form (content: [] with output_config) is accepted at any position';

/** Adjacent system messages are treated as one: only the messages around them matter. */
function checkPlace(messages: readonly unknown[], index: number): Problem | undefined {
  const before = messages.slice(0, index).findLast(isSpoken);
  const after = messages.slice(index + 1).find(isSpoken);
  if (!isObject(before) || (before.role !== 'user' && !endsWithServerResult(before))) {
    return invalid(
      `messages.${index}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; ${ANYWHERE}`,
    );
  }
  if (isObject(after) && after.role !== 'assistant') {
    return invalid(
      `messages.${index}: role 'system' must precede an 'assistant' message or end the array; ${ANYWHERE}`,
    );
  }
  return undefined;
}

function isSpoken(message: unknown): boolean {
  return isObject(message) && message.role !== SYSTEM;
}

function endsWithServerResult({ content }: JsonObject): boolean {
  const last = contentBlocks(content).at(-1);
  return last !== undefined && /^\w+_tool_result$/.test(String(last.type));
}
