/** The view of one agent, and how each of its events changes it. */

import {
  type AgentEvent,
  type AgentSpawned,
  type AgentStatus,
  type DurableEvent,
  type DurableEventOf,
  MAIN_AGENT,
  MOVED,
  RESUMED_AUTOMATICALLY,
} from '../../protocol/events.js';
import type { PermissionQuestion } from '../../protocol/permission.js';
import { NO_USAGE } from '../../protocol/usage.js';
import { type AgentActivity, NO_ACTIVITY, reduceActivity } from './agent-activity.js';
import { type AgentCalls, reduceCalls } from './agent-calls.js';
import { type AgentQueue, reduceQueue } from './agent-queue.js';
import { type AgentUsage, reduceUsage } from './agent-usage.js';

export type QuestionView = {
  readonly call: string;
  readonly tool: string;
  readonly question: PermissionQuestion | undefined;
};

export type AgentView = AgentUsage &
  AgentCalls &
  AgentActivity &
  AgentQueue & {
    readonly id: string;
    readonly parent: string | undefined;
    readonly type: string;
    readonly name: string | undefined;
    readonly description: string;
    /** The parent's call that started it. */
    readonly call: string | undefined;
    readonly depth: number;
    readonly status: AgentStatus | 'queued';
    readonly folder: string;
    readonly worktree: { readonly path: string; readonly branch: string } | undefined;
    /** True if no call waits for it. */
    readonly background: boolean;
    /** The user has taken it over: it pauses after each turn. */
    readonly takenOver: boolean;
    /** It answers a question outside the conversation; lists may omit it. */
    readonly aside: boolean;
    /** True if it was spawned before the first event of this view. */
    readonly resumed: boolean;
    readonly run: number;
    /** Start of the current run, or of the last one. */
    readonly startedAt: number | undefined;
    readonly endedAt: number | undefined;
    /** Over all runs. */
    readonly turns: number;
    /** The first one is shown. */
    readonly questions: readonly QuestionView[];
    /** The kind of the last fault that was not retried. */
    readonly fault: string | undefined;
    /** A tool's last progress line. */
    readonly progress: string | undefined;
  };

export function blankAgent(id: string): AgentView {
  const isMain = id === MAIN_AGENT;
  return {
    id,
    parent: undefined,
    type: isMain ? MAIN_AGENT : '',
    name: undefined,
    description: isMain ? 'the session' : '',
    call: undefined,
    depth: 0,
    status: isMain ? 'waiting' : 'interrupted',
    model: '',
    folder: '',
    worktree: undefined,
    background: false,
    takenOver: false,
    aside: false,
    resumed: !isMain,
    run: 1,
    startedAt: undefined,
    endedAt: undefined,
    turns: 0,
    toolUses: 0,
    calls: [],
    questions: [],
    usage: NO_USAGE,
    usageByModel: new Map(),
    usageIsWhole: false,
    fault: undefined,
    progress: undefined,
    queue: [],
    ...NO_ACTIVITY,
  };
}

/** An agent of an earlier process, as recorded in its transcript. */
export type PastAgent = {
  readonly agent: string;
  readonly spawned: AgentSpawned;
  readonly status: AgentStatus;
  readonly background: boolean;
  readonly runs?: readonly { readonly worktree?: Pick<DurableEventOf<'worktree-settled'>, 'outcome'> }[];
};

export function pastAgent({ agent, spawned, status, background, runs }: PastAgent): AgentView {
  const past = { ...blankAgent(agent), ...spawnedFields(spawned), status, background };
  return settleWorktree(past, runs?.at(-1)?.worktree?.outcome);
}

/** A removed worktree is not shown. */
function settleWorktree(
  agent: AgentView,
  outcome: DurableEventOf<'worktree-settled'>['outcome'] | undefined,
): AgentView {
  return outcome === 'removed' || outcome === 'gone' ? { ...agent, worktree: undefined } : agent;
}

/** Returns the same object if the event changes nothing. `seq` 1 is the first record of a transcript. */
export function reduceAgent(agent: AgentView, event: AgentEvent, seq: number | undefined, now: number): AgentView {
  const counted = reduceCalls(reduceUsage(reduceLife(agent, event, seq, now), event), event, now);
  return reduceQueue(reduceActivity(counted, event, now), event, seq);
}

