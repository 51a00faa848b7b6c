/** Reads the `hooks` value of settings files, front matter and the library. Every hook that can't run is reported. */

import * as z from 'zod';
import { once } from '../../protocol/once.js';
import type { FunctionHook, Handler, HookSource } from './hook-config.js';
import { EVENT_TRAITS, HOOK_EVENTS, type HookEvent, isHookEvent } from './hook-events.js';
import { type Matcher, readMatcher } from './match.js';

type ReadConfig = { readonly handlers: readonly Handler[]; readonly warnings: readonly string[] };

const DEFAULT_TIMEOUT_S = 600;
/** Timers use 32 bits: a longer one would fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const groupSchema = once(() =>
  z.object({
    matcher: z.string().nullish(),
    hooks: z.array(z.unknown()),
    timeout: z.unknown().optional(),
  }),
);

const hookSchema = once(() =>
  z.object({
    type: z.string().default('command'),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    timeout: z.unknown().optional(),
    if: z.string().optional(),
    async: z.unknown().optional(),
    asyncRewake: z.unknown().optional(),
  }),
);

/** Never throws: an invalid hook costs a warning, not the session. */
export function readConfig(sources: readonly HookSource[]): ReadConfig {
  const reading: Reading = { handlers: [], warnings: [], notRun: [] };
  for (const source of sources) readSource(reading, source);
  return { handlers: reading.handlers, warnings: [...reading.warnings, ...notRunWarning(reading.notRun)] };
}

type Reading = { readonly handlers: Handler[]; readonly warnings: string[]; readonly notRun: NotRun[] };

type NotRun = { readonly event: HookEvent; readonly type: string; readonly origin: string };

function readSource(reading: Reading, { origin, hooks, isOwn = false, environment }: HookSource): void {
  if (hooks === undefined || hooks === null) return;
  if (typeof hooks !== 'object' || Array.isArray(hooks)) {
    reading.warnings.push(`${origin}: hooks must be an object of events; it is ignored.`);
    return;
  }
  for (const [event, groups] of Object.entries(hooks)) {
    if (!isHookEvent(event)) {
      reading.warnings.push(`${origin}: hooks for ${JSON.stringify(event)} never run. ${knownEvents(event)}`);
    } else if (Array.isArray(groups)) {
      for (const [index, group] of groups.entries())
        readGroup(reading, { origin, event, isOwn, environment, where: `${event}[${index}]` }, group);
    } else if (groups !== undefined && groups !== null) {
      reading.warnings.push(`${origin}: hooks.${event} must be a list; it is ignored.`);
    }
  }
}

function knownEvents(written: string): string {
  const meant = HOOK_EVENTS.find((event) => event.toLowerCase() === written.toLowerCase());
  return meant === undefined ? `Events are: ${HOOK_EVENTS.join(', ')}.` : `Did you mean ${meant}?`;
}

type Position = {
  readonly origin: string;
  readonly isOwn: boolean;
  readonly event: HookEvent;
  readonly where: string;
  readonly environment: HookSource['environment'];
};

function readGroup(reading: Reading, position: Position, group: unknown): void {
  const read = groupSchema().safeParse(group);
  if (!read.success) {
    reading.warnings.push(`${position.origin}: hooks.${position.where} is ignored: ${problemsOf(read.error)}`);
    return;
  }
  const matcher = readGroupMatcher(reading, position, read.data.matcher ?? undefined);
  for (const [index, hook] of read.data.hooks.entries()) {
    const at = { ...position, where: `${position.where}.hooks[${index}]` };
    const handler =
      typeof hook === 'function' ? readFunction(reading, at, hook, read.data.timeout) : readHook(reading, at, hook);
    if (handler !== undefined) reading.handlers.push({ ...handler, matcher });
  }
}

function readGroupMatcher(reading: Reading, { origin, event, where }: Position, text: string | undefined): Matcher {
  // An event without a subject has nothing to match.
  if (EVENT_TRAITS[event].subject === undefined) return { kind: 'all' };
  const matcher = readMatcher(text);
  if (matcher.kind === 'unusable') {
    const effect = EVENT_TRAITS[event].guards ? 'its hooks run for every call' : 'its hooks never run';
    reading.warnings.push(
      `${origin}: the matcher ${JSON.stringify(text)} of hooks.${where} ${matcher.problem}; ${effect}.`,
    );
  }
  return matcher;
}

/** A handler without its group's matcher. */
type Unmatched = Handler extends infer H ? (H extends Handler ? Omit<H, 'matcher'> : never) : never;

function readFunction(reading: Reading, position: Position, hook: unknown, timeout: unknown): Unmatched {
  const { origin, event, isOwn } = position;
  return {
    kind: 'function',
    event,
    origin,
    isOwn,
    call: hook as FunctionHook,
    timeoutMs: readTimeout(reading, position, timeout),
  };
}

function readHook(reading: Reading, position: Position, hook: unknown): Unmatched | undefined {
  const { origin, event, where, isOwn, environment } = position;
  const read = hookSchema().safeParse(hook);
  if (!read.success) {
    reading.warnings.push(`${origin}: hooks.${where} is not run: ${problemsOf(read.error)}`);
    return undefined;
  }
  const { type, command, args, timeout, if: condition } = read.data;
  const inBackground = read.data.async === true || read.data.asyncRewake === true;
  if (type !== 'command' || inBackground) {
    reading.notRun.push({ event, origin, type: type === 'command' ? 'async' : type });
    return undefined;
  }
  if (command === undefined) {
    reading.warnings.push(`${origin}: hooks.${where} is not run: it has no command.`);
    return undefined;
  }
  if (condition !== undefined && EVENT_TRAITS[event].subject !== 'tool_name') {
    reading.warnings.push(`${origin}: hooks.${where} is not run: \`if\` needs a tool call, and ${event} has none.`);
    return undefined;
  }
  return {
    kind: 'command',
    event,
    origin,
    isOwn,
    command,
    timeoutMs: readTimeout(reading, position, timeout),
    ...(args === undefined ? {} : { args }),
    ...(environment === undefined ? {} : { environment }),
    ...(condition === undefined ? {} : { condition }),
  };
}

function readTimeout(reading: Reading, { origin, where }: Position, seconds: unknown): number {
  if (typeof seconds === 'number' && seconds > 0) return Math.min(seconds * 1000, LONGEST_TIMEOUT_MS);
  if (seconds !== undefined && seconds !== null) {
    const used = `${DEFAULT_TIMEOUT_S} s is used instead`;
    reading.warnings.push(`${origin}: the timeout of hooks.${where} must be a number of seconds above 0; ${used}.`);
  }
  return DEFAULT_TIMEOUT_S * 1000;
}

/** One warning for all of them. */
function notRunWarning(notRun: readonly NotRun[]): string[] {
  if (notRun.length === 0) return [];
  const list = notRun.map(({ event, type, origin }) => `${event} ${type} (${origin})`).join(', ');
  const guard = notRun.some(({ event }) => event === 'PreToolUse')
    ? ' One of them is a PreToolUse hook: the calls it would block are not blocked.'
    : '';
  return [`These hooks do not run, because their type is not supported yet: ${list}.${guard}`];
}

function problemsOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`).join('; ');
}
