/** A child that hears nothing from the model for too long is ended with what it had. A tool that takes long is not. */

import type { Watcher } from '../../session/emit.js';
import type { Crew } from '../runtime.js';
import type { Member } from '../live-agent.js';

export type StallWatch = { stalled(): boolean; end(): void };

export function watchStall(crew: Crew, member: Member): StallWatch {
  const { clock } = crew.host;
  let waitingSince: number | undefined;
  let stalled = false;
  const watch: Watcher = ({ agent, event }) => {
    if (agent !== member.agent.id) return;
    switch (event.kind) {
      case 'request-sent':
      case 'response-began':
      case 'text-streamed':
      case 'thinking-streamed':
      case 'call-streamed':
        waitingSince = clock.elapsed();
        return;
      case 'assistant-replied':
      case 'run-ended':
        waitingSince = undefined;
        return;
      default:
        return;
    }
  };
  crew.watchers.add(watch);
  let callOff = clock.after(crew.rules.stallMs, check);
  function check(): void {
    const silent = waitingSince === undefined ? 0 : clock.elapsed() - waitingSince;
    if (silent >= crew.rules.stallMs) {
      stalled = true;
      member.abort.abort();
      return;
    }
    callOff = clock.after(crew.rules.stallMs - silent, check);
  }
  return {
    stalled: () => stalled,
    end: () => {
      callOff();
      crew.watchers.delete(watch);
    },
  };
}
