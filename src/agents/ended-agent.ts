/**
 * An agent that has ended, reduced to what lists and replies need. The rest is on disk, and it can be restored from
 * there.
 */

import type { SessionLayout } from '../config/paths.js';
import type { Result } from '../protocol/result.js';
import { type AgentLog, agentLog } from '../session/state/agent-log.js';
import { isFinal } from '../session/state/agent-state.js';
import type { LiveAgent } from './live-agent.js';
import type { EndedResult } from './run/result.js';

export type EndedAgent = AgentLog & {
  /** Its result, if it ended in this process. */
  readonly outcome?: EndedResult;
  /** Set while it is being restored, so that two senders restore it only once. */
  reviving?: Promise<Revived> | undefined;
};

export type Revived = Result<{ readonly agent: LiveAgent; readonly notes: readonly string[] }>;

export function wasStoppedByUser(ended: AgentLog): boolean {
  return ended.status === 'stopped' && ended.runs.at(-1)?.by === 'person';
}

/** The summary of an agent whose run has ended; undefined if its records are incomplete. */
export function endedAgentOf(layout: SessionLayout, agent: LiveAgent): EndedAgent | undefined {
  const log = agentLog(agent.state, agent.id, layout.agentFile(agent.id));
  if (typeof log === 'string') return undefined;
  const { result, status, background } = agent;
  // An end that could not be recorded still applies in this process.
  const final = status !== 'queued' && isFinal(status);
  return {
    ...log,
    background,
    ...(final ? { status, unfinished: false } : {}),
    ...(result === undefined ? {} : { outcome: result }),
  };
}
