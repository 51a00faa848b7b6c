/** What an agent was when its transcript ended: everything that is needed to go on. */

import type {
  AgentState,
  DurableEvent,
  EpochReason,
  NoticeKey,
  RunEndReason,
  StoppedBy,
} from '../../protocol/events.js';
import type { FrozenBlock, FrozenMessage } from '../../protocol/frozen-block.js';
import type { PermissionMode } from '../../protocol/permission.js';
import type { Usage } from '../../protocol/usage.js';
import type { Admitted } from '../inbox.js';
import type { TranscriptEnd } from '../transcript/transcript.js';

export type Restored = {
  /** How it began; undefined when that record is damaged. */
  readonly started: SessionStarted | undefined;
  readonly spawned: AgentSpawned | undefined;
  /** The live view, as the records have it: after a compaction what it left. Not repaired. */
  readonly history: readonly FrozenMessage[];
  /** How many of its first messages came from the parent of a fork. */
  readonly inherited: number;
  /** The epoch under way; undefined when no request was made yet. */
  readonly epoch: { readonly prefix: string; readonly model: string; readonly maxTokens: number } | undefined;
  /** Why the next request begins a new epoch, if it does. */
  readonly newEpoch: EpochReason | undefined;
  /** How many messages the last request had that the API accepted in this epoch. */
  readonly accepted: number | undefined;
  /** Why the last reply stopped; undefined when something was said to the model since. */
  readonly lastStop: string | undefined;
  readonly lastRequest: { readonly tokens: number; readonly messages: number };
  /** Never one that passes the gate by. */
  readonly mode: PermissionMode;
  readonly todos: readonly unknown[];
  /** What the person said, as far as it counts, in order. */
  readonly prompts: readonly RecordedPrompt[];
  /** What was kept of files and left in them, in order. */
  readonly fileStates: readonly FileState[];
  /** Commands that went on by themselves and of whose end nothing was heard. */
  readonly openTasks: readonly TaskStarted[];
  /** Of all calls ever made: none may be used again. */
  readonly callIds: ReadonlySet<string>;
  /** Admitted, but part of no message yet: they go back into the inbox. */
  readonly pending: readonly Admitted[];
  /** Results that are on disk, but part of no message yet, by the call's id. */
  readonly results: ReadonlyMap<string, RecordedResult>;
  /** Calls whose effect may have begun, of those without a result. */
  readonly intended: ReadonlySet<string>;
  /** Notices that reached this agent. */
  readonly delivered: readonly NoticeKey[];
  readonly runs: readonly RunLog[];
  /** How the last run of the loop ended; undefined while it was under way, or never began. */
  readonly runEnd: { readonly reason: RunEndReason; readonly line?: string } | undefined;
  readonly usage: Usage;
  /** Undefined when nothing was read. */
  readonly end: TranscriptEnd | undefined;
  readonly records: number;
  /** Records of kinds or versions that this one doesn't know. */
  readonly unknown: number;
};

export type SessionStarted = Extract<DurableEvent, { kind: 'session-started' }>;
export type AgentSpawned = Extract<DurableEvent, { kind: 'agent-spawned' }>;

export type TaskStarted = Extract<DurableEvent, { kind: 'task-started' }>;

export type RecordedPrompt = { readonly seq: number; readonly words: string };

/** `kept`: what a file held before a change; `left`: what it held after one. */
export type FileState = {
  readonly seq: number;
  readonly kind: 'kept' | 'left';
  readonly path: string;
  readonly sha256: string | null;
};

export type RecordedResult = { readonly seq: number; readonly blocks: readonly FrozenBlock[] };

/** One run of a child, by its number. */
export type RunLog = {
  readonly run: number;
  readonly state: AgentState;
  readonly by?: StoppedBy;
  readonly reason?: string;
  /** Nobody waits for it any more: it was moved to the background. */
  readonly moved?: boolean;
  /** How often it was resumed without a word. */
  readonly automatic?: number;
  readonly result?: { readonly status: string; readonly text: string };
  readonly notice?: { readonly to: string; readonly text: string };
};
