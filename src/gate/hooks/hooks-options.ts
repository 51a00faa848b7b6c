/** What hooks are given, and what all of a session share. */

import type { Environment } from '../../host/environment.js';
import type { Host } from '../../host/host.js';
import type { FoundFetch } from '../../host/network.js';
import type { LiveEvent } from '../../protocol/events.js';
import type { BackgroundHooks } from './handlers/run-async-hook.js';
import type { CommandHandler, Handler, HookSource } from './hook-config.js';
import type { HookEvent } from './hook-events.js';
import type { HookPorts } from './hook-ports.js';
import type { CommonInput } from './input.js';

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
  /** Awaited before `matchesRule` is asked: what it needs is loaded with the first hook that has an `if`. */
  readonly loadRules?: () => Promise<void>;
  /** Why a command must not run now, though it was approved: then it counts as not started. Must not reject. */
  readonly whyChanged?: (
    command: Pick<CommandHandler, 'command' | 'args' | 'environment'>,
  ) => Promise<string | undefined>;
  /** Where a command of an agent in a worktree runs: there, or in the project if its script is only there. Must not reject. */
  readonly placeOf?: (command: Pick<CommandHandler, 'command' | 'args'>, project: string) => Promise<HookFolder>;
  /**
   * What needs a session. Asked for when a hook needs it; may reject where the session is not open yet. Without it, hooks
   * that need it can't be started, and commands in the background are waited for.
   */
  readonly ports?: () => Promise<HookPorts>;
  /** Called when a hook begins and ends, in the name of the agent it runs for. Omitted: nobody wants to know. */
  readonly tell?: (agent: string, event: LiveEvent) => void;
  /** What the person's settings say about `http` hooks. */
  readonly http?: HttpLimits;
  /** The environment without what a project's settings add to it; omitted: that of the host. */
  readonly ownEnv?: Environment | undefined;
};

/** What the person's settings say about `http` hooks. */
export type HttpLimits = {
  /** Patterns of addresses; undefined: anywhere. */
  readonly allowedHttpHookUrls?: readonly string[] | undefined;
  /** Names of variables that headers may hold; undefined: those that a hook lists. */
  readonly httpHookAllowedEnvVars?: readonly string[] | undefined;
};

/** `reason`: it must not run, because its script is not the approved one there. */
export type HookFolder = { readonly folder: string } | { readonly reason: string };

export type HookWorktree = {
  /** What the project's folder is in it: commands run there. */
  readonly project: string;
  /** The agent's folder. */
  readonly folder: string;
};

/** Shared by all agents, but for `base` and `worktree`. */
export type HookSetup = HooksOptions & {
  readonly shell: () => Promise<string>;
  readonly findFetch: (url: URL) => Promise<FoundFetch>;
  /** Hooks whose slow matcher was told of. */
  readonly warned: Set<string>;
  /** Those that came during the session; shared by all that are made from these hooks. */
  readonly added: Map<HookEvent, Handler[]>;
  readonly worktree?: HookWorktree | undefined;
  /** It was to run once, and has. */
  hasRun(handler: Handler): boolean;
  /** It runs now. Returns how to take that back, if it gives no answer. */
  start(handler: Handler): () => void;
  /** Those that nobody waits for. */
  background(): Promise<BackgroundHooks>;
  close(): Promise<void>;
};
