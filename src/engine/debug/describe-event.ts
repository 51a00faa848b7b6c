/** Describes an event in one line of a debug file: its kind, and its fields without content. */

import type { AgentEvent } from '../../protocol/events.js';

/** So frequent and small that they would hide the rest. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'text-streamed',
  'thinking-streamed',
  'call-streamed',
  'call-progressed',
]);

/** Fields whose text is ours, a name or an id. Of others, only numbers and the like, or their length, are shown. */
const SHOWN: ReadonlySet<string> = new Set([
  'agent',
  'behavior',
  'by',
  'call',
  'fault',
  'key',
  'level',
  'line',
  'mode',
  'model',
  'origin',
  'reason',
  'response',
  'session',
  'state',
  'status',
  'stop',
  'task',
  'tool',
  'trigger',
  'type',
  'version',
]);

export function describeEvent(event: AgentEvent): string | undefined {
  if (LEFT_OUT.has(event.kind)) return undefined;
  const { kind, ...fields } = event;
  return [kind, ...Object.entries(fields).flatMap(([name, value]) => describeField(name, value))].join(' ');
}

function describeField(name: string, value: unknown): readonly string[] {
  switch (typeof value) {
    case 'number':
    case 'boolean':
      return [`${name}=${value}`];
    case 'string':
      return [
        SHOWN.has(name) ? `${name}=${/\s/.test(value) ? JSON.stringify(value) : value}` : `${name}:${value.length}`,
      ];
    case 'object': {
      if (value === null) return [];
      if (name === 'usage') return [`usage=${JSON.stringify(value)}`];
      if (name === 'blocks') return [`blocks=${describeBlocks(value)}`];
      return [`${name}:${Array.isArray(value) ? `[${value.length}]` : '{…}'}`];
    }
    default:
      return [];
  }
}

/** The kind and size of each. */
function describeBlocks(blocks: object): string {
  const list = Array.isArray(blocks) ? blocks : [];
  return list
    .map(({ type, bytes }: { type?: string; bytes?: Uint8Array }) => `${type ?? '?'}:${bytes?.length ?? 0}`)
    .join(',');
}
