/**
 * Events that must not be lost: the records of a transcript. A new kind is a type here and a row of the table in
 * `session/state` (`input-rows.ts`, `conversation-rows.ts`, `life-rows.ts`): how it is checked, whether it is synced, what it changes.
 */

import type { AgentSpawnedEvent } from './agent-spawned.js';
import type { FrozenBlock } from './frozen-block.js';
import type { PermissionMode } from './permission.js';
import type { Usage } from './usage.js';

/** The main agent of every session. */
export const MAIN_AGENT = 'main';

export type Origin =
  /** Typed, piped or sent by the person. */
  | 'person'
  /** A command line the person ran, with what it printed. It asks for no answer. */
  | 'shell'
  /** Ours: instructions, environment, what changed. */
  | 'reminder'
  /** A finished child. */
  | 'notice'
  /** Another agent. */
  | 'message'
  /** A hook's context. */
  | 'hook'
  /** What a fork begins with: the results that close its parent's open calls, and its directive. */
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

/** How an agent's run stands. Completed, failed and stopped end it for good. */
export type AgentStatus = 'running' | 'waiting' | 'interrupted' | 'completed' | 'failed' | 'stopped';

/** The recorded reason of an automatic resume; these are counted and limited. */
export const RESUMED_AUTOMATICALLY = 'resumed automatically';

/** The recorded reason when a run moves to the background: its end gives a notice. */
export const MOVED = 'moved to the background';

/** The `fault` of a `fault-met` that says what a `model-fallback` did: who shows the one need not show the other. */
export const FELL_BACK = 'fell-back';

/** Who stopped an agent. Only what the person stopped stays stopped. */
export type StoppedBy = 'person' | 'model' | 'budget';

/** What a model was asked beside a conversation (a hand-off check, a search), all attempts together. Older records have no `requestBytes`. */
export type SideRequest = { readonly model: string; readonly usage: Usage; readonly requestBytes?: number };

export type SharedBytes = {
  /** Whose request it was compared with. */
  readonly with: string;
  /** How long that request was, and how much of it this one repeats from the start. */
  readonly of: number;
  readonly bytes: number;
  /** Where and how they differ, for people, when not all of it is repeated. */
  readonly difference?: string;
};

/** What a reminder tells, by topic: the date, a file of instructions by the hash of its text. Empty: it no longer holds. */
export type Announcements = Readonly<Record<string, string>>;

/** A notice is known by the agent and the run that ended: it is delivered once, however often it is tried. */
export type NoticeKey = { readonly agent: string; readonly run: number };

export type RewoundFile = { readonly path: string; readonly sha256: string | null; readonly from: string | null };

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
  /** With an output schema: no value that fits it was given. */
  | 'no_structured_output'
  /** There was nothing in the prompt to send. */
  | 'empty_prompt'
  | 'prompt_refused'
  | 'not_saved';

