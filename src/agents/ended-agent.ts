/** An agent that has ended: the facts that lists and replies need. The rest is on disk, from where it can be restored. */

import type { AgentLog } from '../session/state/agent-log.js';
import type { LiveAgent } from './live-agent.js';
import type { EndedResult } from './run/result.js';

export type EndedAgent = AgentLog & {
  /** Its result, if it ended in this process. */
  readonly outcome?: EndedResult;
  /** It is being restored; two senders restore it once. */
  reviving?: Promise<Revived> | undefined;
};

export type Revived =
  | { readonly ok: true; readonly agent: LiveAgent; readonly told: readonly string[] }
  | { readonly ok: false; readonly reason: string };

export function wasStoppedByPerson(ended: AgentLog): boolean {
  return ended.status === 'stopped' && ended.runs.at(-1)?.by === 'person';
}
