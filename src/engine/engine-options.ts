/** The inputs of an engine, once the session is found, locked and read. */

import type { Runtime } from '../agents/runtime.js';
import type { ReadFacts } from '../context/announced-facts.js';
import type { CurrentInstructions } from '../context/current-instructions.js';
import type { SessionWorktree } from '../features/worktrees/session-worktree.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { ReplayStatus } from '../sim/recording/traffic-replay.js';
import type { Servers } from '../tools/mcp/server-access.js';
import type { Tool } from '../tools/tool.js';
import type { StatusLineCommand } from './build/status-line-command.js';
import type { MainSetup } from './main-agent.js';
import type { LoadedSession } from './open/load-session.js';
import type { FolderConfig } from './open/read-config.js';
import type { ChangingDefinitions } from './refresh/reload-definitions.js';
import type { ModeFacts } from './refuse-options.js';
import type { Resources } from './resources.js';
import type { OpenFailure, SessionOptions } from './session-options.js';
import type { ChangingSkills } from './skills/find-session-skills.js';

export type OpenedConfig = Pick<FolderConfig, 'settings' | 'trusted'> & {
  readonly options: SessionOptions;
  readonly projectRoot: string;
  readonly approvalsRoot: string;
  /** The folder in which the session was requested. */
  readonly askedIn: string;
  readonly instructions: CurrentInstructions;
  /** As the files are now. */
  readAgain(): Promise<FolderConfig | OpenFailure>;
};

/** With session facts that a status line may show. */
export type SessionStatusLine = StatusLineCommand & {
  facts(): {
    readonly projectDir: string;
    readonly addedDirs: readonly string[];
    readonly effort: string | undefined;
    /** The agent it runs as. */
    readonly agent: string | undefined;
  };
};

export type EngineOptions = {
  readonly runtime: Runtime;
  readonly resources: Resources;
  readonly setup: MainSetup;
  readonly mode: PermissionMode;
  /** As requested: an alias, an id, or `opusplan`. */
  readonly modelName: string;
  /** Without server tools. */
  readonly tools: readonly Tool[];
  /** The session's servers, with those of the agent it runs as. */
  readonly servers: Servers;
  /** The server tools that the main agent declares with this model. */
  declareServers(offered: readonly Tool[], model: string): readonly Tool[];
  /** How long the first request waits for servers that are still connecting. */
  readonly serverWaitMs: number;
  /** Sent before your first prompt, if the session runs as an agent that has one. */
  readonly initialPrompt: string | undefined;
  /** The stored session to resume; undefined for a new one. */
  readonly loaded: LoadedSession | undefined;
  readonly isBranch: boolean;
  /** Interrupted agents are resumed at once. */
  readonly resumeAgents: boolean;
  /** How long they may take before the main agent continues. */
  readonly resumeWaitMs: number;
  readonly definitions: ChangingDefinitions;
  readonly skills: ChangingSkills;
  /** Reads the facts that were announced to the main agent and may have changed. */
  readonly readFacts: ReadFacts;
  /** The session's own worktree, if it has one. */
  readonly worktree: SessionWorktree | undefined;
  /** The status line command. */
  readonly statusLine: SessionStatusLine | undefined;
  readonly warnings: readonly string[];
  /** For a replayed session. */
  replayStatus(): ReplayStatus | undefined;
  /** The facts that decide which modes are allowed. */
  readonly modes: ModeFacts;
  /** The configuration read at the start, for inspection. */
  readonly config: OpenedConfig;
  /** `false`: nothing of it is on disk once it is closed. */
  readonly isKept: boolean;
  /** The requested name; undefined: unchanged. */
  readonly name: string | undefined;
};
