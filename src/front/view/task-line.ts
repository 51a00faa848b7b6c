/** Background tasks and children as `system/task_*` lines of `stream-json`: started, how it stands, ended. */

import type { ModelOverrides } from '../../model/models.js';
import { type AgentEvent, MOVED, type SessionEvent } from '../../protocol/events.js';
import type { FrozenBlock } from '../../protocol/frozen-block.js';
import type { AgentView } from './agent-view.js';
import { readNotice } from './read-notice.js';
import { noticeKey, type SessionView, type ShellView } from './session-view.js';
import { type AgentSnapshot, agentSnapshot } from './snapshots.js';
import type { Line } from './stream-json.js';

/** The line for an event, given the view before that event. An event has at most one. */
export function taskLine(view: SessionView, { agent: id, event }: SessionEvent): Line | undefined {
  switch (event.kind) {
    case 'agent-spawned':
      return event.background ? started(id, event.call, event.description, 'local_agent') : undefined;
    case 'agent-dropped': {
      const agent = spawnedHere(view, id);
      if (!agent?.background) return undefined;
      return system('task_notification', id, agent.call, { status: 'failed', summary: event.reason });
    }
    case 'agent-state-changed': {
      const agent = spawnedHere(view, id);
      const moves = event.reason === MOVED || (event.run > 1 && event.call === undefined);
      if (agent === undefined || agent.background || !moves) return undefined;
      return started(id, agent.call, agent.description, 'local_agent');
    }
    case 'call-finished': {
      const isIts = ({ owner, call }: ShellView) => owner === id && call === event.call;
      const shell = event.isError ? undefined : [...view.shells.values()].find(isIts);
      return shell && started(shell.id, shell.call, shell.command, 'local_bash');
    }
    case 'input-admitted': {
      const isNews = event.notice !== undefined && !view.notices.has(noticeKey(event.notice));
      return isNews ? ended(event.notice.agent, event.blocks) : undefined;
    }
    default:
      return undefined;
  }
}

/** Undefined for agents of an earlier process: its own lines announced them. */
function spawnedHere({ agents }: SessionView, id: string): AgentView | undefined {
  const agent = agents.get(id);
  return agent?.parent === undefined || agent.resumed ? undefined : agent;
}

function started(id: string, call: string | undefined, description: string, task_type: string): Line {
  return system('task_started', id, call, { description, task_type });
}

function ended(id: string, blocks: readonly FrozenBlock[]): Line {
  const { call, status, summary, outputFile, usage } = readNotice(blocks);
  return system('task_notification', id, call, { status, summary, output_file: outputFile, usage });
}

function system(subtype: string, task_id: string, tool_use_id: string | undefined, more: Line): Line {
  return { type: 'system', subtype, task_id, ...(tool_use_id === undefined ? {} : { tool_use_id }), ...more };
}

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

/**
 * How a child stands after an event, given the view after it: all that is known of it, and one line about what it does.
 * None for the main agent: its own lines tell.
 */
export function taskProgress(
  view: SessionView,
  { agent, event }: SessionEvent,
  { now, models, session }: ProgressOptions,
): Line | undefined {
  if (!CHANGES.has(event.kind)) return undefined;
  const child = view.agents.get(agent);
  if (child?.parent === undefined) return undefined;
  const { call } = child;
  const line = describeAgent(agentSnapshot(view, child, now, models, session));
  const started = call === undefined ? {} : { tool_use_id: call };
  return { type: 'system', subtype: 'task_progress', task_id: agent, ...started, ...line };
}

function describeAgent(agent: AgentSnapshot): Line {
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
