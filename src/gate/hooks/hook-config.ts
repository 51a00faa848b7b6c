/** Hooks as configured (settings files, front matter, the library), and as handlers once read. */

import { oneLine } from '../../protocol/text/one-line.js';
import type { HookEvent } from './hook-events.js';
import type { HookInput } from './input.js';
import type { Matcher } from './match.js';
import type { HookOutput } from './output-schema.js';

export type HooksConfig = { readonly [E in HookEvent]?: readonly HookGroup<E>[] };

export type HookGroup<E extends HookEvent = HookEvent> = {
  readonly matcher?: string;
  readonly hooks: readonly (DeclaredHook | FunctionHook<E>)[];
  /** In seconds; for the functions of this group. */
  readonly timeout?: number;
  /**
   * For the functions of this group. `block`: one that throws or times out blocks, at every event where a hook can.
   * Omitted, or `continue`: the event's default, where a guard's failure blocks in any case.
   */
  readonly onFailure?: 'continue' | 'block';
};

/** A hook in a settings file. */
export type DeclaredHook = CommandHook | HttpHook | McpToolHook | PromptHook | AgentHook;

/** The fields that all of them have. */
export type AnyHook = {
  /** In seconds. */
  readonly timeout?: number;
  /** A permission rule the call must match, at tool events: `Bash(git *)`. */
  readonly if?: string;
  /** Once it has answered, it does not run again in this session. */
  readonly once?: boolean;
  /** No effect. */
  readonly statusMessage?: string;
};

export type CommandHook = AnyHook & {
  readonly type: 'command';
  /** A shell command line; with `args`, a program started without a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Runs in the background and decides nothing. */
  readonly async?: boolean;
  /** The same, and exit code 2 wakes the main agent with its output. */
  readonly asyncRewake?: boolean;
};

/** Posts the input as JSON; the response body is read like a command's output. */
export type HttpHook = AnyHook & {
  readonly type: 'http';
  readonly url: string;
  /** `$NAME` and `${NAME}` in a value are replaced by the variables that `allowedEnvVars` lists. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowedEnvVars?: readonly string[];
};

/** Calls a tool of a connected MCP server; its text is read like a command's output. */
export type McpToolHook = AnyHook & {
  readonly type: 'mcp_tool';
  readonly server: string;
  readonly tool: string;
  /** `${tool_input.path}` in a string is replaced by that field of the hook's input. */
  readonly input?: Readonly<Record<string, unknown>>;
};

/** Asks a small model for a yes or no. `$ARGUMENTS` is replaced by the hook's input. */
export type PromptHook = AnyHook & { readonly type: 'prompt'; readonly prompt: string; readonly model?: string };

/** Asks an agent that can read files for a yes or no. */
export type AgentHook = AnyHook & { readonly type: 'agent'; readonly prompt: string; readonly model?: string };

export type FunctionHook<E extends HookEvent = HookEvent> = (
  input: HookInput<E>,
  context: { readonly signal: AbortSignal },
) => FunctionAnswer | Promise<FunctionAnswer>;

// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is a hook without an opinion.
export type FunctionAnswer = HookOutput | undefined | void;

/** The `hooks` value of one source. */
export type HookSource = {
  /** The file or scope, for messages: `.claude/settings.json`, `agent reviewer`, `library`. */
  readonly origin: string;
  /** A `HooksConfig`; validated, because files are written by hand. */
  readonly hooks: unknown;
  /** The user's own (user, managed, command line, library), not a project's: it may answer for the user. */
  readonly isOwn?: boolean;
  /** Variables for its commands, in addition to the user's own. */
  readonly environment?: Readonly<Record<string, string>>;
};

/** One validated hook of one event. */
export type Handler =
  | CommandHandler
  | FunctionHandler
  | HttpHandler
  | ServerToolHandler
  | (ModelHandler & { readonly kind: 'prompt' })
  | (ModelHandler & { readonly kind: 'agent' });

export type CommandHandler = HandlerBase & {
  readonly kind: 'command';
  readonly command: string;
  readonly args?: readonly string[];
  /** Runs in the background; `wakes`: exit code 2 wakes the main agent. */
  readonly background?: 'quiet' | 'wakes';
  /** In addition to the user's own. */
  readonly environment?: Readonly<Record<string, string>>;
};

export type FunctionHandler = HandlerBase & {
  readonly kind: 'function';
  readonly call: FunctionHook;
  /** Set even at events where a failure does not block. */
  readonly failureBlocks?: true;
};

export type HttpHandler = HandlerBase & {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowedEnvVars: readonly string[];
};

export type ServerToolHandler = HandlerBase & {
  readonly kind: 'mcp_tool';
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
};

export type ModelHandler = HandlerBase & {
  readonly kind: 'prompt' | 'agent';
  readonly prompt: string;
  readonly model?: string;
};

type HandlerBase = {
  readonly event: HookEvent;
  readonly origin: string;
  readonly isOwn: boolean;
  readonly matcher: Matcher;
  readonly condition?: string;
  readonly timeoutMs: number;
  readonly once?: true;
};

/** Identifies what it does, regardless of where it is configured: of two identical hooks, one runs. */
export function identityOf(handler: Handler): unknown {
  const { kind } = handler;
  switch (kind) {
    case 'function':
      return handler.call;
    case 'command':
      return JSON.stringify([kind, handler.command, handler.args, handler.background, handler.environment]);
    case 'http':
      return JSON.stringify([kind, handler.url, handler.headers, handler.allowedEnvVars]);
    case 'mcp_tool':
      return JSON.stringify([kind, handler.server, handler.tool, handler.input]);
    case 'prompt':
    case 'agent':
      return JSON.stringify([kind, handler.prompt, handler.model]);
    default:
      return kind satisfies never;
  }
}

const SHOWN_CHARS = 80;

/** Names a hook in messages: event, what it does, and source. */
export function describeHandler(handler: Handler): string {
  const line = oneLine(describeWork(handler));
  const short = line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…`.toWellFormed() : line;
  return `${handler.event} hook ${short === '' ? '(function)' : `\`${short}\``} (${handler.origin})`;
}

function describeWork(handler: Handler): string {
  const { kind } = handler;
  switch (kind) {
    case 'function':
      return handler.call.name;
    case 'command':
      return [handler.command, ...(handler.args ?? [])].join(' ');
    case 'http':
      return `http ${withoutSecrets(handler.url)}`;
    case 'mcp_tool':
      return `mcp_tool ${handler.server} ${handler.tool}`;
    case 'prompt':
    case 'agent':
      return `${kind} ${handler.prompt}`;
    default:
      return kind satisfies never;
  }
}

/** Messages reach models and logs, so passwords and query tokens are removed. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
