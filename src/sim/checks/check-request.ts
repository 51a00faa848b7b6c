/**
 * Checks whether the Messages API would accept a request. Returns the first problem, in the API's format.
 * Pure: the simulated model checks every request with it; tests use it as an invariant on what an agent sends.
 */

import { factsFor } from '../cache/model-facts.js';
import { countTokens } from '../cache/prompt-blocks.js';
import { arrayOf, isObject, type JsonObject, textOf } from '../json-value.js';
import { type ApiTurn, spokenTurns } from '../scenario/api-turns.js';
import { checkBlocks } from './check-blocks.js';
import { checkMarkers } from './check-markers.js';
import type { CheckOptions } from './check-options.js';
import { checkBetas, checkOutput } from './check-output.js';
import { checkPairs } from './check-pairs.js';
import { checkParameters } from './check-parameters.js';
import { checkSearchPairs } from './check-search.js';
import { checkSystemMessages } from './check-system-messages.js';
import { checkThinking } from './check-thinking.js';
import { checkTools } from './check-tools.js';
import { firstProblem, invalid, type Problem, promptTooLong } from './problem.js';

export function checkRequest(body: unknown, options: CheckOptions = {}): Problem | undefined {
  if (!isObject(body)) return invalid('Input should be a valid dictionary or object to extract fields from');
  const facts = factsFor(textOf(body.model), options.models);
  return (
    checkStrings(body) ??
    checkBetas(options.betas ?? []) ??
    checkParameters(body, facts, options.counting ?? false) ??
    checkOutput(body, options.betas) ??
    checkTools(body) ??
    checkRoles(body) ??
    checkSystemMessages(arrayOf(body.messages), facts) ??
    checkMarkers(body) ??
    checkBlocks(body) ??
    checkConversation(spokenTurns(body.messages), body, options) ??
    (options.window === false ? undefined : checkWindow(body, facts))
  );
}

function checkConversation(turns: readonly ApiTurn[], body: JsonObject, options: CheckOptions): Problem | undefined {
  return (
    checkPairs(turns) ??
    checkSearchPairs(turns) ??
    checkThinking(turns, body, options) ??
    checkLastTurn(turns, body, options)
  );
}

/** JSON allows lone surrogates; the API's parser does not. */
function checkStrings(value: unknown): Problem | undefined {
  if (typeof value === 'string') {
    if (isWellFormed(value)) return undefined;
    return invalid('The request body is not valid JSON: no low surrogate in string');
  }
  if (Array.isArray(value)) return firstProblem(value, checkStrings);
  if (!isObject(value)) return undefined;
  return firstProblem(Object.entries(value), ([name, inner]) => checkStrings(name) ?? checkStrings(inner));
}

function isWellFormed(text: string): boolean {
  // In Node since 20, in the language since ES2024.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

const ROLES = new Set<unknown>(['user', 'assistant', 'system']);

function checkRoles(body: JsonObject): Problem | undefined {
  const messages = arrayOf(body.messages);
  if (messages.length === 0) return invalid('messages: at least one message is required');
  const shape = firstProblem(messages, (message, index) => {
    if (!isObject(message)) return invalid(`messages.${index}: Input should be a valid dictionary`);
    if (message.role === undefined) return invalid(`messages.${index}.role: Field required`);
    if (ROLES.has(message.role)) return undefined;
    return invalid(`messages: Unexpected role "${String(message.role)}". Allowed roles are "user" or "assistant"`);
  });
  if (shape) return shape;
  const first = messages[0];
  if (isObject(first) && first.role !== 'user') return invalid('messages: first message must use the "user" role');
  return undefined;
}

function checkLastTurn(turns: readonly ApiTurn[], body: JsonObject, options: CheckOptions): Problem | undefined {
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return undefined;
  if (!factsFor(textOf(body.model), options.models).prefill && !options.paused?.(last)) {
    return invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  const end = last.blocks.at(-1)?.block;
  if (end?.type === 'text' && /\s$/.test(textOf(end.text))) {
    return invalid('messages: final assistant content cannot end with trailing whitespace');
  }
  return undefined;
}

function checkWindow(body: JsonObject, facts: { dropsThinking: boolean; contextTokens: number }): Problem | undefined {
  const tokens = countTokens(body, facts);
  return tokens > facts.contextTokens ? promptTooLong(tokens, facts.contextTokens) : undefined;
}
