/** An agent as it stands now: what every surface shows of it. */

import { costOf } from '../model/models.js';
import { inputTokens } from '../protocol/usage.js';
import type { Member } from './live-agent.js';
import type { Runtime } from './runtime.js';

export type AgentSnapshot = {
  readonly id: string;
  readonly type: string;
  readonly name: string | undefined;
  readonly description: string;
  readonly parent: string | undefined;
  readonly depth: number;
  readonly status: Member['state'];
  readonly model: string;
  readonly folder: string;
  readonly elapsedMs: number;
  readonly turns: number;
  readonly toolUses: number;
  /** The tool at work now. */
  readonly tool: string | undefined;
  /** What it asks the person about. */
  readonly question: { readonly call: string; readonly tool: string } | undefined;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Of all input tokens, the share read from the cache; undefined before the first request. */
  readonly cacheShare: number | undefined;
  readonly costUsd: number | undefined;
};

export function snapshotOf(member: Member, runtime: Runtime): AgentSnapshot {
  const { agent } = member;
  const input = inputTokens(agent.usage);
  return {
    id: agent.id,
    type: agent.type,
    name: member.name,
    description: member.description,
    parent: member.parent?.agent.id,
    depth: agent.depth,
    status: member.state,
    model: agent.model.id,
    folder: agent.host.folder,
    elapsedMs: elapsedOf(member, runtime),
    ...runtime.progress.of(agent.id),
    toolUses: agent.activity.made,
    tokensIn: input,
    tokensOut: agent.usage.output,
    cacheShare: input === 0 ? undefined : agent.usage.cacheRead / input,
    costUsd: costOf(agent.usage, agent.model),
  };
}

/** Of the run under way, or of the last one when it has ended. */
function elapsedOf({ result, startedAt }: Member, runtime: Runtime): number {
  if (result !== undefined && 'durationMs' in result) return result.durationMs;
  return Math.round(runtime.host.clock.elapsed() - startedAt);
}
