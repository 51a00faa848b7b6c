/**
 * The state of an agent, folded from its events: live, on resume, for a fork, after a rewind. Only `reduce` changes it,
 * and no part of it is stored anywhere else.
 */

import type {
  AgentSpawned,
  AgentStatus,
  Announcements,
  DurableEventOf,
  EpochReason,
  NoticeKey,
  Origin,
  PathState,
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
  /** Its start, as main agent or as child. Undefined if that record is missing or damaged. */
  started: SessionStarted | undefined;
  spawned: AgentSpawned | undefined;
  /** The display name of the session. */
  name: string | undefined;

  /** The messages the model sees. The history only grows; a new epoch may replace it as a whole. */
  history: History;
  /** How many of the first messages a fork shares with its parent. */
  inherited: number;
  /** The current epoch; undefined before the first request. */
  epoch: RecordedEpoch | undefined;
  /** Why the history no longer continues that epoch; undefined while it does. */
  newEpoch: EpochReason | undefined;
  /** Number of messages in the last request the API accepted in this epoch. */
  accepted: number | undefined;
  /** Ends of earlier requests that the API has cached, nearest first. */
  breakpoints: readonly Breakpoint[];
  /** Size of the last accepted request, input and output; the context limit is measured from it. */
  lastRequest: LastRequest;
  /** Why the last reply stopped; undefined once the model got new input. */
  lastStop: string | undefined;
  /** The number of times the history was replaced. Earlier messages are no longer in it. */
  generation: number;

  /** Admitted input that is not part of a message yet, in order. */
  pending: Admitted[];
  /** Facts announced by reminders of this history: the opening, and changes since. */
  told: { readonly opening: Announcements; readonly since: Announcements };
  /** Keys of all admitted input. */
  readonly admittedKeys: Set<string>;
  /** Results for the last reply that are not part of a message yet, by record number. */
  results: Map<number, CallResult>;
  /** Calls of the last reply that may have had an effect. */
  intended: Set<string>;
  /** Ids of all calls ever made: the API accepts each id only once. */
  readonly callIds: CallIds;
  /** True if its task is on disk. */
  begun: boolean;

  mode: PermissionMode;
  todos: readonly unknown[];
  /** Skills whose hooks are active in the session, with the approval of each. */
  hookedSkills: Readonly<Record<string, string>>;
  /** The user's prompts that were not rewound, in order. */
  prompts: RecordedPrompt[];
  /** Contents of files before (`kept`) and after (`left`) changes, in order. */
  readonly fileStates: FileState[];
  /** Shell commands that continued in the background. */
  readonly tasks: Map<string, TaskStarted>;
  /** Notices that reached this agent, by key. */
  readonly delivered: Map<string, NoticeKey>;
  /** Runs by number. */
  readonly runs: Map<number, RunLog>;
  /** How the last run of the loop ended; undefined while one is active or before the first. */
  runEnd: Pick<DurableEventOf<'run-ended'>, 'reason' | 'line' | 'structured'> | undefined;
  usage: Usage;

  /** Number of the last record. */
  lastSeq: number;
  /** Number of the record that started the last turn. */
  turnAt: number;
  /** True if a record was lost since the last joined message; it may have been the one that joined the next. */
  gap: boolean;
};

type RecordedEpoch = {
  readonly prefix: string;
  readonly model: string;
  readonly maxTokens: number;
  /** The epoch is for one turn; these values apply again afterwards. */
  readonly base?: Omit<RecordedEpoch, 'base'>;
};

export type LastRequest = {
  readonly tokens: number;
  readonly messages: number;
  /** Tokens that the API has cached since then, until it drops them. */
  readonly cached: number;
};

export const NO_REQUEST: LastRequest = { tokens: 0, messages: 0, cached: 0 };

export type Admitted = {
  /** Number of the record that holds the blocks. */
  readonly seq: number;
  readonly origin: Origin;
  readonly notice?: NoticeKey;
  /** The key of a user message, and of additions to it. */
  readonly key?: string;
  /** It is not read before it is released. */
  readonly held?: true;
  readonly blocks: readonly FrozenBlock[];
};

/** The key of the opening of a conversation. */
export const OPENING_KEY = 'opening';

export type RecordedResult = { readonly seq: number; readonly blocks: readonly FrozenBlock[] };

