/** The state that all agents of a session share. None of it is rebuilt for a child. */

import type { SessionLayout } from '../config/paths.js';
import type { Plugin } from '../config/plugins/plugin.js';
import type { Skill } from '../config/skills/skill.js';
import type { Hooks } from '../gate/hooks/hooks.js';
import type { Host } from '../host/host.js';
import type { EndedProcess } from '../host/processes.js';
import type { Budget } from '../loop/budget.js';
import type { Ports } from '../loop/ports.js';
import type { RunEnd } from '../loop/run-loop.js';
import type { ModelOverrides } from '../model/models.js';
import type { Prefix } from '../model/prefix.js';
import type { CacheLifetime } from '../model/request.js';
import type { AgentWorktree, Announcements, ForkReference, SideRequest } from '../protocol/events.js';
import type { Listeners } from '../session/emit.js';
import type { ResolvedFork } from '../session/state/resolve-fork.js';
import type { Fences } from '../session/transcript/append-port.js';
import type { SessionServers } from '../tools/mcp/session-servers.js';
import type { Tool } from '../tools/tool.js';
import type { SearchWeb } from '../tools/web/search-port.js';
import type { Catalog } from './catalog/catalog.js';
import type { EndedAgent } from './ended-agent.js';
import type { Feature } from './feature.js';
import type { SiblingsSetting } from './fork/choose-siblings.js';
import type { WarmUps } from './fork/warm-up.js';
import type { AgentStart, LiveAgent } from './live-agent.js';
import type { NoticeHolders, NoticeInTransit } from './notices/notice-holders.js';
import type { ShellTask } from './shells/background-shell.js';
import type { SessionSkills, TypedSkill } from './skills/session-skills.js';
import type { SkillApproval, SkillToApprove } from './skills/skill-approval.js';
import type { TurnOverrides } from './skills/turn-overrides.js';
import type { Names } from './start/names.js';
import type { Slots } from './start/slots.js';
import type { SessionWorktrees } from './worktrees/session-worktrees.js';

export interface Runtime {
  readonly session: string;
  readonly host: Host;
  readonly layout: SessionLayout;
  /** The layout of another session of this project. */
  layoutOf(session: string): SessionLayout;
  /** The repository, or outside one the session's folder. Hooks run here. */
  readonly projectRoot: string;
  /** The folders that agents may work in. */
  readonly roots: readonly string[];
  /** The worktree of the session itself. */
  readonly worktree: AgentWorktree | undefined;
  /** The user trusts the project. */
  readonly trusted: boolean;
  /** `--trust` was given: what the project has is approved for this run. */
  readonly trustsThisRun: boolean;
  readonly ports: Ports;
  readonly runner: AgentRunner;
  readonly hooks: Hooks;
  readonly listeners: Listeners;
  readonly budget: Budget;
  readonly models: ModelOverrides;
  /** The model to use in turns in which an agent's own is overloaded. */
  readonly fallbackModel: string | undefined;
  readonly cacheLifetime: CacheLifetime;
  readonly maxOutputTokens: number;
  readonly settings: AgentSettings;
  /** All tools except those of servers; children's pools are built from both. Replaced between prompts. */
  tools: readonly Tool[];
  /** For a typed `/name`, even if no agent has the tool. */
  readonly skillTool: Tool;
  /** MCP servers, with their tools. */
  readonly mcp: SessionServers;
  /** Replaced when definitions change, between prompts. */
  catalog: Catalog;
  readonly plugins: readonly Plugin[];
  /** Skills and commands. Replaced when they change, between prompts. */
  skills: SessionSkills;
  /** Skills typed by the user that are being loaded, by call. */
  readonly typedSkills: Map<string, TypedSkill>;
  /** Asks for approval of the permissions and hooks that a skill adds to the session. */
  approveSkill(use: SkillToApprove, signal: AbortSignal): Promise<SkillApproval>;
  /**
   * Restores the hooks that a skill added in an earlier process of the session. Returns false if they differ from what
   * was approved.
   */
  restoreHooks(skill: Skill, what: string): Promise<boolean>;
  /** Changes that skills make for one turn. */
  readonly turns: TurnOverrides;
  readonly agents: Map<string, LiveAgent>;
  /** Agents that have ended, by id, reduced to a summary; the rest is on disk. */
  readonly ended: Map<string, EndedAgent>;
  /** Background shell commands. */
  readonly shellTasks: Map<string, ShellTask>;
  /** Processes left over from calls of an earlier process of this session, stopped on resume. */
  readonly orphans: readonly EndedProcess[];
  /** Runs that have ended but are still finishing: hand-off check, notice. */
  readonly finishing: Set<Promise<void>>;
  /** The session is closing: runs that end now are interrupted. */
  isClosing: boolean;
  /** Wakes the main agent for pending input. */
  wakeMain(): void;
  readonly askModel: AskModel;
  /** Web search by the provider, using the calling agent's model. */
  readonly webSearch: SearchWeb;
  readonly slots: Slots;
  /** Agent names: in use, used before, or claimed. */
  readonly names: Names;
  /** Pairs of sender and receiver that passed the gate although the receiver has more tools (GT-34). */
  readonly agreedPairs: Set<string>;
  readonly warmUps: WarmUps;
  /**
   * The agent that holds each notice. A notice too late for an agent is passed on to its parent. It stays in the first
   * agent's transcript, where it must be ignored when that agent continues.
   */
  readonly noticeHolders: NoticeHolders;
  /** Agents being resumed, by id. Each resolves when the agent is running again, or can't be resumed. */
  readonly returning: Map<string, Promise<unknown>>;
  /** Notices that could not be saved anywhere, so nobody knows of these ends. */
  readonly unreported: NoticeInTransit[];
  /** Children are being stopped because the budget is used up. */
  budgetStop: Promise<void> | undefined;
  readonly fences: Fences;
  /** Frozen prefixes by content: children of one type share one. */
  readonly prefixes: Map<string, readonly { readonly tools: readonly Tool[]; readonly prefix: Prefix }[]>;
  /** The history a fork started with; read once for all siblings. */
  resolveFork(reference: ForkReference): Promise<ResolvedFork>;
  readonly worktrees: SessionWorktrees;
  /** In their fixed order. */
  readonly features: readonly Feature[];
  /** Facts and instructions a fresh agent starts with. */
  opening(options: OpeningOptions): Promise<{ readonly words: string; readonly announcements: Announcements }>;
}

