/** An agent that has ended: what lists and answers need of it. Everything else is on disk, from where it can come back. */

import type { AgentLog } from '../session/state/agent-log.js';
import type { LiveAgent } from './live-agent.js';
import type { AgentResult } from './run/result.js';

export type EndedAgent = AgentLog & {
  /** What it came to, if it ended in this process. */
  readonly outcome?: AgentResult;
  /** It is being brought back: two that write to it wake it once. */
  reviving?: Promise<Revived> | undefined;
};

export type Revived =
  | {
      readonly ok: true;
      readonly agent: LiveAgent;
      readonly told: readonly string[];
      /** What it said last, when that was all: nothing is left to do but to put its end on record. */
      readonly over: string | undefined;
      /** Its last reply was cut off or paused: nothing can be sent before something was said to it. */
      readonly needsWord: boolean;
    }
  | { readonly ok: false; readonly reason: string };

export function wasStoppedByPerson(ended: AgentLog): boolean {
  return ended.status === 'stopped' && ended.runs.at(-1)?.by === 'person';
}