export type CallResult = RecordedResult & { readonly call: string };

export type RecordedPrompt = { readonly seq: number; readonly words: string };

/** `kept`: the state before a change; `left`: the state after one. */
export type FileState = PathState & {
  readonly seq: number;
  readonly kind: 'kept' | 'left';
  readonly path: string;
};

/** The state of a path in an event, without the event's other fields. */
export function stateAt({ path, sha256, as, mode }: PathState & { readonly path: string }) {
  return { path, sha256, ...(as === undefined ? {} : { as }), ...(mode === undefined ? {} : { mode }) };
}

/** One run of a child. */
export type RunLog = {
  readonly run: number;
  readonly status: AgentStatus;
  readonly by?: StoppedBy;
  readonly reason?: string;
  /** The call that waits for it, if it is not the call that started the agent. */
  readonly call?: string;
  /** It was moved to the background: no one waits for it any more. */
  readonly moved?: boolean;
  /** The record since which the user has taken it over. */
  readonly takenOver?: number;
  /** How often it was resumed automatically. */
  readonly automatic?: number;
  readonly result?: { readonly status: string; readonly text: string };
  /** The fate of its worktree. */
  readonly worktree?: Pick<DurableEventOf<'worktree-settled'>, 'outcome' | 'reasons'>;
  readonly notice?: { readonly to: string; readonly text: string };
};

export interface CallIds {
  has(id: string): boolean;
  add(id: string): void;
}

export type StateOptions = {
  /** The history a fork starts with. */
  readonly inherited?: HistoryView;
  /** Ids already used by a fork's parent; referenced, not copied. */
  readonly callIds?: CallIds;
  readonly breakpoints?: readonly Breakpoint[];
  /** The tokens the API has counted for that history. */
  readonly lastRequest?: LastRequest;
};

export function createState(options: StateOptions = {}): AgentState {
  const { inherited, callIds, breakpoints = [], lastRequest = NO_REQUEST } = options;
  return {
    started: undefined,
    spawned: undefined,
    name: undefined,
    history: new History(inherited),
    inherited: inherited?.length ?? 0,
    epoch: undefined,
    newEpoch: undefined,
    accepted: undefined,
    breakpoints,
    lastRequest,
    lastStop: undefined,
    generation: 0,
    pending: [],
    told: NOTHING_ANNOUNCED,
    admittedKeys: new Set(),
    results: new Map(),
    intended: new Set(),
    callIds: callIds === undefined ? new Set(callsIn(inherited ?? [])) : layered(callIds),
    begun: false,
    mode: 'default',
    todos: [],
    hookedSkills: {},
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

/** The epoch without overrides for a single turn: those do not outlive the process. */
export function lastingEpoch({ epoch }: AgentState): RecordedEpoch | undefined {
  return epoch?.base ?? epoch;
}

/** An agent's first request begins an epoch; a later one only if the history requires it. */
export function epochReason(state: AgentState): EpochReason | undefined {
  return state.newEpoch ?? (state.epoch === undefined ? 'session-start' : undefined);
}

/** Recorded results that are not in a message yet, by call id; the last record for a call wins. */
export function resultsByCall(state: AgentState): Map<string, RecordedResult> {
  const results = new Map<string, RecordedResult>();
  for (const { call, seq, blocks } of state.results.values()) {
    if (blocks.length === 1 && blocks.every((block) => toolIdOf(block) === call)) results.set(call, { seq, blocks });
  }
  return results;
}

/** Background commands whose end was not reported to this agent yet. */
export function openTasks(state: AgentState): TaskStarted[] {
  return [...state.tasks.values()].filter(({ task }) => !state.delivered.has(noticeKey({ agent: task, run: 1 })));
}

export const NOTHING_ANNOUNCED: AgentState['told'] = { opening: {}, since: {} };

/** The latest announced fact of each topic. */
export function announcedTo({ told }: AgentState): Announcements {
  return { ...told.opening, ...told.since };
}

export function noticeKey({ agent, run }: NoticeKey): string {
  return `notice ${agent} ${run}`;
}

/** A child's call ids must differ from all ids of its parent. */
function layered(parent: CallIds): CallIds {
  const own = new Set<string>();
  return { has: (id) => own.has(id) || parent.has(id), add: (id) => own.add(id) };
}

export function isFinal(status: AgentStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped';
}
