/** Reads the configured hooks once, then runs the matching ones at each event and returns one verdict. */

import type { FoundFetch } from '../../host/network.js';
import type { LiveEvent } from '../../protocol/events.js';
import { once } from '../../protocol/once.js';
import { type HookVerdict, NO_VERDICT } from './combine.js';
import type { BackgroundHooks } from './handlers/run-async-hook.js';
import { describeHandler, type Handler, type HookSource, identityOf } from './hook-config.js';
import type { HookEvent, HookEventFields } from './hook-events.js';
import type { HookSetup, HooksOptions, HookWorktree } from './hooks-options.js';
import type { CommonInput } from './input.js';
import { matchesOnlyEdits } from './match.js';
import { readConfig } from './read-config.js';
import type { RunOptions } from './run-handlers.js';

export type { HookFolder, HooksOptions } from './hooks-options.js';

export interface Hooks {
  /** True if a hook is configured for the event; if not, the caller need not build its fields. */
  has(event: HookEvent): boolean;
  /** Runs all matching hooks in parallel. Never rejects because of a hook. */
  run<E extends HookEvent>(event: E, fields: HookEventFields[E], options?: RunOptions): Promise<HookVerdict>;
  /** True if a hook sees the calls of the edit tools before they run, but not those of Bash. */
  guardsEdits(): boolean;
  /**
   * Adds hooks for one run of an agent, from its front matter. They apply to that run only: a child of the child builds
   * on the session's hooks, not on these.
   */
  withHooks(sources: readonly HookSource[], layer?: HookLayer): Hooks;
  /** Adds hooks for the rest of the session, for all agents: a skill's hooks, from its first use on. */
  add(sources: readonly HookSource[]): void;
  /** Ends the background commands of all agents. Never rejects. */
  close(): Promise<void>;
}

/** For an agent without hooks, regardless of the configuration. */
export const NO_HOOKS: Hooks = {
  has: () => false,
  guardsEdits: () => false,
  run: () => NOTHING,
  withHooks: () => NO_HOOKS,
  add: () => {},
  close: () => Promise.resolve(),
};

type HookLayer = {
  /** The common fields of that run: agent id and type, folder. */
  readonly base?: () => CommonInput;
  /** In a child (the default), `Stop` means `SubagentStop`; in the main agent it means itself. */
  readonly of?: 'child' | 'main';
  /** The agent's worktree, if any: its hooks run there, and paths in `if` are relative to it. */
  readonly worktree?: HookWorktree | undefined;
};

export function createHooks(options: HooksOptions): Hooks {
  const setup = setUpHooks(options);
  return hooksOf(setup, readHandlers(setup, options.sources));
}

function hooksOf(settings: HookSetup, handlers: readonly Handler[]): Hooks {
  const byEvent = groupByEvent(handlers);
  return {
    has: (event) => byEvent.has(event) || settings.added.has(event),
    guardsEdits: () =>
      [...(byEvent.get('PreToolUse') ?? []), ...(settings.added.get('PreToolUse') ?? [])].some(({ matcher }) =>
        matchesOnlyEdits(matcher),
      ),
    run: (event, fields, options = {}) => {
      const candidates = [...(byEvent.get(event) ?? []), ...(settings.added.get(event) ?? [])];
      if (candidates.length === 0) return NOTHING;
      return runCandidates(settings, candidates, event, fields, options);
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

/** The code that runs hooks is loaded with the first one. */
async function runCandidates<E extends HookEvent>(
  settings: HookSetup,
  candidates: readonly Handler[],
  event: E,
  fields: HookEventFields[E],
  options: RunOptions,
): Promise<HookVerdict> {
  const { runHandlers } = await import('./run-handlers.js');
  return runHandlers(settings, candidates, event, fields, options);
}

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

/** An agent, which can show a line to the user. */
type Shown = { readonly agent: { emit(event: LiveEvent): Promise<unknown> } };

/** Shows the messages of hooks, in order. */
export async function showHooks(run: Shown, verdict: HookVerdict): Promise<HookVerdict> {
  for (const { level, hook, text } of verdict.messages) {
    await run.agent.emit({ kind: 'line-shown', level, line: `${hook}: ${text}` });
  }
  return verdict;
}

/** Creates the state that the hooks of a session share. */
function setUpHooks(options: HooksOptions): HookSetup {
  const { host, ownEnv = host.env } = options;
  const fetches = new Map<string, Promise<FoundFetch>>();
  const over = new Set<string>();
  let background: Promise<BackgroundHooks> | undefined;
  return {
    ...options,
    shell: once(async () => (await import('./run-command-hook.js')).findShell(host)),
    warned: new Set(),
    added: new Map(),
    // A project's settings must not choose the proxy.
    findFetch: (url) => {
      const found = fetches.get(url.origin) ?? host.network.findFetch(url, ownEnv);
      fetches.set(url.origin, found);
      return found;
    },
    hasRun: (handler) => handler.once === true && over.has(keyOf(handler)),
    start: (handler) => {
      if (handler.once === true) over.add(keyOf(handler));
      return () => over.delete(keyOf(handler));
    },
    background: () => {
      background ??= import('./handlers/run-async-hook.js').then((module) => new module.BackgroundHooks());
      return background;
    },
    close: async () => (await background)?.close(),
  };
}

/** Identifies the hook with its location: the same hook in another file is a different one. */
function keyOf(handler: Handler): string {
  const { event, origin, matcher, condition } = handler;
  const names = matcher.kind === 'names' ? [...matcher.names] : matcher;
  return JSON.stringify([event, origin, names, condition, identityOf(handler)]);
}
