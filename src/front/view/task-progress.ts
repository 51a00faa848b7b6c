/** How a child stands, as a `system/task_progress` line of `stream-json`: all that is known of it, and one line about what it does. */

import type { ModelOverrides } from '../../model/models.js';
import type { AgentEvent, SessionEvent } from '../../protocol/events.js';
import type { SessionView } from './session-view.js';
import { type AgentSnapshot, agentSnapshot } from './snapshots.js';
import type { Line } from './stream-json.js';

export type ProgressOptions = {
  /** From the clock of the view's events. */
  readonly now: number;
  readonly models: ModelOverrides;
  readonly session: string;
};

/** What changes something that people look at. */
const CHANGES: ReadonlySet<AgentEvent['kind']> = new Set([
  'agent-queued',
  'agent-state-changed',
  'assistant-replied',
  'call-started',
  'question-asked',
  'question-settled',
] as const);

/** The line for an event, given the view after it. None for the main agent: its own lines tell. */
export function taskProgress(
  view: SessionView,
  { agent, event }: SessionEvent,
  { now, models, session }: ProgressOptions,
): Line | undefined {
  if (!CHANGES.has(event.kind)) return undefined;
  const child = view.agents.get(agent);
  if (child?.parent === undefined) return undefined;
  const { call } = child;
  const line = describe(agentSnapshot(view, child, now, models, session));
  const started = call === undefined ? {} : { tool_use_id: call };
  return { type: 'system', subtype: 'task_progress', task_id: agent, ...started, ...line };
}

function describe(agent: AgentSnapshot): Line {
  const { question, tokensIn, tokensOut, toolUses, elapsedMs } = agent;
  return given({
    description: agent.description,
    agent_type: agent.type,
    name: agent.name,
    parent: agent.parent,
    depth: agent.depth,
    chain: agent.chain,
    status: agent.status,
    background: agent.background,
    model: agent.model,
    folder: agent.folder,
    worktree: agent.worktree,
    last_tool_name: agent.tool,
    summary: agent.doing,
    question: question && { tool_use_id: question.call, tool_name: question.tool, line: question.line },
    turns: agent.turns,
    tool_uses: toolUses,
    elapsed_ms: elapsedMs,
    tokens_in: tokensIn,
    tokens_out: tokensOut,
    cache_share: agent.cacheShare,
    cost_usd: agent.costUsd,
    usage: { total_tokens: tokensIn + tokensOut, tool_uses: toolUses, duration_ms: elapsedMs },
  });
}

/** Only what has a value. */
function given(fields: Line): Line {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
