/** CL-4, SF-5: the result of a run, however it ended. */

import { expect, it } from 'vitest';
import { resultObject } from '../../../../src/front/view/result.js';
import { createView, subtractTotals } from '../../../../src/front/view/session-view.js';
import type { AgentEvent, RunEndReason } from '../../../../src/protocol/events.js';
import { NO_USAGE } from '../../../../src/protocol/usage.js';

function result(reason: RunEndReason, line?: string) {
  const end = { reason, text: 'said', turns: 1, usage: NO_USAGE, ...(line === undefined ? {} : { line }) };
  const { totals } = createView();
  return resultObject({ end, totals, session: 's', uuid: 'u', durationMs: 1, models: {} });
}

it.each([
  ['interrupted', 'error_during_execution', 'aborted_streaming'],
  ['max_turns', 'error_max_turns', 'max_turns'],
  ['max_usd', 'error_max_budget_usd', 'budget_exhausted'],
  ['max_tokens', 'error_during_execution', 'budget_exhausted'],
  ['api_error', 'error_during_execution', 'api_error'],
  ['refused', 'error_during_execution', 'model_error'],
  ['overflow', 'error_during_execution', 'prompt_too_long'],
  ['hook_stopped', 'error_during_execution', 'hook_stopped'],
  ['prompt_refused', 'error_during_execution', 'turn_setup_failed'],
] as const)('CL-4: a run that ended otherwise (%s) always has errors', (reason, subtype, terminal_reason) => {
  expect(result(reason, 'why')).toMatchObject({ subtype, is_error: true, errors: ['why'], terminal_reason });
  expect(result(reason)).toMatchObject({ errors: [reason], stop_reason: null });
});

it('CL-4: a success has none', () => {
  expect(result('completed')).toMatchObject({ subtype: 'success', is_error: false, result: 'said' });
  expect(result('completed')).not.toHaveProperty('errors');
});

it('CL-4: model time is measured from the request to the reply, with retries; each prompt has its own', () => {
  const view = createView();
  const at = (now: number, event: AgentEvent) => view.apply({ agent: 'main', seq: 1, event }, now);
  const discarded = (delayMs: number): AgentEvent => ({
    kind: 'response-discarded',
    line: 'x',
    delayMs,
    model: '',
    usage: NO_USAGE,
    requestBytes: 1,
  });
  const reply = {
    kind: 'assistant-replied',
    response: 'r',
    model: 'm',
    usage: NO_USAGE,
    requestBytes: 1,
    blocks: [],
  } as const;
  at(0, { kind: 'turn-started', turn: 1 });
  at(10, { kind: 'request-sent', turn: 1, bytes: 1 });
  at(15, discarded(5));
  at(30, { ...reply, stop: 'tool_use' });
  expect(view.totals).toMatchObject({ apiMs: 20, stop: 'tool_use' });
  const before = view.totals;
  expect(subtractTotals(view.totals, before)).toMatchObject({ apiMs: 0, stop: null });
  at(40, { kind: 'turn-started', turn: 2 });
  at(40, { kind: 'request-sent', turn: 2, bytes: 1 });
  at(47, discarded(0));
  at(90, { kind: 'run-ended', reason: 'api_error', usage: NO_USAGE });
  expect(subtractTotals(view.totals, before)).toMatchObject({ apiMs: 7, stop: null });
});
