/**
 * Agents that have ended rest: what they were stays on disk, and in memory only what lists and answers need. One that is
 * written to again is brought back from its transcript.
 */

import type { AgentLog } from '../../session/state/agent-log.js';
import type { Member } from '../live-agent.js';
import type { AgentResult } from '../run/result.js';
import type { Runtime } from '../runtime.js';
import { type RestoredMember, restoreMember } from './restore-agent.js';

/** Lets go of everything but the facts. Its transcript is complete and released. */
export function endAgent(runtime: Runtime, member: Member): void {
  if (member.parent === undefined || member.spawned === undefined) return;
  const { result } = member;
  const ended = result === undefined || result.status === 'async_launched' ? undefined : result;
  const state = member.state === 'queued' ? 'interrupted' : member.state;
  const log: AgentLog = {
    agent: member.agent.id,
    path: runtime.layout.agentFile(member.agent.id),
    // It may have been moved since it was spawned.
    spawned: { ...member.spawned, background: member.background },
    background: member.background,
    runs: [{ run: member.run, state, ...(member.stoppedBy === undefined ? {} : { by: member.stoppedBy }) }],
    state,
    unfinished: state === 'interrupted',
    begun: true,
    result: ended && {
      run: member.run,
      status: ended.status,
      text: ended.status === 'failed' ? `${ended.line}\n${ended.content}` : ended.content,
    },
    delivered: [],
    damaged: 0,
  };
  if (ended !== undefined) results.set(log, ended);
  runtime.members.delete(member.agent.id);
  runtime.ended.set(member.agent.id, log);
}

const results = new WeakMap<AgentLog, AgentResult>();

/** What it came to, if it ended in this process. */
export function resultOf(log: AgentLog): AgentResult | undefined {
  return results.get(log);
}

/** Brings one back; it takes up its old place in the tree. */
export async function reviveAgent(runtime: Runtime, log: AgentLog): Promise<RestoredMember> {
  const parent = runtime.members.get(log.spawned.parent) ?? runtime.members.get('main');
  if (parent === undefined) return { ok: false, reason: `agent ${log.agent} has nobody to report to` };
  const restored = await restoreMember(runtime, log, parent);
  if (!restored.ok) return restored;
  for (const line of restored.told) await restored.member.agent.emit({ kind: 'line-shown', level: 'warning', line });
  return restored;
}

export function wasStoppedByPerson(log: AgentLog): boolean {
  return log.state === 'stopped' && log.runs.at(-1)?.by === 'person';
}
