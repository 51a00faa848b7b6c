/** The parts of a session that hooks need besides processes and the network: its servers, model, agents and inbox. */

import type { HookMessage } from './hook-answer.js';

/** The agent and the call that caused a hook to run. */
export type HookCause = {
  /** The agent in which the event happened. */
  readonly agent: string;
  /** The call, or the event. */
  readonly of: string;
};

export interface HookPorts {
  /**
   * Calls a tool of a connected server and resolves with its text. Rejects with a reason: the server is not connected, has
   * no such tool, a deny rule names it, or the tool failed. `server` is the configured name, `tool` the listed one.
   */
  callServerTool(call: ServerToolCall, signal: AbortSignal): Promise<string>;
  /** Asks a model once, paid from the session's budget. Never rejects. */
  askModel(question: HookPrompt, signal: AbortSignal): Promise<HookReply>;
  /** Asks an agent that can only read and has no hooks. Never rejects. */
  runAgent(question: HookPrompt, signal: AbortSignal): Promise<HookReply>;
  /** Delivers the messages of a background command. Never rejects. */
  deliver(news: HookNews): Promise<void>;
}

export type ServerToolCall = {
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cause: HookCause;
};

export type HookPrompt = {
  /** Undefined: a small model. */
  readonly model: string | undefined;
  readonly prompt: string;
  readonly cause: HookCause;
};

/** `note`: its cost, for users. */
export type HookReply =
  | { readonly kind: 'said'; readonly text: string; readonly note?: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly note?: string };

export type HookNews = {
  readonly cause: HookCause;
  readonly messages: readonly HookMessage[];
  /** For the model, with its next request. */
  readonly context?: string | undefined;
  /** For the main agent, at once. */
  readonly wake?: string | undefined;
};
