/** Snapshots of a session's agents, as the library returns them. */

import { costOf, type ModelOverrides, modelData } from '../../model/models.js';
import { inputTokens } from '../../protocol/usage.js';
import { agentChain } from './agent-chain.js';
import type { AgentView } from './agent-view.js';
import { callsUnderWay } from './agent-view.js';
import type { SessionView } from './session-view.js';

export type AgentSnapshot = {
  readonly id: string;
  readonly type: string;
  readonly name: string | undefined;
  readonly description: string;
  readonly parent: string | undefined;
  readonly depth: number;
  /** An id of its tree, then the line of agents down to it. */
  readonly chain: string;
  readonly status: AgentView['status'];
  readonly model: string;
  readonly folder: string;
  readonly elapsedMs: number;
  readonly turns: number;
  readonly toolUses: number;
  /** The tool that is running. */
  readonly tool: string | undefined;
  /** The question it waits on. */
  readonly question: { readonly call: string; readonly tool: string } | undefined;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Share of input tokens read from the cache; undefined before the first request. */
  readonly cacheShare: number | undefined;
  readonly costUsd: number | undefined;
};

/** `now` comes from the same clock as the view's events. */
export function snapshots(
  view: SessionView,
  now: number,
  models: ModelOverrides,
  session = '',
): readonly AgentSnapshot[] {
  return [...view.agents.values()].map((agent) => ({
    ...snapshotOf(agent, now, models),
    chain: agentChain(view, agent.id, session),
  }));
}

function snapshotOf(agent: AgentView, now: number, models: ModelOverrides): Omit<AgentSnapshot, 'chain'> {
  const { id, type, name, description, parent, depth, status, model, folder, turns, toolUses, usage } = agent;
  const input = inputTokens(usage);
  const [question] = agent.questions;
  return {
    id,
    type,
    name,
    description,
    parent,
    depth,
    status,
    model,
    folder,
    elapsedMs: Math.round((agent.endedAt ?? now) - (agent.startedAt ?? now)),
    turns,
    tool: callsUnderWay(agent).at(-1)?.tool,
    question: question && { call: question.call, tool: question.tool },
    toolUses,
    tokensIn: input,
    tokensOut: usage.output,
    cacheShare: input === 0 ? undefined : usage.cacheRead / input,
    costUsd: costOf(usage, modelData(model, models)),
  };
}
