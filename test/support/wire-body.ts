/** An independent look at what went over the wire: bodies as text, without cache markers. */

import type { SimRequest } from '../../src/sim/index.js';

const MARKER = /,"cache_control":\{"type":"ephemeral"(?:,"ttl":"(?:5m|1h)")?\}/g;

export function wireText(request: SimRequest): string {
  return request.raw.toString('utf8');
}

/** Everything up to the end of the last message, without cache markers. */
export function comparable(request: SimRequest): string {
  const text = wireText(request).replace(MARKER, '');
  if (!text.endsWith(']}')) throw new Error('the messages are not last in the body');
  return text.slice(0, -2);
}

export function countMarkers(request: SimRequest): number {
  return wireText(request).match(MARKER)?.length ?? 0;
}
