/** Reads and checks one hook of a `hooks` value. */

import * as z from 'zod';
import { duration } from '../../protocol/format-numbers.js';
import { once } from '../../protocol/once.js';
import type { Handler, HookSource } from './hook-config.js';
import { EVENT_TRAITS, type HookEvent } from './hook-events.js';

/** A handler without its group's matcher. */
export type Unmatched = Handler extends infer H ? (H extends Handler ? Omit<H, 'matcher'> : never) : never;

export type Position = {
  readonly origin: string;
  readonly isOwn: boolean;
  readonly event: HookEvent;
  /** In the file: `PreToolUse[0].hooks[1]`. */
  readonly where: string;
  /** For commands. */
  readonly environment?: HookSource['environment'];
};

type ReadHook =
  | { readonly kind: 'read'; readonly hook: Unmatched; readonly warnings: readonly string[] }
  /** Its type is unknown. */
  | { readonly kind: 'unknown'; readonly type: string }
  | { readonly kind: 'refused'; readonly reason: string };

const KINDS = ['command', 'http', 'mcp_tool', 'prompt', 'agent'] as const;
type Kind = (typeof KINDS)[number];

/** In seconds. */
const DEFAULT_TIMEOUTS: Readonly<Record<Kind | 'function', number>> = {
  command: 600,
  function: 600,
  http: 600,
  mcp_tool: 600,
  prompt: 30,
  agent: 60,
};
/** Timers use 32 bits: a longer one would fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const hookSchemas = once(() => {
  const filled = z.string().refine((value) => value.trim() !== '', 'it is empty');
  const common = z.object({
    type: z.string().default('command'),
    timeout: z.unknown().optional(),
    if: z.string().optional(),
    // Anything but `true` means off, so that a typo does not disable a guard.
    once: z.unknown().optional(),
  });
  const model = z.object({ prompt: filled, model: filled.nullish() });
  return {
    common,
    command: z.object({
      command: z.string().min(1).optional(),
      args: z.array(z.string()).optional(),
      async: z.unknown().optional(),
      asyncRewake: z.unknown().optional(),
    }),
    http: z.object({
      url: filled.refine(isWebAddress, 'it must be an http or https address'),
      headers: z.record(z.string(), z.string()).nullish(),
      allowedEnvVars: z.array(z.string()).nullish(),
    }),
    mcp_tool: z.object({ server: filled, tool: filled, input: z.record(z.string(), z.unknown()).nullish() }),
    prompt: model,
    agent: model,
  };
});

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

export function readHook(position: Position, written: unknown): ReadHook {
  const { event, origin, isOwn } = position;
  const read = hookSchemas().common.safeParse(written);
  if (!read.success) return refused(problemsOf(read.error));
  const { type, if: condition } = read.data;
  if (!isKind(type)) return { kind: 'unknown', type };
  const own = readKind(type, written, position.environment);
  if ('reason' in own) return refused(own.reason);
  if (condition !== undefined && EVENT_TRAITS[event].subject !== 'tool_name') {
    return refused(`\`if\` needs a tool call, and ${event} has none.`);
  }
  if (EVENT_TRAITS[event].plainText === 'path' && !canGivePath(own)) {
    return refused(`${event} needs a hook that answers with a path, and this one can't.`);
  }
  const { timeoutMs, warning } = readTimeout(position, read.data.timeout, type);
  const base = {
    event,
    origin,
    isOwn,
    timeoutMs,
    ...(condition === undefined ? {} : { condition }),
    ...(read.data.once === true ? { once: true as const } : {}),
  };
  const warnings = [...warning, ...unlistedVariables(position, own)];
  return { kind: 'read', hook: { ...base, ...own }, warnings };
}

function isKind(type: string): type is Kind {
  return (KINDS as readonly string[]).includes(type);
}

/** The fields that only its kind has. */
type Own = Unmatched extends infer H
  ? H extends Unmatched
    ? Omit<H, 'event' | 'origin' | 'isOwn' | 'timeoutMs' | 'condition' | 'once'>
    : never
  : never;

function readKind(
  kind: Kind,
  written: unknown,
  environment: Position['environment'],
): Own | { readonly reason: string } {
  const schemas = hookSchemas();
  switch (kind) {
    case 'command': {
      const { data, error } = schemas.command.safeParse(written);
      if (error !== undefined) return { reason: problemsOf(error) };
      const { command, args, async: quiet, asyncRewake: wakes } = data;
      if (command === undefined) return { reason: 'it has no command.' };
      const background = wakes === true ? 'wakes' : quiet === true ? 'quiet' : undefined;
      return {
        kind,
        command,
        ...(args ? { args } : {}),
        ...(background ? { background } : {}),
        ...(environment ? { environment } : {}),
      };
    }
    case 'http': {
      const { data, error } = schemas.http.safeParse(written);
      if (error !== undefined) return { reason: problemsOf(error) };
      return { kind, url: data.url, headers: data.headers ?? {}, allowedEnvVars: data.allowedEnvVars ?? [] };
    }
    case 'mcp_tool': {
      const { data, error } = schemas.mcp_tool.safeParse(written);
      if (error !== undefined) return { reason: problemsOf(error) };
      return { kind, server: data.server, tool: data.tool, input: data.input ?? {} };
    }
    case 'prompt':
    case 'agent': {
      const { data, error } = schemas[kind].safeParse(written);
      if (error !== undefined) return { reason: problemsOf(error) };
      return { kind, prompt: data.prompt, ...(data.model ? { model: data.model } : {}) };
    }
    default:
      return kind satisfies never;
  }
}

function canGivePath(own: Own): boolean {
  if (own.kind === 'command') return own.background === undefined;
  return own.kind !== 'prompt' && own.kind !== 'agent';
}

export function readTimeout(
  { origin, where }: Position,
  seconds: unknown,
  kind: Kind | 'function',
): { readonly timeoutMs: number; readonly warning: readonly string[] } {
  if (typeof seconds === 'number' && seconds > 0) {
    return { timeoutMs: Math.min(seconds * 1000, LONGEST_TIMEOUT_MS), warning: [] };
  }
  const timeoutMs = DEFAULT_TIMEOUTS[kind] * 1000;
  if (seconds === undefined || seconds === null) return { timeoutMs, warning: [] };
  const used = `${duration(timeoutMs)} is used instead`;
  const warning = `${origin}: the timeout of hooks.${where} must be a number of seconds above 0; ${used}.`;
  return { timeoutMs, warning: [warning] };
}

/** A variable in the value of a header: `$NAME` or `${NAME}`. */
export const HEADER_VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Warns about variables that a header must not contain: they are sent empty, and the server would only report a failed sign-in. */
function unlistedVariables({ origin, where }: Position, own: Own): readonly string[] {
  if (own.kind !== 'http') return [];
  const named = Object.values(own.headers).flatMap((value) =>
    [...value.matchAll(HEADER_VARIABLE)].map(([, braced, bare]) => braced ?? bare ?? ''),
  );
  const unlisted = [...new Set(named)].filter((name) => !own.allowedEnvVars.includes(name));
  if (unlisted.length === 0) return [];
  return [
    `${origin}: headers of hooks.${where} name ${unlisted.join(', ')}, which its allowedEnvVars does not list; they are sent empty.`,
  ];
}

function refused(reason: string): ReadHook {
  return { kind: 'refused', reason };
}

export function problemsOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`).join('; ');
}
