/** Describes a request for its record: its length, and how much of the expected prefix it repeats. */

import { compareRequests } from '../model/compare-requests.js';
import { estimateHistory, mostTokens } from '../model/models.js';
import type { ModelRequest } from '../model/request.js';
import type { SharedBytes } from '../protocol/events.js';
import type { Agent } from './agent.js';
import { referenceOf } from './epoch.js';
import type { Run } from './run.js';

export type RequestFacts = { readonly requestBytes: number; readonly shared?: SharedBytes };

export function describeRequest({ agent, ports }: Run, request: ModelRequest): RequestFacts {
  const { contentLength } = ports.model;
  const requestBytes = contentLength(request);
  const reference = referenceOf(agent);
  if (reference === undefined) return { requestBytes };
  const shared = compareRequests(reference.request, request, contentLength);
  return { requestBytes, shared: { with: reference.of, ...shared } };
}

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
