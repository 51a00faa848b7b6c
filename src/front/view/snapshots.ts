/** Snapshots of a session's agents, as the library returns them. */

import { costOf, type ModelOverrides, modelData } from '../../model/models.js';
import { inputTokens, NO_USAGE } from '../../protocol/usage.js';
import { openCalls } from './agent-calls.js';
import { pathOfAgent } from './agent-path.js';
import type { AgentView, QuestionView } from './agent-view.js';
import { describeCall } from './describe/describe-call.js';
import type { SessionView } from './session-view.js';

export type AgentSnapshot = {
  readonly id: string;
  readonly type: string;
  readonly name: string | undefined;
  readonly description: string;
  readonly parent: string | undefined;
  readonly depth: number;
  /** An id of its tree, then the path of agents down to it. */
  readonly chain: string;
  readonly status: AgentView['status'];
  readonly model: string;
  readonly folder: string;
  readonly elapsedMs: number;
  readonly turns: number;
  readonly toolUses: number;
  /** The running tool. */
  readonly tool: string | undefined;
  /** Its current action in one line: the running tool and its main argument, or its last progress. */
  readonly doing: string | undefined;
  /** How long that tool has been running. */
  readonly toolMs: number | undefined;
  readonly worktree: { readonly path: string; readonly branch: string } | undefined;
  /** True if no call waits for it. */
  readonly background: boolean;
  /** The user has taken it over: it pauses after each turn. */
  readonly takenOver: boolean;
  /** It answers a question outside the conversation. */
  readonly aside: boolean;
  /** True if tokens and cost include its usage in an earlier process. */
  readonly isWhole: boolean;
  /** Its open question. */
  readonly question: { readonly call: string; readonly tool: string; readonly line: string } | undefined;
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
  return [...view.agents.values()].map((agent) => agentSnapshot(view, agent, now, models, session));
}

export function agentSnapshot(
  view: Pick<SessionView, 'agents'>,
  agent: AgentView,
  now: number,
  models: ModelOverrides,
  session: string,
): AgentSnapshot {
  return { ...snapshotOf(agent, now, models), chain: pathOfAgent(view, agent.id, session) };
}

function questionOf({ call, tool, question }: QuestionView): AgentSnapshot['question'] {
  return { call, tool, line: describeCall(tool, question?.call.input ?? {}) };
}

function snapshotOf(agent: AgentView, now: number, models: ModelOverrides): Omit<AgentSnapshot, 'chain'> {
  const { id, type, name, description, parent, depth, status, model, folder, turns, toolUses, usage } = agent;
  const input = inputTokens(usage);
  const [question] = agent.questions;
  const call = openCalls(agent).at(-1);
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
    tool: call?.tool,
    doing: call === undefined ? agent.progress : describeCall(call.tool, call.input),
    toolMs: call?.startedAt === undefined ? undefined : Math.round(now - call.startedAt),
    worktree: agent.worktree,
    background: agent.background,
    takenOver: agent.takenOver,
    aside: agent.aside,
    isWhole: agent.usageIsWhole,
    question: question && questionOf(question),
    toolUses,
    tokensIn: input,
    tokensOut: usage.output,
    cacheShare: input === 0 ? undefined : usage.cacheRead / input,
    costUsd: costBy(agent, models),
  };
}

/** Each model's part at its own price; undefined if one of them has none. */
function costBy({ model, usageByModel }: AgentView, models: ModelOverrides): number | undefined {
  if (usageByModel.size === 0) return costOf(NO_USAGE, modelData(model, models));
  let cost = 0;
  for (const [used, usage] of usageByModel) {
    const part = costOf(usage, modelData(used, models));
    if (part === undefined) return undefined;
    cost += part;
  }
  return cost;
}