type OpeningOptions = {
  readonly host: Host;
  readonly roots: readonly string[];
  /** The worktree it works in, if any. */
  readonly worktree?: AgentWorktree | undefined;
  readonly model: string;
  readonly omitInstructions: boolean;
  /** Added after the facts. */
  readonly note?: string | undefined;
};

/** Runs agents in this process. A remote runner would take the same start and write the same log. */
export interface AgentRunner {
  /** Builds an agent from its start and opens its log. Rejects with a TranscriptError if the log can't be opened. */
  open(runtime: Runtime, start: AgentStart): Promise<LiveAgent>;
  /** Runs the loop to its end. Rejects with a TranscriptError if something could not be saved. */
  run(runtime: Runtime, agent: LiveAgent, signal: AbortSignal): Promise<RunEnd>;
}

/** Settings, flags and environment variables about children. */
export type AgentSettings = {
  readonly maxDepth: number;
  /** The session's limit, which no child exceeds. */
  readonly maxTurns: number;
  readonly forkAvailable: boolean;
  readonly forkSwitchedOff: boolean;
  /** What forks of one reply know of each other. */
  readonly siblings: SiblingsSetting;
  readonly backgroundAvailable: boolean;
  /** The built-in tools that agents have; undefined: all. */
  readonly builtInTools: readonly string[] | undefined;
  /** The main agent has no model; clients only call its tools. */
  readonly onlyCalls: boolean;
  readonly childrenThink: boolean;
  readonly childrenInheritMode: boolean;
  /** Hooks in the front matter of definitions apply. */
  readonly definitionHooks: boolean;
  readonly startedBypassed: boolean;
  readonly interactive: boolean;
  readonly resultLimit: number;
  readonly stallMs: number;
  /** The check of a finished background child's transcript. */
  readonly handoffCheck: HandOffCheck | undefined;
  readonly forceBackground: boolean;
  /** The time after which a foreground child moves to the background; 0: never. */
  readonly autoBackgroundMs: number;
  readonly coordinator: boolean;
  /** Run the shell lines of skills and commands. */
  readonly skillShell: boolean;
  readonly worktree: WorktreeSettings;
};

export type WorktreeSettings = {
  /** Undefined: for forks only. */
  readonly includeDirty: boolean | undefined;
  readonly sparsePaths: readonly string[];
  readonly symlinkDirectories: readonly string[];
  readonly maxOverlayBytes: number;
};

/** A command line, or the id of a model. */
export type HandOffCheck = { readonly command: string } | { readonly model: string };

/** Asks a model one question outside all conversations, paid from the session's budget. */
export type AskModel = (question: ModelQuestion, signal: AbortSignal) => Promise<ModelAnswer>;

type ModelQuestion = {
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly sender: { readonly chain: string; readonly depth: number };
};

type ModelAnswer =
  | { readonly kind: 'answered'; readonly reply: string; readonly stop: string; readonly paid: SideRequest }
  /** The budget, the model's price, the connection … For the user. `paid`: usage in spite of the failure. */
  | { readonly kind: 'failed'; readonly reason: string; readonly paid?: SideRequest };
