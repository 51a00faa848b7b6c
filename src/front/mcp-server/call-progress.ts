/** Reports, for each call, what its tool and the agents it started are doing. */

import { type Listener, MAIN_AGENT } from '../../protocol/events.js';
import { progressLine, progressText } from '../view/progress-line.js';
import { RootCalls } from '../view/root-calls.js';

export class CallProgress {
  readonly #followed = new Map<string, (line: string) => void>();
  readonly #rootCalls = new RootCalls();

  /** Returns a function that ends it. */
  follow(call: string, report: (line: string) => void): () => void {
    this.#followed.set(call, report);
    return () => this.#followed.delete(call);
  }

  readonly onEvent: Listener = ({ agent, event }) => {
    this.#rootCalls.take(agent, event);
    if (agent === MAIN_AGENT) {
      if (event.kind === 'call-progressed') this.#followed.get(event.call)?.(progressText(event.line));
      return;
    }
    const report = this.#followed.get(this.#rootCalls.of(agent) ?? '');
    const line = report && progressLine('mcp', event);
    if (line !== undefined) report?.(progressText(line));
  };
}
