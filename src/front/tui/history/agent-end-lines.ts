/**
 * Ends of agents as lines of the history: batched, at most one line a second, and none between a reply and the next turn,
 * where it would push the reply out of sight (TU-7). Pure: time is passed in.
 */

import { MAIN_AGENT, type SessionEvent } from '../../../protocol/events.js';
import { joinSome } from '../../../protocol/text/one-line.js';
import { hasOpenRun } from '../../view/agent-view.js';
import type { SessionView } from '../../view/session-view.js';
import { agentLabel } from '../../view/tree/agent-label.js';

export type AgentEnd = { readonly label: string; readonly status: 'completed' | 'failed' | 'stopped' | 'interrupted' };

const LEAST_MS = 1_000;
/** Number of agents to name; the others are counted. */
const MOST_NAMES = 5;

const WORDS = [
  ['failed', '!', 'failed'],
  ['completed', '✓', 'done'],
  ['interrupted', '‖', 'interrupted'],
  ['stopped', '×', 'stopped'],
] as const;

export class AgentEndLines {
  #ends: AgentEnd[] = [];
  #printedAt = Number.NEGATIVE_INFINITY;
  /** A reply is on the screen, and nothing has followed it. */
  #holds = true;

  /** Called before the view takes the event. */
  take({ agent, event }: SessionEvent, view: Pick<SessionView, 'agents'>): void {
    if (agent === MAIN_AGENT) {
      this.#follow(event.kind);
      return;
    }
    if (event.kind !== 'agent-state-changed' || event.state === 'running' || event.state === 'waiting') return;
    const known = view.agents.get(agent);
    // A repeated record of an end is not news.
    if (known === undefined || !(hasOpenRun(known.status) || known.status === 'queued')) return;
    // The end of an agent that a call waits for is shown as the end of that call.
    if (!known.background && event.state === 'completed') return;
    this.#ends.push({ label: agentLabel(known), status: event.state });
  }

  /** Returns the line to print now, if there is one. */
  due(now: number): string | undefined {
    if (this.wait(now) !== 0) return undefined;
    const line = endsLine(this.#ends);
    this.#ends = [];
    this.#printedAt = now;
    return line;
  }

  /** Milliseconds until a line is due; undefined: none is pending. */
  wait(now: number): number | undefined {
    if (this.#ends.length === 0 || this.#holds) return undefined;
    return Math.max(0, this.#printedAt + LEAST_MS - now);
  }

  #follow(kind: SessionEvent['event']['kind']): void {
    switch (kind) {
      case 'turn-started':
      case 'call-started':
        this.#holds = false;
        return;
      case 'text-streamed':
      case 'assistant-replied':
      case 'run-ended':
        this.#holds = true;
        return;
      default:
    }
  }
}

/** `! fork-3 failed · ✓ fork-2, fork-5 done`. */
function endsLine(ends: readonly AgentEnd[]): string {
  const parts = WORDS.flatMap(([status, mark, word]) => {
    const labels = ends.filter((end) => end.status === status).map(({ label }) => label);
    return labels.length === 0 ? [] : [`${mark} ${joinSome(labels, MOST_NAMES)} ${word}`];
  });
  return parts.join(' · ');
}
