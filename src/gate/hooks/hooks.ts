/** Reads the configured hooks once, then runs the matching ones at each event and returns one verdict. */

import { hookMark, markedSession, markProcesses } from '../../host/process-mark.js';
import { type LiveEvent, MAIN_AGENT } from '../../protocol/events.js';
import { combine, type HookVerdict, NO_VERDICT } from './combine.js';
import { describeHandler, type Handler, type HookSource, identityOf } from './hook-config.js';
import { EVENT_TRAITS, type HookEvent, type HookEventFields, subjectOf } from './hook-events.js';
import type { HookSetup, HooksOptions, HookWorktree } from './hooks-options.js';
import { type CommonInput, inputText } from './input.js';
import { matchNames } from './match.js';
import { readConfig } from './read-config.js';
import { askHandler, setUpHooks } from './run-handler.js';

export type { HookPlace, HooksOptions } from './hooks-options.js';

export interface Hooks {
  /** Whether any hook is configured for the event; if not, the caller need not build its fields. */
  has(event: HookEvent): boolean;
  /** Runs all matching hooks in parallel. Never rejects because of a hook. */
  run<E extends HookEvent>(event: E, fields: HookEventFields[E], options?: RunOptions): Promise<HookVerdict>;
  /**
   * Adds hooks for one run of an agent, from its front matter. They apply to that run only: a child of the child builds
   * on the session's hooks, not on these.
   */
  withHooks(sources: readonly HookSource[], layer?: HookLayer): Hooks;
  /** Adds hooks for the rest of the session, for all agents: those of a skill, from its first use on. */
  add(sources: readonly HookSource[]): void;
  /** Ends the commands in the background, of all agents. Never rejects. */
  close(): Promise<void>;
}

/** For an agent that has none, whatever is configured. */
export const NO_HOOKS: Hooks = {
  has: () => false,
  run: () => NOTHING,
  withHooks: () => NO_HOOKS,
  add: () => {},
  close: () => Promise.resolve(),
};

type RunOptions = {
  readonly signal?: AbortSignal | undefined;
  /** What matchers are compared with, if it is more than the event's own field: a tool's name with its aliases. */
  readonly subject?: string | readonly string[];
};

type HookLayer = {
  /** The common fields of that run: agent id and type, folder. */
  readonly base?: () => CommonInput;
  /** In a child (the default) `Stop` means `SubagentStop`; in the main agent it means itself. */
  readonly of?: 'child' | 'main';
  /** Where that agent works, if it is a worktree: its hooks run there, and `if` is about paths there. */
  readonly worktree?: HookWorktree | undefined;
};

/** Other names of tools. */
const TOOL_ALIASES: Readonly<Record<string, readonly string[]>> = { Agent: ['Task'], Task: ['Agent'] };

export function createHooks(options: HooksOptions): Hooks {
  const setup = setUpHooks(options);
  return hooksOf(setup, readHandlers(setup, options.sources));
}

function hooksOf(settings: HookSetup, handlers: readonly Handler[]): Hooks {
  const byEvent = groupByEvent(handlers);
  return {
    has: (event) => byEvent.has(event) || settings.added.has(event),
    run: (event, fields, options = {}) => {
      const candidates = [...(byEvent.get(event) ?? []), ...(settings.added.get(event) ?? [])];
      return candidates.length === 0 ? NOTHING : runHandlers(settings, candidates, event, fields, options);
    },
    add: (sources) => {
      for (const [event, more] of groupByEvent(readHandlers(settings, sources)))
        settings.added.set(event, [...(settings.added.get(event) ?? []), ...more]);
    },
    withHooks: (sources, { base = settings.base, of = 'child', worktree } = {}) => {
      const more = sources.length === 0 ? [] : readHandlers(settings, sources);
      return hooksOf({ ...settings, base, worktree }, [...handlers, ...(of === 'child' ? more.map(asOfChild) : more)]);
    },
    close: () => settings.close(),
  };
}

const NOTHING = Promise.resolve(NO_VERDICT);

function groupByEvent(handlers: readonly Handler[]): ReadonlyMap<HookEvent, readonly Handler[]> {
  const byEvent = new Map<HookEvent, Handler[]>();
  for (const handler of handlers) {
    const group = byEvent.get(handler.event);
    if (group === undefined) byEvent.set(handler.event, [handler]);
    else group.push(handler);
  }
  return byEvent;
}

