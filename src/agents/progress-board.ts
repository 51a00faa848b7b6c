/** What each agent is doing at this moment, gathered from events: its turn, its open calls, what it asks the person. */

import type { SessionEvent } from '../protocol/events.js';

export type Progress = {
  /** Requests made so far, in all its runs. */
  readonly turns: number;
  /** The call that was started last of those under way. */
  readonly tool: string | undefined;
  /** The call about which it asks the person. */
  readonly question: { readonly call: string; readonly tool: string } | undefined;
};

type Entry = { turns: number; readonly calls: Map<string, string>; readonly questions: Map<string, string> };

export class ProgressBoard {
  readonly #entries = new Map<string, Entry>();

  readonly watch = ({ agent, event }: SessionEvent): void => {
    switch (event.kind) {
      case 'turn-started':
        this.#entry(agent).turns += 1;
        return;
      case 'call-started':
        this.#entry(agent).calls.set(event.call, event.tool);
        return;
      case 'call-finished':
        this.#entry(agent).calls.delete(event.call);
        return;
      case 'question-asked':
        this.#entry(agent).questions.set(event.call, event.tool);
        return;
      case 'question-settled':
        this.#entry(agent).questions.delete(event.call);
        return;
      case 'run-ended': {
        const entry = this.#entry(agent);
        entry.calls.clear();
        entry.questions.clear();
        return;
      }
      default:
        return;
    }
  };

  of(agent: string): Progress {
    const entry = this.#entries.get(agent);
    const question = [...(entry?.questions ?? [])][0];
    return {
      turns: entry?.turns ?? 0,
      tool: [...(entry?.calls.values() ?? [])].at(-1),
      question: question && { call: question[0], tool: question[1] },
    };
  }

  #entry(agent: string): Entry {
    const known = this.#entries.get(agent);
    if (known !== undefined) return known;
    const entry = { turns: 0, calls: new Map<string, string>(), questions: new Map<string, string>() };
    this.#entries.set(agent, entry);
    return entry;
  }
}
