/** What all agents of a session share: nothing here is built again for a child. */

import type { SessionLayout } from '../config/paths.js';
import type { Hooks } from '../gate/hooks/hooks.js';
import type { Host } from '../host/host.js';
import type { Budget } from '../loop/budget.js';
import type { Ports } from '../loop/ports.js';
import type { CacheLifetime } from '../model/anthropic/body.js';
import type { ModelOverrides } from '../model/models.js';
import type { Prefix } from '../model/prefix.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Listener } from '../session/emit.js';
import type { AgentLog } from '../session/state/agent-log.js';
import type { Tool } from '../tools/tool.js';
import type { Catalog } from './catalog/catalog.js';
import type { ColdStarts } from './fork/cold-start.js';
import type { WarmUps } from './fork/warm-up.js';
import type { Member } from './live-agent.js';
import type { NoticeHolders } from './notices/notice-holders.js';
import type { ProgressBoard } from './progress-board.js';
import type { ShellTask } from './shells/kept-shell.js';
import type { Slots } from './start/slots.js';

export interface Runtime {
  readonly session: string;
  readonly host: Host;
  readonly layout: SessionLayout;
  /** Those of another session of the same project. */
  layoutOf(session: string): SessionLayout;
  readonly ports: Ports;
  readonly hooks: Hooks;
  readonly listeners: Set<Listener>;
  readonly budget: Budget;
  readonly models: ModelOverrides;
  readonly cacheLifetime: CacheLifetime;
  readonly maxOutputTokens: number;
  /** Every tool there is, from which children's pools are assembled. */
  tools: readonly Tool[];
  /** Replaced when definitions change, between turns. */
  catalog: Catalog;
  readonly members: Map<string, Member>;
  /** Agents that have ended, by id: only facts, the rest is on disk. */
  readonly ended: Map<string, AgentLog>;
  /** Shell commands that run on by themselves. */
  readonly shellTasks: Map<string, ShellTask>;
  /** Ends of runs that are still being looked after: hand-off, notice. */
  readonly finishing: Set<Promise<void>>;
  /** The session is being left: what ends now is interrupted, not finished. */
  isClosing: boolean;
  /** A notice waits for the main agent. */
  wakeMain(): void;
  onFinished(member: Member): void;
  readonly slots: Slots;
  readonly warmUps: WarmUps;
  readonly coldStarts: ColdStarts;
  readonly progress: ProgressBoard;
  readonly notices: NoticeHolders;
  /** Prefixes already frozen, by what went into them: children of one kind share one. */
  readonly prefixes: Map<string, Prefix>;
  readonly settings: AgentSettings;
  /** Facts and instructions a fresh agent starts with. */
  opening(options: {
    readonly host: Host;
    readonly model: string;
    readonly omitInstructions: boolean;
  }): Promise<string>;
}

/** What settings, flags and the environment say about children. */
export type AgentSettings = {
  readonly maxDepth: number;
  readonly forkAvailable: boolean;
  readonly forkSwitchedOff: boolean;
  readonly backgroundAvailable: boolean;
  readonly childrenThink: boolean;
  readonly childrenInheritMode: boolean;
  /** Hooks in the front matter of definitions count. */
  readonly definitionHooks: boolean;
  readonly startedBypassed: boolean;
  readonly interactive: boolean;
  readonly resultLimit: number;
  readonly stallMs: number;
  /** The person's word on edits by agents; undefined until it was asked. */
  editsAgreed: boolean | undefined;
  /** Puts that question. */
  readonly askAboutEdits: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** A command that reads the transcript of a finished background child. */
  readonly handoffCheck: string | undefined;
  readonly forceBackground: boolean;
  /** After so long a child that is waited for goes to the background; 0: never. */
  readonly autoBackgroundMs: number;
  readonly coordinator: boolean;
  readonly isTypeDenied: (type: string) => boolean;
  readonly mode: () => PermissionMode;
};