function readHandlers({ warn, matchesRule }: HookSetup, sources: readonly HookSource[]): readonly Handler[] {
  const { handlers, warnings } = readConfig(sources);
  for (const warning of warnings) warn(warning);
  for (const handler of matchesRule === undefined ? handlers.filter((one) => one.condition !== undefined) : []) {
    warn(`${describeHandler(handler)}: its \`if\` can't be checked here; it runs for every call and can't allow any.`);
  }
  return handlers;
}

/** `Stop` ignores matchers, so the moved hook drops its own; otherwise `SubagentStop` would apply it. */
function asOfChild(handler: Handler): Handler {
  return handler.event === 'Stop' ? { ...handler, event: 'SubagentStop', matcher: { kind: 'all' } } : handler;
}

async function runHandlers<E extends HookEvent>(
  settings: HookSetup,
  candidates: readonly Handler[],
  event: E,
  fields: HookEventFields[E],
  options: RunOptions,
): Promise<HookVerdict> {
  const names = namesOf(options.subject ?? subjectOf(event, fields));
  if (candidates.some(({ condition }) => condition !== undefined)) await settings.loadRules?.();
  const meant = candidates.filter(
    (handler) =>
      !settings.isOver(handler) &&
      appliesTo(settings, handler, names) &&
      meetsCondition(settings, handler, fields, names),
  );
  if (meant.length === 0) return NO_VERDICT;
  const base = settings.base();
  const input = inputText(event, base, fields);
  const of = 'tool_use_id' in fields ? String(fields.tool_use_id) : event;
  const cause = { agent: base.agent_id ?? MAIN_AGENT, of };
  const mark = hookMark(markedSession(base.transcript_path), cause.agent, of);
  const host = markProcesses(settings.host, mark);
  const asked = { ...settings, host, cause, signal: options.signal };
  const answers = await Promise.all(unequal(meant).map((handler) => askHandler(asked, handler, input)));
  return combine(event, answers);
}

function namesOf(subject: string | readonly string[] | undefined): readonly string[] {
  const names = typeof subject === 'string' ? [subject] : (subject ?? []);
  return [...new Set([...names, ...names.flatMap((name) => TOOL_ALIASES[name] ?? [])])];
}

function appliesTo({ warn, warned }: HookSetup, handler: Handler, names: readonly string[]): boolean {
  const match = matchNames(handler.matcher, names);
  if (match !== 'no answer') return match === 'yes';
  // A guard with an unusable matcher runs for everything; any other hook does not run.
  const { guards } = EVENT_TRAITS[handler.event];
  const hook = describeHandler(handler);
  if (handler.matcher.kind === 'expression' && !warned.has(hook)) {
    warned.add(hook);
    const effect = guards ? 'runs where it took too long' : 'does not run where it took too long';
    warn(`${hook}: the matcher ${JSON.stringify(handler.matcher.source)} was too slow; the hook ${effect}.`);
  }
  return guards;
}

/** By each name of the tool: the one of an MCP server's may be declared cut. */
function meetsCondition(
  { matchesRule, worktree }: HookSetup,
  { condition }: Handler,
  fields: object,
  names: readonly string[],
): boolean {
  if (condition === undefined || matchesRule === undefined) return true;
  const { tool_name, tool_input } = fields as { readonly tool_name: string; readonly tool_input: unknown };
  const known = new Set([tool_name, ...names]);
  return [...known].some((name) => matchesRule(condition, name, tool_input, worktree?.folder));
}

/** Of those that do the same (commands run in one folder) the first runs. */
function unequal(handlers: readonly Handler[]): readonly Handler[] {
  const seen = new Set<unknown>();
  return handlers.filter((handler) => {
    const identity = identityOf(handler);
    return !seen.has(identity) && seen.add(identity);
  });
}

/** Something that can show a line to the person: an agent. */
type Shown = { readonly agent: { emit(event: LiveEvent): Promise<unknown> } };

/** Shows what hooks reported, in order. */
export async function showHooks(run: Shown, verdict: HookVerdict): Promise<HookVerdict> {
  for (const { level, hook, text } of verdict.messages) {
    await run.agent.emit({ kind: 'line-shown', level, line: `${hook}: ${text}` });
  }
  return verdict;
}
