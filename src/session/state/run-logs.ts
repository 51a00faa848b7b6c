/** The runs of a child, put together from its records. The end of a run is final: what comes later is passed over. */

import { type AgentState, type DurableEvent, MOVED, RESUMED_AUTOMATICALLY } from '../../protocol/events.js';
import type { RunLog } from './restored.js';

export class RunLogs {
  readonly #runs = new Map<number, RunLog>();

  /** Passes over events that say nothing about runs. */
  add(event: DurableEvent): void {
    switch (event.kind) {
      case 'agent-state-changed': {
        const known = this.#runs.get(event.run);
        if (known !== undefined && isFinal(known.state)) return;
        const { state, run } = event;
        const by = event.by === undefined ? {} : { by: event.by };
        const reason = event.reason === undefined ? {} : { reason: event.reason };
        const { by: _by, reason: _reason, ...kept } = known ?? {};
        const automatic = (known?.automatic ?? 0) + (event.reason === RESUMED_AUTOMATICALLY ? 1 : 0);
        const moved = event.reason === MOVED ? { moved: true } : {};
        this.#runs.set(run, {
          ...kept,
          run,
          state,
          ...by,
          ...reason,
          ...moved,
          ...(automatic > 0 ? { automatic } : {}),
        });
        return;
      }
      case 'result-made': {
        const log = this.#log(event.run);
        // A run that was interrupted and goes on comes to another result; what comes after its end doesn't count.
        if (!isFinal(log.state) || log.result === undefined) {
          this.#runs.set(event.run, { ...log, result: { status: event.status, text: event.text } });
        }
        return;
      }
      case 'notice-queued': {
        const log = this.#log(event.run);
        if (log.notice === undefined) {
          this.#runs.set(event.run, { ...log, notice: { to: event.to, text: event.text } });
        }
        return;
      }
      default:
    }
  }

  all(): RunLog[] {
    return [...this.#runs.values()].sort((a, b) => a.run - b.run);
  }

  #log(run: number): RunLog {
    return this.#runs.get(run) ?? { run, state: 'running' };
  }
}

/** Completed, failed or stopped: nothing changes that any more. */
export function isFinal(state: AgentState): boolean {
  return state === 'completed' || state === 'failed' || state === 'stopped';
}
