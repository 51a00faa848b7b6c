/** Reads the configured hooks once, then runs the matching ones at each event and returns one verdict. */

import type { Host } from '../../host/host.js';
import { hookMark, markedSession, markProcesses } from '../../host/process-mark.js';
import { type LiveEvent, MAIN_AGENT } from '../../protocol/events.js';
import { combine, type HookVerdict, NO_VERDICT } from './combine.js';
import type { HookAnswer, HookRun } from './hook-answer.js';
import { type CommandHandler, describeHandler, type Handler, type HookSource } from './hook-config.js';
import { EVENT_TRAITS, type HookEvent, type HookEventFields, subjectOf } from './hook-events.js';
import { type CommonInput, inputText } from './input.js';
import { matchNames } from './match.js';
import { readConfig } from './read-config.js';
import { readOutput } from './read-output.js';
import { findShell, runCommandHook } from './run-command-hook.js';
import { runFunctionHook } from './run-function-hook.js';

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
}

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

export type HookWorktree = {
  /** What the project's folder is in it: commands run there. */
  readonly project: string;
  /** The agent's folder. */
  readonly folder: string;
};

export type HooksOptions = {
  readonly host: Host;
  /** Where commands run, unless their agent is in a worktree, and `CLAUDE_PROJECT_DIR`. */
  readonly projectDir: string;
  /** In configuration order. Everything given here may run, so pass only trusted and approved sources. */
  readonly sources: readonly HookSource[];
  readonly base: () => CommonInput;
  /** Called with a line about each hook that can't work as written. */
  readonly warn: (line: string) => void;
  /**
   * Whether a call matches a permission rule, for `if`. Must not throw; an unreadable rule must count as matched.
   * Without it, hooks with `if` run for every call and can't allow any.
   */
  readonly matchesRule?: (rule: string, toolName: string, toolInput: unknown, folder?: string) => boolean;
  /** Why a command must not run now, though it was approved: then it counts as not started. Must not reject. */
  readonly whyChanged?: (
    command: Pick<CommandHandler, 'command' | 'args' | 'environment'>,
  ) => Promise<string | undefined>;
  /** Where a command of an agent in a worktree runs: there, or in the project if its script is only there. Must not reject. */
  readonly placeOf?: (command: Pick<CommandHandler, 'command' | 'args'>, project: string) => Promise<HookPlace>;
};

/** `reason`: it must not run, because its script is not the approved one there. */
export type HookPlace = { readonly folder: string } | { readonly reason: string };

/** Other names of tools. */
const TOOL_ALIASES: Readonly<Record<string, readonly string[]>> = { Agent: ['Task'], Task: ['Agent'] };

export function createHooks(options: HooksOptions): Hooks {
  let shell: Promise<string> | undefined;
  const settings = { ...options, shell: () => (shell ??= findShell(options.host)), warned: new Set<string>() };
  return hooksOf(settings, readHandlers(settings, options.sources));
}

type Settings = HooksOptions & {
  readonly shell: () => Promise<string>;
  readonly warned: Set<string>;
  readonly worktree?: HookWorktree | undefined;
};

