/** Background tasks and children as `system/task_*` lines of `stream-json`: started, progress, ended. */

import type { ModelOverrides } from '../../../model/models.js';
import { type AgentEvent, MAIN_AGENT, MOVED, type SessionEvent } from '../../../protocol/events.js';
import type { FrozenBlock } from '../../../protocol/frozen-block.js';
import type { AgentView } from '../agent-view.js';
import { readNotice } from '../read-notice.js';
import { noticeKey, type SessionView, type ShellView } from '../session-view.js';
import { type AgentSnapshot, agentSnapshot } from '../snapshots.js';
import { definedFields, type Line } from './line.js';

/** The lines for an event, given the view before that event. `now`: wall time, in milliseconds. */
export function taskLines(view: SessionView, { agent: id, event }: SessionEvent, now: number): readonly Line[] {
  switch (event.kind) {
    case 'agent-spawned':
      return event.background ? [agentStarted(id, event)] : [];
    case 'agent-dropped': {
      const agent = spawnedHere(view, id);
      if (!agent?.background) return [];
      return ended(id, agent.call, { status: 'failed', summary: event.reason, output_file: '' }, now);
    }
    case 'agent-state-changed': {
      const agent = spawnedHere(view, id);
      const moves = event.reason === MOVED || (event.run > 1 && event.call === undefined);
      return agent === undefined || agent.background || !moves ? [] : [agentStarted(id, agent)];
    }
    case 'call-finished': {
      const isIts = ({ owner, call }: ShellView) => owner === id && call === event.call;
      const shell = event.isError ? undefined : [...view.shells.values()].find(isIts);
      return shell === undefined ? [] : [shellStarted(shell)];
    }
    case 'input-admitted': {
      const isNews = event.notice !== undefined && !view.notices.has(noticeKey(event.notice));
      return isNews ? noticed(event.notice.agent, event.blocks, now) : [];
    }
    default:
      return [];
  }
}

/** Undefined for agents of an earlier process: its own lines announced them. */
function spawnedHere({ agents }: SessionView, id: string): AgentView | undefined {
  const agent = agents.get(id);
  return agent?.parent === undefined || agent.resumed ? undefined : agent;
}

type Started = Pick<AgentView, 'call' | 'description' | 'type' | 'depth' | 'parent'>;

function agentStarted(id: string, { call, description, type, depth, parent }: Started): Line {
  const above = parentTask(parent);
  return system('task_started', id, call, {
    description,
    subagent_type: type,
    task_type: 'local_agent',
    is_backgrounded: true,
    spawn_depth: depth,
    ...above,
  });
}

function shellStarted({ id, call, command, owner }: ShellView): Line {
  const above = parentTask(owner);
  return system('task_started', id, call, {
    description: command,
    task_type: 'local_bash',
    is_backgrounded: true,
    ...above,
  });
}

function parentTask(agent: string | undefined): Line {
  return agent === undefined || agent === MAIN_AGENT ? {} : { parent_task_id: agent };
}

function noticed(id: string, blocks: readonly FrozenBlock[], now: number): readonly Line[] {
  const { call, status, summary, outputFile, usage } = readNotice(blocks);
  return ended(id, call, { status, summary, output_file: outputFile, usage: usageOf(usage) }, now);
}

function ended(id: string, call: string | undefined, fields: Line, now: number): readonly Line[] {
  const patch = { status: fields.status === 'stopped' ? 'killed' : fields.status, end_time: now };
  return [
    system('task_updated', id, undefined, { patch }),
    system('task_notification', id, call, definedFields(fields)),
  ];
}

/** Usage of an agent; a command has only a duration. */
function usageOf(words: string): Line | undefined {
  const count = (name: string) => Number(new RegExp(`${name}: (\\d+)`).exec(words)?.[1]);
  const usage = { total_tokens: count('tokens'), tool_uses: count('tool calls'), duration_ms: count('duration') };
  return Object.values(usage).some(Number.isNaN) ? undefined : usage;
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

/** Events that change visible progress. */
const CHANGES: ReadonlySet<AgentEvent['kind']> = new Set([
  'agent-queued',
  'agent-state-changed',
  'assistant-replied',
  'call-started',
  'question-asked',
  'question-settled',
] as const);

/**
 * The progress of a child after an event, given the view after it: everything known about it, and its current action in
 * one line. None for the main agent, which has its own lines.
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
  return definedFields({
    description: agent.description,
    agent_type: agent.type,
    subagent_type: agent.type,
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
