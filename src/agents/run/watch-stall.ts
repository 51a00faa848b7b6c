/** Ends a child that receives nothing from the model for too long. Slow tools are ignored. */

import type { Listener } from '../../protocol/events.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

export type StallWatch = { stalled(): boolean; end(): void };

export function watchStall(runtime: Runtime, watched: LiveAgent): StallWatch {
  const { clock } = runtime.host;
  let waitingSince: number | undefined;
  let stalled = false;
  const watch: Listener = ({ event }) => {
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
  const unlisten = runtime.listeners.addFor(watched.id, watch);
  let cancel = clock.after(runtime.settings.stallMs, check);
  function check(): void {
    const silent = waitingSince === undefined ? 0 : clock.elapsed() - waitingSince;
    if (silent >= runtime.settings.stallMs) {
      stalled = true;
      watched.abort.abort();
      return;
    }
    cancel = clock.after(runtime.settings.stallMs - silent, check);
  }
  return {
    stalled: () => stalled,
    end: () => {
      cancel();
      unlisten();
    },
  };
}
