/** Options of hooks, and the state that all hooks of a session share. */

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
  /** The folder of commands, unless their agent is in a worktree, and the value of `CLAUDE_PROJECT_DIR`. */
  readonly projectDir: string;
  /** In configuration order. Everything given here may run, so pass only trusted and approved sources. */
  readonly sources: readonly HookSource[];
  readonly base: () => CommonInput;
  /** Called with a message about each hook that can't work as written. */
  readonly warn: (line: string) => void;
  /**
   * Tests a call against a permission rule, for `if`. Must not throw, and must return true for an unreadable rule. Without
   * it, hooks with `if` run for every call and can't allow any.
   */
  readonly matchesRule?: (rule: string, toolName: string, toolInput: unknown, folder?: string) => boolean;
  /** Awaited before `matchesRule` is called: loads its code with the first hook that has an `if`. */
  readonly loadRules?: () => Promise<void>;
  /** The reason why an approved command must not run now; it is then treated as not started. Must not reject. */
  readonly whyChanged?: (
    command: Pick<CommandHandler, 'command' | 'args' | 'environment'>,
  ) => Promise<string | undefined>;
  /** The folder for a command of an agent in a worktree: the worktree, or the project if its script is only there. Must not reject. */
  readonly placeOf?: (command: Pick<CommandHandler, 'command' | 'args'>, project: string) => Promise<HookFolder>;
  /**
   * The parts that need a session. Called when a hook needs them; may reject if the session is not open yet. Without it,
   * hooks that need them can't start, and background commands are awaited.
   */
  readonly ports?: () => Promise<HookPorts>;
  /** Called when a hook starts and ends, for the agent it runs for. Omitted: nobody listens. */
  readonly notify?: (agent: string, event: LiveEvent) => void;
  /** The user's settings for `http` hooks. */
  readonly http?: HttpLimits;
  /** The environment without what a project's settings add to it; omitted: that of the host. */
  readonly ownEnv?: Environment | undefined;
};

/** The user's settings for `http` hooks. */
export type HttpLimits = {
  /** URL patterns; undefined: any URL. */
  readonly allowedHttpHookUrls?: readonly string[] | undefined;
  /** Variables that headers may contain; undefined: those that a hook lists. */
  readonly httpHookAllowedEnvVars?: readonly string[] | undefined;
};

/** `reason`: it must not run, because the script there is not the approved one. */
export type HookFolder = { readonly folder: string } | { readonly reason: string };

export type HookWorktree = {
  /** The project's folder in the worktree: commands run there. */
  readonly project: string;
  /** The agent's folder. */
  readonly folder: string;
};

/** Shared by all agents, except for `base` and `worktree`. */
export type HookSetup = HooksOptions & {
  readonly shell: () => Promise<string>;
  readonly findFetch: (url: URL) => Promise<FoundFetch>;
  /** Hooks whose slow matcher was already reported. */
  readonly warned: Set<string>;
  /** Hooks added during the session; shared by all instances derived from these hooks. */
  readonly added: Map<HookEvent, Handler[]>;
  readonly worktree?: HookWorktree | undefined;
  /** True if it has `once` and has already run. */
  hasRun(handler: Handler): boolean;
  /** Marks it as run. Returns a function that undoes this if it gives no answer. */
  start(handler: Handler): () => void;
  /** The hooks that run in the background. */
  background(): Promise<BackgroundHooks>;
  close(): Promise<void>;
};
