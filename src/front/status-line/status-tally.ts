/** Collects the facts of a status line from a session's events: usage, time, lines changed. */

import { type AgentEvent, MAIN_AGENT, type SessionEvent } from '../../protocol/events.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import type { Usage } from '../../protocol/usage.js';
import { editDiff } from '../view/edit-diff.js';
import { createView, type SessionView } from '../view/session-view.js';

export class StatusTally {
  readonly #view = createView();
  /** By agent: when its open request was sent. */
  readonly #sent = new Map<string, number>();
  /** Edits are compared one after another; the diff library is loaded with the first. */
  #counting: Promise<void> = Promise.resolve();
  current: Usage | undefined;
  apiMs = 0;
  linesAdded = 0;
  linesRemoved = 0;

  get view(): SessionView {
    return this.#view;
  }

  /** Resolves when the lines of all edits so far are counted. */
  counted(): Promise<void> {
    return this.#counting;
  }

  /** `now`: milliseconds of one clock. */
  apply(sessionEvent: SessionEvent, now: number): void {
    const { agent, event } = sessionEvent;
    this.#time(agent, event, now);
    if (event.kind === 'call-finished' && !event.isError) this.#countLines(agent, event.call, event.tool);
    if (agent === MAIN_AGENT) this.#current(event);
    this.#view.apply(sessionEvent, now);
  }

  #time(agent: string, event: AgentEvent, now: number): void {
    switch (event.kind) {
      case 'request-sent':
        this.#sent.set(agent, now);
        return;
      case 'assistant-replied':
      case 'response-discarded':
      case 'history-compacted':
      case 'run-ended':
        this.apiMs += now - (this.#sent.get(agent) ?? now);
        this.#sent.delete(agent);
        return;
      default:
    }
  }

  #current(event: AgentEvent): void {
    if (event.kind === 'assistant-replied') this.current = event.usage;
    if (event.kind === 'history-compacted' || event.kind === 'history-cleared') this.current = undefined;
  }

  /** Before the view forgets the call. */
  #countLines(agent: string, id: string, tool: string): void {
    const input = this.#view.agents.get(agent)?.calls.find((call) => call.id === id)?.input;
    if (input === undefined || factsOf(tool).change === undefined) return;
    this.#counting = this.#counting.then(async () => {
      for (const { sign } of (await editDiff(tool, input)) ?? []) {
        if (sign === '+') this.linesAdded += 1;
        if (sign === '-') this.linesRemoved += 1;
      }
    });
  }
}
