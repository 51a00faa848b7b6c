/** Hooks as people write them (settings files, front matter, the library), and as handlers once read. */

import type { HookEvent } from './hook-events.js';
import type { HookInput } from './input.js';
import type { Matcher } from './match.js';
import type { HookOutput } from './output-schema.js';

export type HooksConfig = { readonly [E in HookEvent]?: readonly HookGroup<E>[] };

export type HookGroup<E extends HookEvent = HookEvent> = {
  readonly matcher?: string;
  readonly hooks: readonly (CommandHook | FunctionHook<E>)[];
  /** In seconds; for the functions of this group. */
  readonly timeout?: number;
};

export type CommandHook = {
  readonly type: 'command';
  /** A shell command line; with `args`, a program started without a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  /** In seconds. */
  readonly timeout?: number;
  /** A permission rule the call must match, at tool events: `Bash(git *)`. */
  readonly if?: string;
};

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
  /** The person's own (user, managed, command line, library), not a project's: it may answer for the person. */
  readonly isOwn?: boolean;
  /** For its commands, beside the person's own. */
  readonly environment?: Readonly<Record<string, string>>;
};

/** One validated hook of one event. */
export type Handler = CommandHandler | FunctionHandler;

export type CommandHandler = HandlerBase & {
  readonly kind: 'command';
  readonly command: string;
  readonly args?: readonly string[];
  /** Beside the person's own. */
  readonly environment?: Readonly<Record<string, string>>;
};

export type FunctionHandler = HandlerBase & { readonly kind: 'function'; readonly call: FunctionHook };

type HandlerBase = {
  readonly event: HookEvent;
  readonly origin: string;
  readonly isOwn: boolean;
  readonly matcher: Matcher;
  readonly condition?: string;
  readonly timeoutMs: number;
};

const SHOWN_COMMAND = 80;

/** Names a hook in messages: event, command and source. */
export function describeHandler(handler: Handler): string {
  const what = handler.kind === 'command' ? [handler.command, ...(handler.args ?? [])].join(' ') : handler.call.name;
  const line = what.replace(/\s+/g, ' ').trim();
  const short = line.length > SHOWN_COMMAND ? `${line.slice(0, SHOWN_COMMAND)}…` : line;
  return `${handler.event} hook ${short === '' ? '(function)' : `\`${short}\``} (${handler.origin})`;
}
