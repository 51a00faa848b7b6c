/**
 * Events that must not be lost: the records of a transcript. A new kind is a type here and a row in `session/state`
 * (`input-rows.ts`, `conversation-rows.ts`, `life-rows.ts`): its schema, whether it is synced, its effect on the state.
 */

import type { AgentSpawnedEvent } from './agent-spawned.js';
import type { FrozenBlock } from './frozen-block.js';
import type { PermissionMode } from './permission.js';
import type { Usage } from './usage.js';

/** The main agent of every session. */
export const MAIN_AGENT = 'main';

export type Origin =
  /** Typed, piped or sent by the user. */
  | 'person'
  /** A command line the user ran, with its output. Needs no answer. */
  | 'shell'
  /** From the program: instructions, environment, changes. */
  | 'reminder'
  /** A finished child. */
  | 'notice'
  /** Another agent. */
  | 'message'
  /** A hook's context. */
  | 'hook'
  /** The start of a fork: results for its parent's open calls, and its directive. */
  | 'fork-placeholders'
  | 'fork-directive';

export type EpochReason =
  | 'session-start'
  | 'compaction'
  | 'model-switch'
  | 'effort-switch'
  | 'clear'
  | 'tools-changed'
  | 'rewind'
  | 'history-rejected';

/** The status of an agent's run. Completed, failed and stopped are final. */
export type AgentStatus = 'running' | 'waiting' | 'interrupted' | 'completed' | 'failed' | 'stopped';

/** The recorded reason of an automatic resume; automatic resumes are limited. */
export const RESUMED_AUTOMATICALLY = 'resumed automatically';

/** The recorded reason when a run moves to the background: its end sends a notice. */
export const MOVED = 'moved to the background';

/** The `fault` of a `fault-met` that repeats a `model-fallback`: a client that shows one may skip the other. */
export const FELL_BACK = 'fell-back';

/** Who stopped an agent. Only a stop by the user is permanent. */
export type StoppedBy = 'person' | 'model' | 'budget';

/** A model request outside the conversation (a hand-off check, a search), including its retries. */
export type SideRequest = { readonly model: string; readonly usage: Usage; readonly requestBytes?: number };

export type SharedBytes = {
  /** The agent whose request it was compared with. */
  readonly with: string;
  /** The length of that request, and how many of its first bytes this one repeats. */
  readonly of: number;
  readonly bytes: number;
  /** A description of the first difference, unless all of it is repeated. */
  readonly difference?: string;
};

/** Facts announced by a reminder, by topic: the date, an instruction file by its hash. Empty: no longer valid. */
export type Announcements = Readonly<Record<string, string>>;

/** Identifies a notice by the agent and the run that ended, so that it is delivered only once. */
export type NoticeKey = { readonly agent: string; readonly run: number };

/** The hash of a file's content or a link's target; null: nothing, or a folder. `mode` is absent in older records. */
export type PathState = { readonly sha256: string | null; readonly as?: 'folder' | 'link'; readonly mode?: number };
export type ChangedFile = PathState & { readonly path: string };
/** The state after a rewind; `from` and `was`: the state until then. */
export type RewoundFile = ChangedFile & { readonly from: string | null; readonly was?: Omit<PathState, 'sha256'> };
export type ChangedBy = { readonly agent: string; readonly call: string };

export type RunEndReason =
  | 'completed'
  | 'interrupted'
  | 'max_turns'
  | 'max_usd'
  | 'max_tokens'
  | 'api_error'
  | 'refused'
  | 'overflow'
  | 'hook_stopped'
  /** With an output schema: no matching value was returned. */
  | 'no_structured_output'
  /** The prompt was empty. */
  | 'empty_prompt'
  | 'prompt_refused'
  | 'not_saved';

/** A retry: the attempt that failed, the maximum number of retries, the delay, the status of the response if any. */
export type Retry = {
  readonly attempt: number;
  readonly most: number;
  readonly delayMs: number;
  readonly status: number | null;
};

