/** What an engine is built from, once the session is found, locked and read. */

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
  /** What tells in which folder the person asked for it. */
  readonly askedIn: string;
  readonly instructions: CurrentInstructions;
  /** As the files are now. */
  readAgain(): Promise<FolderConfig | OpenFailure>;
};

/** With what only the session knows and a status line may show. */
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
  /** As it was asked for: an alias, an id, or `opusplan`. */
  readonly modelName: string;
  /** Without those of servers. */
  readonly tools: readonly Tool[];
  /** The session's servers, with those that the agent it runs as brings along. */
  readonly servers: Servers;
  /** What the main agent declares of what servers offer, on this model. */
  declareServers(offered: readonly Tool[], model: string): readonly Tool[];
  /** How long the first request waits for servers that are still connecting. */
  readonly serverWaitMs: number;
  /** Said before the person's first words, when the session runs as an agent that has such. */
  readonly initialPrompt: string | undefined;
  /** What the session goes on from; undefined for a new one. */
  readonly loaded: LoadedSession | undefined;
  readonly isBranch: boolean;
  /** Interrupted agents are resumed at once. */
  readonly resumeAgents: boolean;
  /** How long they may take before the main agent goes on. */
  readonly resumeWaitMs: number;
  readonly definitions: ChangingDefinitions;
  readonly skills: ChangingSkills;
  /** What the main agent was told and may have changed. */
  readonly readFacts: ReadFacts;
  /** It works in a worktree of its own. */
  readonly worktree: SessionWorktree | undefined;
  /** What prints the status line. */
  readonly statusLine: SessionStatusLine | undefined;
  readonly warnings: readonly string[];
  /** Of a session that is replayed. */
  replayStatus(): ReplayStatus | undefined;
  /** What decides which modes it may be in. */
  readonly modes: ModeFacts;
  /** What was read when it was opened, for those who ask. */
  readonly config: OpenedConfig;
  /** `false`: nothing of it is on disk once it is closed. */
  readonly isKept: boolean;
  /** The name it is to have; undefined: as it is. */
  readonly name: string | undefined;
};
