/** Estimates the tokens of a request before the API counts them: the likely number and the upper bound. */

import { estimateHistory, mostTokens } from '../model/models.js';
import type { ModelRequest } from '../model/request.js';
import type { Agent } from './agent.js';

/** An estimate of the next request's tokens: the API's last count plus what was added since. */
export function expectedInput({ state, epoch }: Pick<Agent, 'state' | 'epoch'>): number {
  const { tokens, messages } = state.lastRequest;
  const prefix = messages === 0 ? Math.ceil(epoch.prefix.bytes.length / 3.5) : 0;
  return tokens + prefix + estimateHistory(state.history, messages);
}

/** Tools and system prompt are prose and JSON: every tokenizer gets at least two bytes per token out of them. */
const PREFIX_BYTES_PER_TOKEN = 2;

/** The upper bound of a request's tokens: the API's last count plus the bytes added since. */
export function mostInput(
  { state, epoch }: Agent,
  { prefix, history }: Pick<ModelRequest, 'prefix' | 'history'>,
): number {
  const { tokens, messages } = state.lastRequest;
  const isCounted = messages > 0 && history.at(messages - 1) === state.history.at(messages - 1);
  const known = isCounted ? tokens : Math.ceil(prefix.bytes.length / PREFIX_BYTES_PER_TOKEN);
  // The API rejects requests larger than the window, at no cost.
  return Math.min(epoch.model.context, known + mostTokens(history, isCounted ? messages : 0));
}
