/** Reads the `hooks` value of settings files, front matter and the library. Every hook that can't run is reported. */

import * as z from 'zod';
import { once } from '../../protocol/once.js';
import type { FunctionHook, Handler, HookSource } from './hook-config.js';
import { EVENT_TRAITS, HOOK_EVENTS, type HookEvent, isHookEvent } from './hook-events.js';
import { type Matcher, readMatcher } from './match.js';
import { type Position, problemsOf, readHook, readTimeout, type Unmatched } from './read-hook.js';

type ReadConfig = { readonly handlers: readonly Handler[]; readonly warnings: readonly string[] };

const groupSchema = once(() =>
  z.object({
    matcher: z.string().nullish(),
    hooks: z.array(z.unknown()),
    timeout: z.unknown().optional(),
    onFailure: z.enum(['continue', 'block']).nullish(),
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
      typeof hook === 'function' ? readFunction(reading, at, hook, read.data) : readDeclared(reading, at, hook);
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

function readFunction(
  reading: Reading,
  position: Position,
  hook: unknown,
  { timeout, onFailure }: z.infer<ReturnType<typeof groupSchema>>,
): Unmatched {
  const { origin, event, isOwn } = position;
  const { timeoutMs, warning } = readTimeout(position, timeout, 'function');
  reading.warnings.push(...warning);
  const blocks = onFailure === 'block' ? ({ failureBlocks: true } as const) : {};
  return { kind: 'function', event, origin, isOwn, call: hook as FunctionHook, timeoutMs, ...blocks };
}

function readDeclared(reading: Reading, position: Position, hook: unknown): Unmatched | undefined {
  const { origin, event, where } = position;
  const read = readHook(position, hook);
  switch (read.kind) {
    case 'read':
      reading.warnings.push(...read.warnings);
      return read.hook;
    case 'unknown':
      reading.notRun.push({ event, origin, type: read.type });
      return undefined;
    case 'refused':
      reading.warnings.push(`${origin}: hooks.${where} is not run: ${read.reason}`);
      return undefined;
    default:
      return read satisfies never;
  }
}

/** One warning for all of them. */
function notRunWarning(notRun: readonly NotRun[]): string[] {
  if (notRun.length === 0) return [];
  const list = notRun.map(({ event, type, origin }) => `${event} ${type} (${origin})`).join(', ');
  const guard = notRun.some(({ event }) => event === 'PreToolUse')
    ? ' One of them is a PreToolUse hook: the calls it would block are not blocked.'
    : '';
  return [`These hooks do not run, because their type is unknown: ${list}.${guard}`];
}