function reduceLife(agent: AgentView, event: AgentEvent, seq: number | undefined, now: number): AgentView {
  switch (event.kind) {
    case 'session-started':
      return {
        ...agent,
        model: event.model,
        folder: event.cwd,
        startedAt: now,
        usageIsWhole: agent.usageIsWhole || seq === 1,
      };
    case 'agent-spawned':
      return {
        ...agent,
        ...spawnedFields(event),
        status: 'queued',
        resumed: false,
        startedAt: now,
        usageIsWhole: seq === 1,
      };
    case 'agent-resumed':
      return resume(agent, event);
    case 'agent-queued': {
      const startedAt = agent.endedAt === undefined ? agent.startedAt : now;
      return { ...agent, status: 'queued', startedAt, endedAt: undefined };
    }
    case 'worktree-settled':
      return settleWorktree(agent, event.outcome);
    case 'agent-taken-over':
      return { ...agent, takenOver: true };
    case 'agent-handed-back':
      return { ...agent, takenOver: false };
    case 'agent-state-changed':
      return changeState(agent, event, now);
    case 'epoch-started':
      return { ...agent, model: event.model };
    case 'message-joined':
      return markRunning(agent, now);
    case 'turn-started':
      return { ...markRunning(agent, now), turns: agent.turns + 1 };
    case 'fault-met':
      return event.retry === undefined ? { ...agent, fault: event.fault } : agent;
    case 'call-progressed':
      return { ...agent, progress: event.line };
    case 'question-asked': {
      const { call, tool, question } = event;
      return { ...agent, questions: [...agent.questions, { call, tool, question }] };
    }
    case 'question-settled': {
      const isOpen = ({ call, question }: QuestionView) =>
        call !== event.call ||
        (event.question !== undefined && question !== undefined && question.id !== event.question);
      return { ...agent, questions: agent.questions.filter(isOpen) };
    }
    case 'run-ended':
      return { ...agent, status: agent.id === MAIN_AGENT ? 'waiting' : agent.status, questions: [] };
    default:
      return agent;
  }
}

function spawnedFields({
  parent,
  type,
  name,
  description,
  call,
  depth,
  model,
  cwd,
  worktree,
  background,
  aside,
}: AgentSpawned) {
  return {
    aside: aside === true,
    parent,
    type,
    name,
    description,
    call,
    depth,
    model,
    folder: cwd,
    worktree,
    background,
  };
}

/** Later facts (moved to the background, another model) override the first record. */
function resume(
  agent: AgentView,
  { parent, call, spawned }: Extract<AgentEvent, { kind: 'agent-resumed' }>,
): AgentView {
  if (spawned === undefined) return { ...agent, parent, call };
  const background = agent.background || spawned.background;
  return { ...agent, ...spawnedFields(spawned), parent, call, background, model: agent.model || spawned.model };
}

/** A later run is in the background, unless a call waits for it. */
function changeState(
  agent: AgentView,
  { state, run, reason, call }: Extract<DurableEvent, { kind: 'agent-state-changed' }>,
  now: number,
): AgentView {
  const goesOn = agent.run === run && hasOpenRun(agent.status) && reason !== RESUMED_AUTOMATICALLY;
  return {
    ...agent,
    status: state,
    run,
    takenOver: agent.takenOver && agent.run === run && hasOpenRun(state),
    background: reason === MOVED || (call === undefined && (agent.background || run > 1)),
    startedAt: state === 'running' && !goesOn ? now : agent.startedAt,
    endedAt: hasOpenRun(state) ? undefined : now,
  };
}

export function hasOpenRun(status: AgentView['status']): boolean {
  return status === 'running' || status === 'waiting';
}

/** True if it is running, or will be without input. */
export function isActive(status: string): boolean {
  return status === 'running' || status === 'waiting' || status === 'queued';
}

/** The main agent has no status records: its turns and the end of its run determine its status. */
function markRunning(agent: AgentView, now: number): AgentView {
  if (agent.id !== MAIN_AGENT) return agent;
  return { ...agent, status: 'running', startedAt: agent.startedAt ?? now };
}
