/** An independent look at what went over the wire: bodies as text, without cache markers. */

import type { Sim, SimRequest } from '../../src/sim/index.js';

const MARKER = /,"cache_control":\{"type":"ephemeral"(?:,"ttl":"(?:5m|1h)")?\}/g;

/** The body as it came; empty when there was no such request. */
export function wireText(request: SimRequest | undefined): string {
  return request?.raw.toString('utf8') ?? '';
}

/** What the model was sent last. */
export function lastSent({ requests }: Pick<Sim, 'requests'>): string {
  return wireText(requests.at(-1));
}

/** All results a request carries, as text by the call's id. */
export function resultsById(request: SimRequest | undefined): Map<string, string> {
  const results = new Map<string, string>();
  for (const { content } of request?.body.messages ?? []) {
    if (typeof content === 'string') continue;
    for (const block of content) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, JSON.stringify(block.content));
    }
  }
  return results;
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
