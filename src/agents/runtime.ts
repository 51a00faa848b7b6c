/** What all agents of a session share. Nothing here is built again for a child. */

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
import type { NoticeHolders, UnderWay } from './notices/notice-holders.js';
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
  /** The repository, or the session's folder outside one: where its hooks run. */
  readonly projectRoot: string;
  /** The folders agents may work in. */
  readonly roots: readonly string[];
  /** The worktree that the session itself works in. */
  readonly worktree: AgentWorktree | undefined;
  /** The person trusts the project. */
  readonly trusted: boolean;
  readonly ports: Ports;
  readonly runner: AgentRunner;
  readonly hooks: Hooks;
  readonly listeners: Listeners;
  readonly budget: Budget;
  readonly models: ModelOverrides;
  /** The id of the model for turns in which an agent's own is overloaded. */
  readonly fallbackModel: string | undefined;
  readonly cacheLifetime: CacheLifetime;
  readonly maxOutputTokens: number;
  readonly settings: AgentSettings;
  /** All tools but those of servers; children's pools are assembled from both. Replaced between prompts. */
  tools: readonly Tool[];
  /** For `/name` that the person types, also where no agent has it. */
  readonly skillTool: Tool;
  /** MCP servers, with their tools. */
  readonly mcp: SessionServers;
  /** Replaced when definitions change, between prompts. */
  catalog: Catalog;
  readonly plugins: readonly Plugin[];
  /** Skills and commands. Replaced when they change, between prompts. */
  skills: SessionSkills;
  /** Skills that the person has typed and that are being taken up, by call. */
  readonly typedSkills: Map<string, TypedSkill>;
  /** Whether what a skill grants and hooks into the session counts. */
  approveSkill(use: SkillToApprove, signal: AbortSignal): Promise<SkillApproval>;
  /** Brings hooks back that an earlier process of the session had from a skill. False: it is not what was approved then. */
  restoreHooks(skill: Skill, what: string): Promise<boolean>;
  /** What skills change for a turn. */
  readonly turns: TurnOverrides;
  readonly agents: Map<string, LiveAgent>;
  /** Agents that have ended, by id: facts only, the rest is on disk. */
  readonly ended: Map<string, EndedAgent>;
  /** Shell commands in the background. */
  readonly shellTasks: Map<string, ShellTask>;
  /** Processes that calls of an earlier process of this session had left, ended when it was resumed. */
  readonly orphans: readonly EndedProcess[];
  /** Runs that have ended and are not finished yet: hand-off check, notice. */
  readonly finishing: Set<Promise<void>>;
  /** The session is closing: runs that end now are interrupted. */
  isClosing: boolean;
  /** Something waits for the main agent. */
  wakeMain(): void;
  readonly askModel: AskModel;
  /** Lets the provider search the web, with the model of the agent that asks. */
  readonly webSearch: SearchWeb;
  readonly slots: Slots;
  /** Who is, was, or is about to be called what. */
  readonly names: Names;
  readonly warmUps: WarmUps;
  /**
   * Which agent has which notice. One that comes too late for an agent is passed on to the next above. It stays in the
   * transcript of the first and must not count there when that agent continues.
   */
  readonly noticeHolders: NoticeHolders;
  /** Agents that are being brought back, by id. Each resolves when it is at work again, or can't be. */
  readonly returning: Map<string, Promise<unknown>>;
  /** Notices that could not be saved anywhere: nobody has heard of these ends. */
  readonly unreported: UnderWay[];
  /** Children are being stopped because the budget is used up. */
  budgetStop: Promise<void> | undefined;
  readonly fences: Fences;
  /** Frozen prefixes by content: children of one kind share one. */
  readonly prefixes: Map<string, readonly { readonly tools: readonly Tool[]; readonly prefix: Prefix }[]>;
  /** The history a fork started with; read once for all siblings. */
  resolveFork(reference: ForkReference): Promise<ResolvedFork>;
  readonly worktrees: SessionWorktrees;
  /** In their fixed order. */
  readonly features: readonly Feature[];
  /** Facts and instructions a fresh agent starts with. */
  opening(options: OpeningOptions): Promise<{ readonly words: string; readonly tells: Announcements }>;
}

type OpeningOptions = {
  readonly host: Host;
  readonly roots: readonly string[];
  /** The one it works in, if it has one. */
  readonly worktree?: AgentWorktree | undefined;
  readonly model: string;
  readonly omitInstructions: boolean;
  /** Said after the facts. */
  readonly note?: string | undefined;
};

/** Where agents run: in this process. A runner elsewhere takes the same start and writes the same log. */
export interface AgentRunner {
  /** Builds an agent from its start and opens its log. Rejects with a TranscriptError when that can't be opened. */
  open(runtime: Runtime, start: AgentStart): Promise<LiveAgent>;
  /** One run of the loop, to its end. Rejects with a TranscriptError when something could not be saved. */
  run(runtime: Runtime, agent: LiveAgent, signal: AbortSignal): Promise<RunEnd>;
}

/** What settings, flags and the environment say about children. */
export type AgentSettings = {
  readonly maxDepth: number;
  /** Of the session, if it has a limit: no child gets more. */
  readonly maxTurns: number;
  readonly forkAvailable: boolean;
  readonly forkSwitchedOff: boolean;
  /** What forks of one reply see of each other. */
  readonly siblings: SiblingsSetting;
  readonly backgroundAvailable: boolean;
  /** Agents have only these of the built-in tools; undefined: all. */
  readonly builtInTools: readonly string[] | undefined;
  /** No model works in the main agent. */
  readonly onlyCalls: boolean;
  readonly childrenThink: boolean;
  readonly childrenInheritMode: boolean;
  /** Hooks in the front matter of definitions count. */
  readonly definitionHooks: boolean;
  readonly startedBypassed: boolean;
  readonly interactive: boolean;
  readonly resultLimit: number;
  readonly stallMs: number;
  /** What reads the transcript of a finished background child. */
  readonly handoffCheck: HandOffCheck | undefined;
  readonly forceBackground: boolean;
  /** After this time a foreground child moves to the background; 0: never. */
  readonly autoBackgroundMs: number;
  readonly coordinator: boolean;
  /** Shell lines of skills and commands run. */
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

/** One question to a model, beside all conversations. Paid from the session's budget. */
export type AskModel = (question: ModelQuestion, signal: AbortSignal) => Promise<ModelAnswer>;

type ModelQuestion = {
  readonly model: string;
  readonly system: string;
  readonly words: string;
  readonly maxTokens: number;
  readonly sender: { readonly chain: string; readonly depth: number };
};

type ModelAnswer =
  | { readonly kind: 'answered'; readonly words: string; readonly stop: string; readonly paid: SideRequest }
  /** The budget, the model's price, the connection … For people. `paid`: where something was used all the same. */
  | { readonly kind: 'failed'; readonly reason: string; readonly paid?: SideRequest };
