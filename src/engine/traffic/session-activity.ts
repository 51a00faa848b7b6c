/** Tracks activity between requests in a session, to know whether waiting makes sense. */

import { MAIN_AGENT, type SessionEvent } from '../../protocol/events.js';
import { agentFacts } from '../../protocol/tools/agent.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import type { Activity } from '../../sim/recording/recorded-order.js';

export class SessionActivity {
  /** Agents between two requests, or before their first or after their last. */
  readonly #agents = new Set<string>();
  readonly #calls = new Set<string>();
  readonly #questions = new Set<string>();
  /** Agents being started by a call, and background commands. */
  readonly #more = new Set<string>();
  /** By the call that waits for it. */
  readonly #childOf = new Map<string, string>();

  get now(): Activity {
    if (this.#calls.size + this.#questions.size > 0) return 'calls';
    return this.#agents.size + this.#more.size > 0 ? 'agents' : 'idle';
  }

  requestStarted(agent: string | undefined): void {
    if (agent !== undefined) this.#agents.delete(agent);
  }

  answerEnded(agent: string | undefined): void {
    if (agent !== undefined) this.#agents.add(agent);
  }

  /** An agent or a task that waits for its turn is not active. */
  async whileHeld(id: string, wait: Promise<void>): Promise<void> {
    const wasAtWork = this.#agents.delete(id);
    const wasMore = this.#more.delete(id);
    await wait;
    if (wasAtWork) this.#agents.add(id);
    if (wasMore) this.#more.add(id);
  }

  hear({ agent, event }: SessionEvent): void {
    switch (event.kind) {
      case 'call-started':
        this.#agents.delete(agent);
        // A call that only waits for others is not activity.
        if (factsOf(event.tool).waitsFor === undefined) this.#calls.add(event.call);
        else if (factsOf(event.tool) === agentFacts) this.#more.add(event.call);
        return;
      case 'call-finished':
        this.#calls.delete(event.call);
        this.#more.delete(event.call);
        this.#agents.delete(this.#childOf.get(event.call) ?? '');
        this.#agents.add(agent);
        return;
      case 'agent-spawned':
        this.#more.delete(event.call);
        this.#childOf.set(event.call, event.agent);
        this.#agents.add(event.agent);
        return;
      case 'task-started':
        this.#more.add(event.task);
        return;
      case 'input-admitted':
        this.#more.delete(event.notice?.agent ?? '');
        this.#agents.delete(event.notice?.agent ?? '');
        return;
      case 'run-ended':
        // A child still has to hand over its result.
        if (agent === MAIN_AGENT) this.#agents.delete(agent);
        return;
      case 'question-asked':
        this.#questions.add(event.question.id);
        return;
      case 'question-settled':
        this.#questions.delete(event.question);
        return;
      default:
    }
  }
}
