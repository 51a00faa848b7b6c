/** Checks the top-level fields of a request: present, of the right type, and compatible. */

import type { ModelFacts } from '../cache/model-facts.js';
import { arrayOf, isObject, type JsonObject, textOf } from '../json-value.js';
import { firstProblem, invalid, type Problem } from './problem.js';

const FIELDS = new Set(
  `model max_tokens messages system tools tool_choice thinking metadata stop_sequences stream temperature top_p top_k
   service_tier output_config output_format container mcp_servers context_management cache_control inference_geo
   speed diagnostics user_profile_id workspace_id`.split(/\s+/),
);

const LEAST_BUDGET = 1_024;
const LONGEST_USER_ID = 256;

export function checkParameters(body: JsonObject, facts: ModelFacts, counting: boolean): Problem | undefined {
  return (
    checkFields(body) ??
    checkMaxTokens(body, counting) ??
    checkThinkingParameter(body, facts) ??
    checkSampling(body) ??
    checkRest(body)
  );
}

function checkFields(body: JsonObject): Problem | undefined {
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return invalid(`${unknown}: Extra inputs are not permitted`);
  if (body.model === undefined) return invalid('model: Field required');
  if (typeof body.model !== 'string') return invalid('model: Input should be a valid string');
  if (body.model === '') return invalid('model: String should have at least 1 character');
  if (body.messages === undefined) return invalid('messages: Field required');
  if (!Array.isArray(body.messages)) return invalid('messages: Input should be a valid list');
  return undefined;
}

function checkMaxTokens(body: JsonObject, counting: boolean): Problem | undefined {
  const maximum = body.max_tokens;
  if (maximum === undefined) return counting ? undefined : invalid('max_tokens: Field required');
  if (typeof maximum !== 'number' || !Number.isInteger(maximum)) {
    return invalid('max_tokens: Input should be a valid integer');
  }
  return maximum < 1 ? invalid('max_tokens: Input should be greater than or equal to 1') : undefined;
}

function checkThinkingParameter(body: JsonObject, facts: ModelFacts): Problem | undefined {
  const thinking = body.thinking;
  if (thinking === undefined || thinking === null) return undefined;
  if (!isObject(thinking)) return invalid('thinking: Input should be a valid dictionary or object');
  switch (thinking.type) {
    case 'disabled':
      return undefined;
    case 'adaptive':
      return checkDisplay(thinking);
    case 'enabled':
      if (!facts.manualThinking) return noManualThinking();
      return checkDisplay(thinking) ?? checkBudget(thinking.budget_tokens, body.max_tokens);
    default:
      return invalid(
        `thinking: Input tag '${String(thinking.type)}' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'`,
      );
  }
}

const DISPLAYS: readonly unknown[] = [undefined, null, 'summarized', 'omitted', 'updates'];

function checkDisplay({ type, display }: JsonObject): Problem | undefined {
  if (DISPLAYS.includes(display)) return undefined;
  return invalid(`thinking.${String(type)}.display: Input should be 'summarized' or 'omitted'`);
}

function noManualThinking(): Problem {
  return invalid(
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  );
}

function checkBudget(budget: unknown, maximum: unknown): Problem | undefined {
  if (budget === undefined) return invalid('thinking.enabled.budget_tokens: Field required');
  if (typeof budget !== 'number' || budget < LEAST_BUDGET) {
    return invalid(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${LEAST_BUDGET}`);
  }
  if (typeof maximum === 'number' && maximum <= budget) {
    return invalid('`max_tokens` must be greater than `thinking.budget_tokens`');
  }
  return undefined;
}

function checkSampling(body: JsonObject): Problem | undefined {
  const { temperature, thinking } = body;
  if (temperature !== undefined && (typeof temperature !== 'number' || temperature < 0 || temperature > 1)) {
    return invalid('temperature: range: 0..1');
  }
  const thinks = isObject(thinking) && thinking.type !== 'disabled';
  if (thinks && temperature !== undefined && temperature !== 1) {
    return invalid('`temperature` may only be set to 1 when thinking is enabled');
  }
  const choice = isObject(body.tool_choice) ? body.tool_choice.type : undefined;
  if (thinks && (choice === 'any' || choice === 'tool')) {
    return invalid('Thinking may not be enabled when tool_choice forces tool use.');
  }
  return undefined;
}

function checkRest(body: JsonObject): Problem | undefined {
  if (body.stream !== undefined && typeof body.stream !== 'boolean') {
    return invalid('stream: Input should be a valid boolean');
  }
  if (isObject(body.metadata) && textOf(body.metadata.user_id).length > LONGEST_USER_ID) {
    return invalid(`metadata.user_id: String should have at most ${LONGEST_USER_ID} characters`);
  }
  return firstProblem(arrayOf(body.stop_sequences), (sequence, index) =>
    textOf(sequence).trim() === ''
      ? invalid(`stop_sequences.${index}: each stop sequence must contain non-whitespace`)
      : undefined,
  );
}
