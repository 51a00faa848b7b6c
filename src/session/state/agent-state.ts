/**
 * What an agent is at a moment, folded from its events: live, on resume, for a fork, after a rewind. Only `reduce`
 * changes it; everybody else reads. Nothing of it is kept anywhere else.
 */

import type {
  AgentSpawned,
  AgentStatus,
  EpochReason,
  NoticeKey,
  Origin,
  RunEndReason,
  SessionStarted,
  StoppedBy,
  TaskStarted,
} from '../../protocol/events.js';
import type { FrozenBlock } from '../../protocol/frozen-block.js';
import { callsIn, toolIdOf } from '../../protocol/frozen-block.js';
import { type Breakpoint, History, type HistoryView } from '../../protocol/history.js';
import type { PermissionMode } from '../../protocol/permission.js';
import { NO_USAGE, type Usage } from '../../protocol/usage.js';

export type AgentState = {
  /** How it began: the main agent, a child. Undefined when that record is missing or damaged. */
  started: SessionStarted | undefined;
  spawned: AgentSpawned | undefined;

  /** What the model has seen and will see again. It only grows; a new epoch may replace it as a whole. */
  history: History;
  /** How many of its first messages are shared with the parent of a fork. */
  inherited: number;
  /** The epoch under way; undefined before the first request. */
  epoch: RecordedEpoch | undefined;
  /** Why the history no longer continues that epoch; undefined while it does. */
  newEpoch: EpochReason | undefined;
  /** How many messages the last request had that the API accepted in this epoch. */
  accepted: number | undefined;
  /** Where earlier requests ended that the API has in its cache, nearest first. */
  breakpoints: readonly Breakpoint[];
  /** What the last accepted request had, in and out: where the context limit is measured from. */
  lastRequest: LastRequest;
  /** Why the last reply stopped; undefined when something was said to the model since. */
  lastStop: string | undefined;
  /** How often the history was replaced: what was told before that is no longer there to be read. */
  generation: number;

  /** Admitted, but part of no message yet, in order. */
  pending: Admitted[];
  /** Keys under which input was admitted. */
  readonly admittedKeys: Set<string>;
  /** Results of the last reply's calls that are part of no message yet, by the number of their record. */
  results: Map<number, CallResult>;
  /** Calls of the last reply whose effect may have begun. */
  intended: Set<string>;
  /** Ids of all calls ever made: the API takes each but once. */
  readonly callIds: CallIds;
  /** Its task is on disk. */
  begun: boolean;

  mode: PermissionMode;
  todos: readonly unknown[];
  /** What the person said, as far as it counts, in order. */
  prompts: RecordedPrompt[];
  /** What was kept of files and left in them, in order. */
  readonly fileStates: FileState[];
  /** Shell commands that went on in the background. */
  readonly tasks: Map<string, TaskStarted>;
  /** Notices that reached this agent, by key. */
  readonly delivered: Map<string, NoticeKey>;
  /** Its runs, by number. */
  readonly runs: Map<number, RunLog>;
  /** How the last run of the loop ended; undefined while it is under way, or never began. */
  runEnd: { readonly reason: RunEndReason; readonly line?: string } | undefined;
  usage: Usage;

  /** The number of the last record. */
  lastSeq: number;
  /** The record that began the last turn. */
  turnAt: number;
  /** A record was lost since the last message was joined: it may have been the one that joined the next. */
  gap: boolean;
};

type RecordedEpoch = { readonly prefix: string; readonly model: string; readonly maxTokens: number };

export type LastRequest = {
  readonly tokens: number;
  readonly messages: number;
  /** Tokens that lie in the API's cache since then. Known only to the process that sent it. */
  readonly cached: number;
};

export const NO_REQUEST: LastRequest = { tokens: 0, messages: 0, cached: 0 };

export type Admitted = {
  /** The record that holds the blocks. */
  readonly seq: number;
  readonly origin: Origin;
  readonly notice?: NoticeKey;
  readonly blocks: readonly FrozenBlock[];
};

export type RecordedResult = { readonly seq: number; readonly blocks: readonly FrozenBlock[] };

export type CallResult = RecordedResult & { readonly call: string };

export type RecordedPrompt = { readonly seq: number; readonly words: string };

/** `kept`: what a file held before a change; `left`: what it held after one. */
export type FileState = {
  readonly seq: number;
  readonly kind: 'kept' | 'left';
  readonly path: string;
  readonly sha256: string | null;
};

/** One run of a child, by its number. */
export type RunLog = {
  readonly run: number;
  readonly status: AgentStatus;
  readonly by?: StoppedBy;
  readonly reason?: string;
  /** It was moved to the background: nobody waits for it any more. */
  readonly moved?: boolean;
  /** How often it was resumed automatically. */
  readonly automatic?: number;
  readonly result?: { readonly status: string; readonly text: string };
  readonly notice?: { readonly to: string; readonly text: string };
};

export interface CallIds {
  has(id: string): boolean;
  add(id: string): void;
}

export type StateOptions = {
  /** What a fork starts with. */
  readonly inherited?: HistoryView;
  /** Ids that are taken already, without copying them: a fork's parent's. */
  readonly callIds?: CallIds;
  readonly breakpoints?: readonly Breakpoint[];
};

export function createState({ inherited, callIds, breakpoints = [] }: StateOptions = {}): AgentState {
  return {
    started: undefined,
    spawned: undefined,
    history: new History(inherited),
    inherited: inherited?.length ?? 0,
    epoch: undefined,
    newEpoch: undefined,
    accepted: undefined,
    breakpoints,
    lastRequest: NO_REQUEST,
    lastStop: undefined,
    generation: 0,
    pending: [],
    admittedKeys: new Set(),
    results: new Map(),
    intended: new Set(),
    callIds: callIds === undefined ? new Set(callsIn(inherited ?? [])) : layered(callIds),
    begun: false,
    mode: 'default',
    todos: [],
    prompts: [],
    fileStates: [],
    tasks: new Map(),
    delivered: new Map(),
    runs: new Map(),
    runEnd: undefined,
    usage: NO_USAGE,
    lastSeq: 0,
    turnAt: 0,
    gap: false,
  };
}

/** The first request of an agent begins an epoch; a later one only when the history says so. */
export function epochReason(state: AgentState): EpochReason | undefined {
  return state.newEpoch ?? (state.epoch === undefined ? 'session-start' : undefined);
}

/** Results on record that no message holds yet, by the call's id; the last one recorded counts. */
export function resultsByCall(state: AgentState): Map<string, RecordedResult> {
  const results = new Map<string, RecordedResult>();
  for (const { call, seq, blocks } of state.results.values()) {
    if (blocks.length === 1 && blocks.every((block) => toolIdOf(block) === call)) results.set(call, { seq, blocks });
  }
  return results;
}

/** Commands in the background whose end this agent has not heard of. */
export function openTasks(state: AgentState): TaskStarted[] {
  return [...state.tasks.values()].filter(({ task }) => !state.delivered.has(noticeKey({ agent: task, run: 1 })));
}

export function noticeKey({ agent, run }: NoticeKey): string {
  return `notice ${agent} ${run}`;
}

/** The child's calls must differ from all its parent made. */
function layered(parent: CallIds): CallIds {
  const own = new Set<string>();
  return { has: (id) => own.has(id) || parent.has(id), add: (id) => own.add(id) };
}

export function isFinal(status: AgentStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped';
}
