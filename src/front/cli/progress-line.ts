/** Describes an event in one line, for `--verbose` in a headless run. */

import { stripControls } from '../../gate/permissions/strip-controls.js';
import type { AgentEvent } from '../../protocol/events.js';

const MAX_CHARS = 160;

export function progressLine(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case 'turn-started':
      return `turn ${event.turn}`;
    case 'call-started':
      return cut(`  ${event.tool} ${JSON.stringify(event.input)}`);
    case 'call-finished':
      return `  ${event.tool} ${event.isError ? 'failed' : 'done'} (${event.ms} ms)`;
    case 'assistant-replied': {
      const { usage } = event;
      return `  reply: ${usage.output} tokens out, ${usage.input} in, ${usage.cacheRead} from cache`;
    }
    default:
      return undefined;
  }
}

function cut(line: string): string {
  const safe = stripControls(line).replaceAll('\n', ' ');
  return safe.length > MAX_CHARS ? `${safe.slice(0, MAX_CHARS - 1)}…` : safe;
}
