/** Describes a request for its record: its length, and how much of the expected prefix it repeats. */

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
