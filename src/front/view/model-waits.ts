/** How long agents wait for the model: from a request to its reply, with all that is tried in between. */

import type { AgentEvent, SessionEvent } from '../../protocol/events.js';

export class ModelWaits {
  readonly #since = new Map<string, number>();

  /** Returns the milliseconds that end with this event. */
  take({ agent, event }: SessionEvent, now: number): number {
    const since = this.#since.get(agent);
    if (since === undefined) {
      if (event.kind === 'request-sent' || event.kind === 'compaction-began') this.#since.set(agent, now);
      return 0;
    }
    if (!endsWait(event)) return 0;
    this.#since.delete(agent);
    return now - since;
  }
}

function endsWait(event: AgentEvent): boolean {
  switch (event.kind) {
    case 'assistant-replied':
    case 'history-compacted':
    case 'compaction-failed':
    case 'run-ended':
      return true;
    // It is sent again, and that is waited for, too.
    case 'response-discarded':
      return event.delayMs === 0;
    default:
      return false;
  }
}