function hooksOf(settings: Settings, handlers: readonly Handler[]): Hooks {
  const byEvent = groupByEvent(handlers);
  return {
    has: (event) => byEvent.has(event),
    run: (event, fields, options = {}) => {
      const candidates = byEvent.get(event);
      return candidates === undefined ? NOTHING : runHandlers(settings, candidates, event, fields, options);
    },
    withHooks: (sources, { base = settings.base, of = 'child', worktree } = {}) => {
      const more = sources.length === 0 ? [] : readHandlers(settings, sources);
      return hooksOf({ ...settings, base, worktree }, [...handlers, ...(of === 'child' ? more.map(asOfChild) : more)]);
    },
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

function readHandlers({ warn, matchesRule }: Settings, sources: readonly HookSource[]): readonly Handler[] {
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
  settings: Settings,
  candidates: readonly Handler[],
  event: E,
  fields: HookEventFields[E],
  options: RunOptions,
): Promise<HookVerdict> {
  const names = namesOf(options.subject ?? subjectOf(event, fields));
  const meant = candidates.filter(
    (handler) => appliesTo(settings, handler, names) && meetsCondition(settings, handler, fields, names),
  );
  if (meant.length === 0) return NO_VERDICT;
  const base = settings.base();
  const input = inputText(event, base, fields);
  const cause = 'tool_use_id' in fields ? String(fields.tool_use_id) : event;
  const mark = hookMark(markedSession(base.transcript_path), base.agent_id ?? MAIN_AGENT, cause);
  const marked = { ...settings, host: markProcesses(settings.host, mark) };
  const answers = await Promise.all(once(meant).map((handler) => ask(marked, handler, input, options.signal)));
  return combine(event, answers);
}

function namesOf(subject: string | readonly string[] | undefined): readonly string[] {
  const names = typeof subject === 'string' ? [subject] : (subject ?? []);
  return [...new Set([...names, ...names.flatMap((name) => TOOL_ALIASES[name] ?? [])])];
}

function appliesTo({ warn, warned }: Settings, handler: Handler, names: readonly string[]): boolean {
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
  { matchesRule, worktree }: Settings,
  { condition }: Handler,
  fields: object,
  names: readonly string[],
): boolean {
  if (condition === undefined || matchesRule === undefined) return true;
  const { tool_name, tool_input } = fields as { readonly tool_name: string; readonly tool_input: unknown };
  const known = new Set([tool_name, ...names]);
  return [...known].some((name) => matchesRule(condition, name, tool_input, worktree?.folder));
}

/** The same command (all run in one folder) or function runs once, at its first position. */
function once(handlers: readonly Handler[]): readonly Handler[] {
  const seen = new Set<unknown>();
  return handlers.filter((handler) => {
    const key = handler.kind === 'function' ? handler.call : keyOf(handler);
    return !seen.has(key) && seen.add(key);
  });
}

/** The same words mean another script in another plugin. */
function keyOf({ command, args, environment }: CommandHandler): string {
  return JSON.stringify([command, args, environment]);
}

async function ask(settings: Settings, handler: Handler, input: string, signal?: AbortSignal): Promise<HookAnswer> {
  const run =
    handler.kind === 'command'
      ? await runCommand(settings, handler, input, signal)
      : await runFunctionHook(handler, input, { clock: settings.host.clock, signal });
  const answer = onlyIfOwn(handler, readOutput(handler.event, describeHandler(handler), run));
  const unjudged = handler.condition !== undefined && settings.matchesRule === undefined;
  return unjudged && answer.decision === 'allow' ? { messages: answer.messages } : answer;
}

/** A project's hook can refuse a server's question, but neither accepts it nor says what is sent (MC-23). */
function onlyIfOwn(handler: Handler, { elicited, ...answer }: HookAnswer): HookAnswer {
  if (elicited === undefined) return answer;
  if (handler.isOwn || elicited.action === 'cancel') return { ...answer, elicited };
  const text = "accepts a server's question, which only hooks of your own settings can; its answer does not count";
  return { ...answer, messages: [...answer.messages, { level: 'warning', hook: describeHandler(handler), text }] };
}

async function runCommand(
  settings: Settings,
  handler: CommandHandler,
  input: string,
  signal?: AbortSignal,
): Promise<HookRun> {
  const { host, projectDir, whyChanged, placeOf, worktree } = settings;
  // Looked at right before it runs: an agent may have changed the script of a hook since.
  const reason = await whyChanged?.(handler);
  if (reason !== undefined) return { kind: 'not started', reason };
  const project = worktree?.project ?? projectDir;
  const place = worktree === undefined ? undefined : await placeOf?.(handler, project);
  if (place !== undefined && 'reason' in place) return { kind: 'not started', reason: place.reason };
  const folder = place?.folder ?? project;
  return runCommandHook(handler, input, { host, projectDir, folder, shell: await settings.shell(), signal });
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