/** The request is sent again: which attempt failed, how many retries there are at most, after how long. `status`: of the answer, if there was one. */
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
      /** It is for the calls of clients (`coppice mcp serve`): `--continue` does not mean it. */
      readonly onlyCalls?: true;
    }
  /** A stretch in which prefix and history only grow begins here. `prefix` is the stored file's hash. */
  | {
      readonly kind: 'epoch-started';
      readonly reason: EpochReason;
      readonly prefix: string;
      readonly model: string;
      readonly maxTokens: number;
      /** It is for one turn, and this is what comes back afterwards. */
      readonly base?: { readonly prefix: string; readonly model: string; readonly maxTokens: number };
    }
  | AgentSpawnedEvent
  /** What became of the worktree of a run that has ended. */
  | {
      readonly kind: 'worktree-settled';
      readonly run: number;
      /** `in-use`: others still work in it; the last of them settles it. */
      readonly outcome: 'kept' | 'removed' | 'gone' | 'in-use';
      /** Why it was kept: what was found in it. */
      readonly reasons: readonly string[];
    }
  | {
      readonly kind: 'agent-state-changed';
      readonly state: AgentStatus;
      readonly run: number;
      readonly by?: StoppedBy;
      /** The call that waits for this run, where it is not the call that started the agent. */
      readonly call?: string;
      readonly reason?: string;
    }
  /** The person talks to it: after each turn it waits for them. Until it is handed back, or the run has ended. */
  | { readonly kind: 'agent-taken-over'; readonly run: number }
  | { readonly kind: 'agent-handed-back'; readonly run: number }
  /** The result of a run; its parent gets the text. */
  | { readonly kind: 'result-made'; readonly run: number; readonly status: string; readonly text: string }
  /** A notice for the parent. It is delivered when the parent's transcript has an input with the same key. */
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
      /** It is admitted once under this key, however often it is tried. */
      readonly key?: string;
      readonly notice?: NoticeKey;
      /** With a notice that was made on resume: no `notice-queued` has it. */
      readonly check?: SideRequest;
      readonly tells?: Announcements;
      /** It is taken only once it is released. */
      readonly held?: true;
      /** With the origin `shell`: what was run; the `call-finished` of this call has what it printed. */
      readonly shell?: { readonly call: string; readonly command: string };
      readonly blocks: readonly FrozenBlock[];
    }
  | { readonly kind: 'input-released'; readonly inputs: readonly number[] }
  /** Input that is no longer for this agent, because it was passed on or taken back. `inputs`: its records. */
  | { readonly kind: 'input-withdrawn'; readonly inputs: readonly number[] }
  | { readonly kind: 'turn-started'; readonly turn: number }
  /** A user message was put together from the blocks of earlier records, in this order. */
  | { readonly kind: 'message-joined'; readonly from: readonly number[] }
  | {
      readonly kind: 'assistant-replied';
      readonly response: string;
      readonly model: string;
      readonly stop: string;
      readonly usage: Usage;
      /** Of the body that was sent: without cache markers, up to the end of the last message. */
      readonly requestBytes: number;
      /** How it compares with the request it was meant to repeat: the parent's last one, or its own. */
      readonly shared?: SharedBytes;
      readonly blocks: readonly FrozenBlock[];
    }
  /** What was streamed does not count, but its usage does. Sent again after `delayMs`, if that is not 0. */
  | {
      readonly kind: 'response-discarded';
      readonly line: string;
      readonly delayMs: number;
      /** Empty, like the usage, if no response began. */
      readonly model: string;
      readonly usage: Usage;
      readonly requestBytes: number;
      readonly shared?: SharedBytes;
    }
  /** Written before the effect of a call that may change something. */
  | { readonly kind: 'call-intended'; readonly call: string; readonly tool: string; readonly aside?: true }
  | {
      readonly kind: 'call-finished';
      readonly call: string;
      readonly tool: string;
      /** A client called the tool, not a model (`call-tool`): it is no part of the conversation. */
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
  /** The history is now one user message with these blocks. The originals stay above. */
  | {
      readonly kind: 'history-compacted';
      readonly trigger: 'auto' | 'manual' | 'overflow';
      readonly messages: number;
      /** Of the request that made the summary. */
      readonly model?: string;
      readonly usage?: Usage;
      readonly requestBytes?: number;
      readonly shared?: SharedBytes;
      readonly blocks: readonly FrozenBlock[];
    }
  /** The person began the conversation again: the history is empty from here on. The originals stay above. */
  | { readonly kind: 'history-cleared' }
  /** The API refused a block: from here on it is replaced by the one given, or left out when there is none. */
  | {
      readonly kind: 'history-mended';
      readonly reason: string;
      readonly message: number;
      readonly block: number;
      readonly blocks: readonly FrozenBlock[];
    }
  /** A shell command in the background. Its end is known when there is a notice of this task. */
  | {
      readonly kind: 'task-started';
      readonly task: string;
      readonly call: string;
      readonly command: string;
      readonly output: string;
    }
  /** Before a tool changes a file, in the main transcript: what it held is kept under its hash; null: there was none. */
  | {
      readonly kind: 'file-kept';
      readonly path: string;
      readonly sha256: string | null;
      readonly agent: string;
      readonly call: string;
    }
  /** What the change left in the file. Other content found later was written by others. */
  | {
      readonly kind: 'file-left';
      readonly path: string;
      readonly sha256: string | null;
      readonly agent: string;
      readonly call: string;
    }
  /** The person went back to before a prompt. Later records stay in the file but no longer count. */
  | {
      readonly kind: 'history-rewound';
      /** The record of the prompt. */
      readonly before: number;
      /** The conversation is now what it was before that record. */
      readonly conversation: boolean;
      /** Files that hold again what they held; `from` is what they held until now, kept too. */
      readonly files: readonly RewoundFile[];
    }
  /** What people call the session (main agent). */
  | { readonly kind: 'session-named'; readonly name: string }
  | { readonly kind: 'todos-changed'; readonly items: readonly unknown[] }
  | { readonly kind: 'mode-changed'; readonly mode: PermissionMode }
  /** Hooks of a skill are part of the session from here on (main agent). `what`: what was approved of it, or its file. */
  | { readonly kind: 'skill-hooked'; readonly skill: string; readonly what: string }
  /** One visible line about something that went wrong and what was done about it. */
  | { readonly kind: 'fault-met'; readonly fault: string; readonly line: string; readonly retry?: Retry }
  /** `structured`: what the run gave, where a schema asks for a value. */
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
