/** What is recorded of a request, whatever becomes of it: its length, and how much it repeats of the one it should repeat. */

import { compareRequests } from '../model/compare-requests.js';
import type { ModelRequest } from '../model/request.js';
import type { SharedBytes } from '../protocol/events.js';
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
