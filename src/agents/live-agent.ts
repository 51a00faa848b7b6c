/** One agent of a session's tree: the agent, where it hangs, and how it stands. */

import type { Agent } from '../loop/agent.js';
import { type AgentState, MOVED, type StoppedBy } from '../protocol/events.js';
import type { AgentSpawned } from '../session/state/restored.js';
import type { Transcript } from '../session/transcript/transcript.js';
import type { OutputLog } from './run/output-log.js';
import type { AgentResult } from './run/result.js';
import type { Slot, Slots } from './start/slots.js';

export type Member = {
  readonly agent: Agent;
  readonly transcript: Transcript;
  readonly parent: Member | undefined;
  /** The record it began with; undefined for the main agent. */
  readonly spawned: AgentSpawned | undefined;
  /** The call that started it. */
  readonly call: string | undefined;
  readonly description: string;
  readonly name: string | undefined;
  readonly isFork: boolean;
  readonly oneShot: boolean;
  /** The only types it may start; undefined: any. */
  readonly spawns: readonly string[] | undefined;
  /** Both are new with each run. */
  abort: AbortController;
  startedAt: number;
  readonly output: OutputLog;
  /** Nobody waits for it: a notice tells when it ends. */
  background: boolean;
  /** Called when it goes to the background while a call waits for it. */
  onDetach: (() => void) | undefined;
  /** Cuts it loose from the call that started it. */
  unfollow: () => void;
  state: AgentState | 'queued';
  run: number;
  stoppedBy: StoppedBy | undefined;
  /** Its place among those that work; none while it waits for its own children. */
  slot: Slot | undefined;
  /** Its run, and what follows on it: check, notice, files. Undefined before and after. */
  finishing?: Promise<void> | undefined;
  /** Cuts the check after its last run short, because the session is being left. */
  leaving?: AbortController | undefined;
  /** It has asked for its place back: several children can return at once, and one place is enough. */
  returning?: Promise<void> | undefined;
  done: Promise<AgentResult> | undefined;
  result: AgentResult | undefined;
  /** Whom it knows under which name: a name that went to another since is not written to by accident. */
  readonly knows: Map<string, string>;
};

export function isAtWork(member: Member): boolean {
  return member.state === 'running' || member.state === 'waiting' || member.state === 'queued';
}

/** Goes on by itself: the same run, with an abort of its own. */
export function detach(member: Member): boolean {
  if (member.background || member.parent === undefined || !isAtWork(member)) return false;
  member.background = true;
  member.unfollow();
  member.output.openFile();
  member.onDetach?.();
  // On record, so that whoever resumes it knows that a notice is owed. A record that fails fails the run itself.
  if (member.state !== 'queued') {
    const { state, run } = member;
    void member.agent.emit({ kind: 'agent-state-changed', state, run, reason: MOVED }).catch(() => {});
  }
  return true;
}

/** What the person stops stays stopped, also if something else had stopped it a moment before. */
export function stop(member: Member, by: StoppedBy): void {
  if (by === 'person' || member.stoppedBy === undefined) member.stoppedBy = by;
  member.abort.abort();
}

/** Whether it hangs below the other in the tree, however deep. */
export function isBelow(member: Member, above: Member): boolean {
  for (let one = member.parent; one !== undefined; one = one.parent) if (one === above) return true;
  return false;
}

/** While a member waits for nothing but its children, others may work in its place. */
export function lendSlot(member: Member): void {
  member.agent.activity.onChange(() => {
    if (!member.agent.activity.onlyWaits) return;
    member.slot?.release();
    member.slot = undefined;
  });
}

/** A child has come back: its parent needs a place again before it goes on. One, however many come back at once. */
export function retakeSlot(member: Member, slots: Slots): Promise<void> {
  if (member.parent === undefined || member.slot !== undefined) return Promise.resolve();
  member.returning ??= slots.reenter(member.abort.signal).then((slot) => {
    member.slot = slot;
    member.returning = undefined;
  });
  return member.returning;
}
