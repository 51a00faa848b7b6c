/** Checks cache markers: at most four, not on empty text, long lifetimes before short ones. */

import { arrayOf, isObject, type JsonObject } from '../json-value.js';
import { firstProblem, invalid, type Problem } from './problem.js';

const MOST_MARKERS = 4;

type Marker = { readonly path: string; readonly block: JsonObject; readonly marker: JsonObject };

export function checkMarkers(body: JsonObject): Problem | undefined {
  const markers = markersOf(body);
  const wrong = firstProblem(markers, checkMarker);
  if (wrong) return wrong;
  if (markers.length > MOST_MARKERS) {
    return invalid(`A maximum of ${MOST_MARKERS} blocks with cache_control may be provided. Found ${markers.length}.`);
  }
  return checkOrder(markers);
}

/** All markers, in the order in which the API reads a request. */
function markersOf(body: JsonObject): readonly Marker[] {
  const markers: Marker[] = [];
  const visit = (blocks: unknown, path: string): void =>
    arrayOf(blocks).forEach((block, index) => {
      if (!isObject(block)) return;
      const here = `${path}.${index}`;
      if (block.type === 'tool_result') visit(block.content, `${here}.content`);
      if (isObject(block.cache_control)) markers.push({ path: here, block, marker: block.cache_control });
    });
  visit(body.tools, 'tools');
  visit(body.system, 'system');
  arrayOf(body.messages).forEach((message, index) => {
    if (isObject(message)) visit(message.content, `messages.${index}.content`);
  });
  if (isObject(body.cache_control)) markers.push({ path: 'request', block: {}, marker: body.cache_control });
  return markers;
}

function checkMarker({ path, block, marker }: Marker): Problem | undefined {
  if (marker.type !== 'ephemeral') return invalid(`${path}.cache_control.type: Input should be 'ephemeral'`);
  if (marker.ttl !== undefined && marker.ttl !== '5m' && marker.ttl !== '1h') {
    return invalid(`${path}.cache_control.ttl: Input should be '5m' or '1h'`);
  }
  if (block.type === 'text' && block.text === '') {
    return invalid(`${path}.text: cache_control cannot be set for empty text blocks`);
  }
  return undefined;
}

function checkOrder(markers: readonly Marker[]): Problem | undefined {
  const short = markers.findIndex(({ marker }) => marker.ttl !== '1h');
  const late = markers.find(({ marker }, index) => marker.ttl === '1h' && short >= 0 && index > short);
  if (!late) return undefined;
  return invalid(
    `${late.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
  );
}