export type DurableEvent =
  | {
      readonly kind: 'session-started';
      readonly session: string;
      readonly cwd: string;
      readonly version: string;
      readonly model: string;
      readonly mode: PermissionMode;
      readonly chain?: string;
      /** Serves the calls of clients (`coppice mcp serve`): `--continue` ignores it. */
      readonly onlyCalls?: true;
    }
  /** Starts an epoch, in which prefix and history only grow. `prefix` is the hash of the stored file. */
  | {
      readonly kind: 'epoch-started';
      readonly reason: EpochReason;
      readonly prefix: string;
      readonly model: string;
      readonly maxTokens: number;
      /** The epoch is for one turn; these values apply again afterwards. */
      readonly base?: { readonly prefix: string; readonly model: string; readonly maxTokens: number };
    }
  | AgentSpawnedEvent
  /** The fate of the worktree of a run that has ended. */
  | {
      readonly kind: 'worktree-settled';
      readonly run: number;
      /** `in-use`: other agents still work in it; the last of them settles it. */
      readonly outcome: 'kept' | 'removed' | 'gone' | 'in-use';
      /** Why it was kept: the work found in it. */
      readonly reasons: readonly string[];
    }
  | {
      readonly kind: 'agent-state-changed';
      readonly state: AgentStatus;
      readonly run: number;
      readonly by?: StoppedBy;
      /** The call that waits for this run, if it is not the call that started the agent. */
      readonly call?: string;
      readonly reason?: string;
    }
  /** The user has taken over: after each turn it pauses for them, until it is handed back or the run ends. */
  | { readonly kind: 'agent-taken-over'; readonly run: number }
  | { readonly kind: 'agent-handed-back'; readonly run: number }
  /** The result of a run; its parent gets the text. */
  | { readonly kind: 'result-made'; readonly run: number; readonly status: string; readonly text: string }
  /** A notice for the parent. It is delivered once the parent's transcript has an input with the same key. */
  | {
      readonly kind: 'notice-queued';
      readonly run: number;
      readonly to: string;
      readonly text: string;
      readonly check?: SideRequest;
    }
  /** Input is on disk; the loop takes it at its next safe point. */
  | {
      readonly kind: 'input-admitted';
      readonly origin: Origin;
      /** Several inputs with the same key are admitted once. */
      readonly key?: string;
      readonly notice?: NoticeKey;
      /** With a notice made on resume, which has no `notice-queued` record. */
      readonly check?: SideRequest;
      readonly tells?: Announcements;
      /** It is not read before it is released. */
      readonly held?: true;
      /** With the origin `shell`: the command; the `call-finished` of this call has its output. */
      readonly shell?: { readonly call: string; readonly command: string };
      readonly blocks: readonly FrozenBlock[];
    }
  | { readonly kind: 'input-released'; readonly inputs: readonly number[] }
  /** Input that this agent no longer gets, because it was passed on or withdrawn. `inputs`: its records. */
  | { readonly kind: 'input-withdrawn'; readonly inputs: readonly number[] }
  | { readonly kind: 'turn-started'; readonly turn: number }
  /** A user message was assembled from the blocks of earlier records, in this order. */
  | { readonly kind: 'message-joined'; readonly from: readonly number[] }
  | {
      readonly kind: 'assistant-replied';
      readonly response: string;
      readonly model: string;
      readonly stop: string;
      readonly usage: Usage;
      /** The size of the request body without cache markers, up to the end of the last message. */
      readonly requestBytes: number;
      /** The comparison with the request it was meant to repeat: the parent's last one, or its own. */
      readonly shared?: SharedBytes;
      readonly blocks: readonly FrozenBlock[];
    }
  /** The streamed response is discarded, but its usage is charged. Sent again after `delayMs`, unless that is 0. */
  | {
      readonly kind: 'response-discarded';
      readonly line: string;
      readonly delayMs: number;
      /** Empty, like the usage, if no response started. */
      readonly model: string;
      readonly usage: Usage;
      readonly requestBytes: number;
      readonly shared?: SharedBytes;
    }
  /** Written before a call that may have effects. */
  | { readonly kind: 'call-intended'; readonly call: string; readonly tool: string; readonly aside?: true }
  | {
      readonly kind: 'call-finished';
      readonly call: string;
      readonly tool: string;
      /** A client called the tool, not a model (`call-tool`): not part of the conversation. */
      readonly aside?: true;
      readonly isError: boolean;
      /** The call may have changed something. */
      readonly effects: boolean;
      readonly ms: number;
      readonly paid?: SideRequest;
      readonly blocks: readonly FrozenBlock[];
    }
  | {
      readonly kind: 'permission-answered';
      readonly call: string;
      readonly tool: string;
      readonly behavior: 'allow' | 'deny';
      readonly by: string;
      readonly reason?: string;
    }
  /** The history is now one user message with these blocks. The original records remain. */
  | {
      readonly kind: 'history-compacted';
      readonly trigger: 'auto' | 'manual' | 'overflow';
      readonly messages: number;
      /** These describe the request that made the summary. */
      readonly model?: string;
      readonly usage?: Usage;
      readonly requestBytes?: number;
      readonly shared?: SharedBytes;
      readonly blocks: readonly FrozenBlock[];
    }
  /** The user cleared the conversation: the history is empty from here on. The original records remain. */
  | { readonly kind: 'history-cleared' }
  /** The API refused a block: from here on, this one replaces it, or it is left out if there is none. */
  | {
      readonly kind: 'history-mended';
      readonly reason: string;
      readonly message: number;
      readonly block: number;
      readonly blocks: readonly FrozenBlock[];
    }
  /** A shell command in the background. A notice with this task's id reports its end. */
  | {
      readonly kind: 'task-started';
      readonly task: string;
      readonly call: string;
      readonly command: string;
      readonly output: string;
    }
  /** Before a tool changes a file, in the main transcript: its content is stored by hash. */
  | ({ readonly kind: 'file-kept' } & ChangedFile & ChangedBy)
  /** The content after the change. Any other content found later was written by others. */
  | ({ readonly kind: 'file-left' } & ChangedFile & ChangedBy)
  /** The same before a command; a folder with everything in it. */
  | ({ readonly kind: 'files-kept'; readonly files: readonly ChangedFile[] } & ChangedBy)
  /** After it. `since`: the record before it; `was`: the state before it of a path that is not in that record. */
  | ({
      readonly kind: 'files-left';
      readonly since: number;
      readonly files: readonly (ChangedFile & { readonly was?: PathState })[];
    } & ChangedBy)
  /** The user rewound to before a prompt. Later records stay in the file but are ignored. */
  | {
      readonly kind: 'history-rewound';
      /** The record of the prompt. */
      readonly before: number;
      /** The conversation was restored to its state before that record. */
      readonly conversation: boolean;
      readonly files: readonly RewoundFile[];
    }
  /** The display name of the session (main agent). */
  | { readonly kind: 'session-named'; readonly name: string }
  | { readonly kind: 'todos-changed'; readonly items: readonly unknown[] }
  | { readonly kind: 'mode-changed'; readonly mode: PermissionMode }
  /** A skill's hooks are active from here on (main agent). `what`: the skill's approval, or its file. */
  | { readonly kind: 'skill-hooked'; readonly skill: string; readonly what: string }
  /** One visible line about a fault and its handling. */
  | { readonly kind: 'fault-met'; readonly fault: string; readonly line: string; readonly retry?: Retry }
  /** `structured`: the value of the run, if a schema requires one. */
  | {
      readonly kind: 'run-ended';
      readonly reason: RunEndReason;
      readonly line?: string;
      readonly structured?: { readonly value?: unknown };
      readonly usage: Usage;
    };

export type DurableEventOf<K extends DurableEvent['kind']> = Extract<DurableEvent, { readonly kind: K }>;
export type SessionStarted = DurableEventOf<'session-started'>;
export type AgentSpawned = AgentSpawnedEvent;
export type TaskStarted = DurableEventOf<'task-started'>;
