/** The size of a request in tokens before the API has counted it: what is likely, and what it can be at most. */

import { estimateHistory, mostTokens } from '../model/models.js';
import type { ModelRequest } from '../model/request.js';
import type { Agent } from './agent.js';

/** An estimate of the next request's tokens: the API's last count plus what was added since. */
export function expectedInput({ state, epoch }: Pick<Agent, 'state' | 'epoch'>): number {
  const { tokens, messages } = state.lastRequest;
  const prefix = messages === 0 ? Math.ceil(epoch.prefix.bytes.length / 3.5) : 0;
  return tokens + prefix + estimateHistory(state.history, messages);
}

/** Tools and system prompt are prose and JSON: no tokenizer needs more than a token for two bytes of them. */
const PREFIX_BYTES_PER_TOKEN = 2;

/** The most tokens a request can have, by what the API has counted and the bytes that came since. */
export function mostInput(
  { state, epoch }: Agent,
  { prefix, history }: Pick<ModelRequest, 'prefix' | 'history'>,
): number {
  const { tokens, messages } = state.lastRequest;
  const isCounted = messages > 0 && history.at(messages - 1) === state.history.at(messages - 1);
  const known = isCounted ? tokens : Math.ceil(prefix.bytes.length / PREFIX_BYTES_PER_TOKEN);
  // The API refuses what is larger than the window, and refusing costs nothing.
  return Math.min(epoch.model.context, known + mostTokens(history, isCounted ? messages : 0));
}
