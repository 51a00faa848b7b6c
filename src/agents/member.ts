/** One agent of a session's tree: the agent, where it hangs, and how it stands. */

import type { Agent } from '../loop/agent.js';
import type { AgentState, StoppedBy } from '../protocol/events.js';
import type { Transcript } from '../session/transcript.js';
import type { AgentResult } from './result.js';
import type { Place, Slots } from './slots.js';

export type Member = {
  readonly agent: Agent;
  readonly transcript: Transcript;
  readonly parent: Member | undefined;
  /** The call that started it. */
  readonly call: string | undefined;
  readonly description: string;
  readonly name: string | undefined;
  readonly isFork: boolean;
  readonly oneShot: boolean;
  /** The only types it may start; undefined: any. */
  readonly spawns: readonly string[] | undefined;
  readonly abort: AbortController;
  readonly startedAt: number;
  state: AgentState | 'queued';
  run: number;
  stoppedBy: StoppedBy | undefined;
  /** Its place among those that work; none while it waits for its own children. */
  place: Place | undefined;
  done: Promise<AgentResult> | undefined;
};

/** While a member waits for nothing but its children, others may work in its place. */
export function lendPlace(member: Member): void {
  member.agent.activity.onChange(() => {
    if (!member.agent.activity.onlyWaits) return;
    member.place?.release();
    member.place = undefined;
  });
}

/** A child has come back: its parent needs a place again before it goes on. */
export async function takePlaceAgain(member: Member, slots: Slots): Promise<void> {
  if (member.parent === undefined || member.place !== undefined) return;
  member.place = await slots.reenter(member.abort.signal);
}
