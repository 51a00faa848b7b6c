/** The result of a headless run, for programs. */

import type { RunEnd } from '../../loop/run-loop.js';
import { costOf, type ModelOverrides, modelData } from '../../model/models.js';
import { NO_USAGE, type Usage } from '../../protocol/usage.js';
import { type Totals, totalCost, totalUsage } from './session-view.js';

export type ResultInput = {
  readonly end: RunEnd;
  /** Totals of the runs that this result covers. */
  readonly totals: Totals;
  /** Totals of the whole session, for cost and usage by model; omit if they are the same. */
  readonly sessionTotals?: Totals;
  readonly session: string;
  readonly uuid: string;
  readonly durationMs: number;
  readonly models: ModelOverrides;
};

/** The end of a prompt that was interrupted before it reached the session. */
export const NOT_SENT: RunEnd = {
  reason: 'interrupted',
  text: '',
  turns: 0,
  usage: NO_USAGE,
  line: 'interrupted before the prompt was sent',
};

export function resultObject(input: ResultInput): Record<string, unknown> {
  const { end, totals, sessionTotals = totals, session, uuid, durationMs, models } = input;
  return {
    type: 'result',
    subtype: subtypeOf(end),
    is_error: end.reason !== 'completed',
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(totals.apiMs),
    num_turns: totals.turns,
    result: end.reason === 'completed' ? end.text : (end.line ?? end.text),
    stop_reason: totals.stop,
    terminal_reason: TERMINAL_REASONS[end.reason],
    ...(end.reason === 'completed' ? {} : errorFields(end)),
    ...('structured' in end ? { structured_output: end.structured } : {}),
    session_id: session,
    total_cost_usd: totalCost(sessionTotals, models),
    usage: { ...wireUsage(totalUsage(totals)), ...ALWAYS_GIVEN },
    modelUsage: Object.fromEntries(
      [...sessionTotals.usageByModel].map(([model, usage]) => [model, modelUsage(model, usage, models)]),
    ),
    permission_denials: totals.denials,
    uuid,
  };
}

/** The SDK reads `errors` of every result that is not a success. */
function errorFields({ reason, line, text }: RunEnd): object {
  return { error: reason, errors: [line ?? reason], partial: text };
}

/** The reason a run ended, in the clients' terms. */
const TERMINAL_REASONS: Readonly<Record<RunEnd['reason'], string>> = {
  completed: 'completed',
  interrupted: 'aborted_streaming',
  max_turns: 'max_turns',
  max_usd: 'budget_exhausted',
  max_tokens: 'budget_exhausted',
  api_error: 'api_error',
  refused: 'model_error',
  overflow: 'prompt_too_long',
  hook_stopped: 'hook_stopped',
  empty_prompt: 'turn_setup_failed',
  prompt_refused: 'turn_setup_failed',
  not_saved: 'turn_setup_failed',
  no_structured_output: 'structured_output_retry_exhausted',
};

/** Fields that the clients' types require without null; the API reports no other values. */
const ALWAYS_GIVEN = {
  output_tokens_details: { thinking_tokens: 0 },
  service_tier: 'standard',
  inference_geo: '',
  iterations: [],
  speed: 'standard',
};

function subtypeOf(end: RunEnd): string {
  switch (end.reason) {
    case 'completed':
      return 'success';
    case 'max_turns':
      return 'error_max_turns';
    case 'max_usd':
      return 'error_max_budget_usd';
    case 'no_structured_output':
      return 'error_max_structured_output_retries';
    default:
      return 'error_during_execution';
  }
}

export function wireUsage(usage: Usage): Record<string, unknown> {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    server_tool_use: { web_search_requests: usage.webSearches ?? 0, web_fetch_requests: 0 },
  };
}

export function modelUsage(model: string, usage: Usage, overrides: ModelOverrides): Record<string, unknown> {
  const data = modelData(model, overrides);
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadInputTokens: usage.cacheRead,
    cacheCreationInputTokens: usage.cacheWrite5m + usage.cacheWrite1h,
    webSearchRequests: usage.webSearches ?? 0,
    costUSD: costOf(usage, data) ?? 0,
    contextWindow: data.context,
    maxOutputTokens: data.maxOutput,
    cacheCreationEphemeral5mInputTokens: usage.cacheWrite5m,
    cacheCreationEphemeral1hInputTokens: usage.cacheWrite1h,
    canonicalModel: data.id,
  };
}
