/** What hooks need of a session beside processes and the network: its servers, its model, its agents, its inbox. */

import type { HookMessage } from './hook-answer.js';

/** In whose name a hook runs. */
export type HookCause = {
  /** The agent in which the event happened. */
  readonly agent: string;
  /** The call, or the event. */
  readonly of: string;
};

export interface HookPorts {
  /**
   * Calls a tool of a connected server and resolves with its text. Rejects with a reason: it is not connected, has no such
   * tool, a deny rule names it, or the tool failed. `server` and `tool` are as the server is configured and lists it.
   */
  callServerTool(call: ServerToolCall, signal: AbortSignal): Promise<string>;
  /** One question to a model, paid from the session's budget. Never rejects. */
  askModel(question: HookPrompt, signal: AbortSignal): Promise<HookReply>;
  /** The same to an agent that can only read, and has no hooks. Never rejects. */
  runAgent(question: HookPrompt, signal: AbortSignal): Promise<HookReply>;
  /** What a command in the background had to say. Never rejects. */
  deliver(news: HookNews): Promise<void>;
}

export type ServerToolCall = {
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cause: HookCause;
};

export type HookPrompt = {
  /** Undefined: a small one. */
  readonly model: string | undefined;
  readonly words: string;
  readonly cause: HookCause;
};

/** `note`: what it cost, for people. */
export type HookReply =
  | { readonly kind: 'said'; readonly words: string; readonly note?: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly note?: string };

export type HookNews = {
  readonly cause: HookCause;
  readonly messages: readonly HookMessage[];
  /** For the model, when it is asked next. */
  readonly context?: string | undefined;
  /** For the main agent, now. */
  readonly wake?: string | undefined;
};
