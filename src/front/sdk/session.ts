/** A session for library users: one conversation with a user, its agents and its state on disk. */

import type { EndedResult } from '../../agents/run/result.js';
import type { Task } from '../../agents/tools/list-tasks.js';
import type { Client } from '../../engine/attach-client.js';
import type { CommandResult } from '../../engine/commands/command-results.js';
import { execute } from '../../engine/commands/execute.js';
import { toBackground } from '../../engine/commands/to-background.js';
import type { Engine } from '../../engine/engine.js';
import type { SessionStatusLine } from '../../engine/engine-options.js';
import { promptHistory } from '../../engine/inspect/prompt-history.js';
import {
  conversationInForce,
  lastInForce,
  type TranscriptReader,
  transcriptPath,
  transcriptReader,
} from '../../engine/inspect/transcript-reader.js';
import type { UiSettings } from '../../engine/inspect/ui-settings.js';
import type { PastSession } from '../../engine/past-session.js';
import type { IdleResult } from '../../engine/wait-until-idle.js';
import type { SessionWorktree } from '../../features/worktrees/session-worktree.js';
import type { RunEnd } from '../../loop/run-loop.js';
import type { ModelOverrides } from '../../model/models.js';
import type { UserBlock } from '../../protocol/blocks.js';
import type { Command, CommandOf } from '../../protocol/commands.js';
import type { Listener } from '../../protocol/events.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import type { PermissionMode, PermissionQuestion } from '../../protocol/permission.js';
import { type RewindRequest, type Rewound, rewindConflicts } from '../../session/files/rewind.js';
import type { RecordedPrompt } from '../../session/state/agent-state.js';
import type { PromptHistoryFile } from '../../session/store/prompt-history.js';
import type { EventInForce, LastInForce } from '../../session/transcript/read-in-force.js';
import type { ReplayStatus } from '../../sim/recording/traffic-replay.js';
import type { Tool } from '../../tools/tool.js';
import type { PastAgent } from '../view/agent-view.js';
import { createView } from '../view/session-view.js';
import { type AgentSnapshot, snapshots } from '../view/snapshots.js';

export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly model: string;
  /** The name that the user gave it, if any. */
  readonly name: string | undefined;
  readonly transcript: string;
  readonly tools: readonly Tool[];
  readonly mode: PermissionMode;
  /** The name of the output style; `default` without one. */
  readonly outputStyle: string;
  /** The user's status line command, in an interactive session that has one. `StatusLine` runs it. */
  readonly statusLine: SessionStatusLine | undefined;
  /** The modes it can be switched to: bypassPermissions only if it was opened in that mode, or with `allowBypass`. */
  readonly modes: readonly PermissionMode[];
  /** Model data overridden by settings, for computing costs. */
  readonly models: ModelOverrides;
  /** Warnings from opening the session. */
  readonly warnings: readonly string[];
  /** The state of the session when it was resumed; undefined for a new one. */
  readonly past: PastSession | undefined;
  /** The agents of earlier processes, as of opening: for your own view (`createView`). */
  readonly pastAgents: readonly PastAgent[];
  /** The worktree it works in, if it was opened with one; after closing, with the outcome. */
  readonly worktree: SessionWorktree | undefined;
  /** The status of a replay; missing requests are reported when the session is closed. */
  readonly replay: ReplayStatus | undefined;
  /** True if there is something on disk to resume. */
  readonly isSaved: boolean;
  /** `false`: deleted from disk once it is closed (`persist: false`). */
  readonly isKept: boolean;
  /** True if the user can fork it: not with `fork: 'off'`, nor as a coordinator. */
  readonly canFork: boolean;
  /** True if foreground children can move to the background. */
  readonly canBackground: boolean;
  /** Executes any command. The methods below are shorthands for common ones. Never rejects. */
  execute<C extends Command>(command: C): Promise<CommandResult<C>>;
  /** Attaches another client; returns a function that detaches it. */
  attach(client: Client): () => void;
  /** Calls the listener with every event from now on; returns a function that stops it. */
  watch(listener: Listener): () => void;
  /**
   * Calls the listener at the end of each run that no prompt started, but the notice of a background task. A prompt that
   * arrives meanwhile is part of it. Returns a function that stops it.
   */
  onWoken(listener: (end: RunEnd) => void): () => void;
  /** Open questions, oldest first. */
  questions(): readonly PermissionQuestion[];
  /**
   * Sends a prompt and resolves when the agent is done. If the agent is already working, the prompt reaches it at its
   * next safe point, and the promise is that of the current run. Never rejects: failures are in the result.
   */
  send(prompt: string | readonly UserBlock[]): Promise<RunEnd>;
  /**
   * Resolves when nothing is running: neither the main agent nor a background task. Notices of tasks that end meanwhile
   * wake the main agent. After `waitMs` the remaining tasks are stopped. The `end` is that of the last run.
   */
  settled(waitMs?: number): Promise<IdleResult>;
  /** Starts a child with the whole conversation so far; resolves with its result. */
  fork(directive: string, options?: ForkOptions): Promise<EndedResult>;
  /** Current and past background tasks. */
  tasks(): readonly Task[];
  /** Moves one awaited child, or all, to the background. Returns how many were moved. */
  toBackground(agentId?: string): number;
  /** The current state of every agent. */
  snapshot(): readonly AgentSnapshot[];
  /** Ends the current run within a second; the conversation can be continued. Background tasks keep running. */
  interrupt(): void;
  /** Takes effect at the next safe point, or at once if nothing is running. Rejects if it may not be in that mode. */
  setMode(mode: PermissionMode): Promise<void>;
  /** Takes effect at the next safe point. Starts a new epoch, because caches belong to a model. */
  setModel(model: string): Promise<void>;
  /**
   * Adds tools from the next prompt on, never within a run. Starts a new epoch, because tools are the first bytes of a
   * request: the conversation is paid for once more. A tool with a known name replaces that tool.
   */
  addTools(tools: readonly Tool[]): void;
  /** The prompts that are still in force. */
  prompts(): Promise<readonly RecordedPrompt[]>;
  /** Gives it a name for people, which lists show. Rejects if it can't have that name. */
  rename(name: string): Promise<void>;
  /** Rewinds to before a prompt: the conversation, the files, or both. Refused while something is running. */
  rewind(request: RewindOptions): Promise<Rewound>;
  /** Resumes an agent that was interrupted or has ended, on the user's request. Returns a reason if refused. */
  resumeAgent(agentId: string, words?: string): Promise<string | undefined>;
  /** The MCP servers, once none of them is connecting any more. */
  servers(): Promise<CommandResult<CommandOf<'servers'>>>;
  /** How they stand now. */
  serverReports(): readonly ServerReport[];
  /** The worktrees of the session's repository, with their changes. */
  worktrees(): Promise<CommandResult<CommandOf<'worktrees'>>>;
  /**
   * Applies the changes in an agent's worktree to the session's checkout: all of them, or nothing changes and the result
   * has the reason. `worktree`: its name, or the id, id prefix or name of its agent.
   */
  applyWorktree(worktree: string): Promise<CommandResult<CommandOf<'apply-worktree'>>>;
  /** Removes a worktree; one with changes only with `discard`. */
  removeWorktree(
    worktree: string,
    options?: { readonly discard?: boolean },
  ): Promise<CommandResult<CommandOf<'remove-worktree'>>>;
  /** The records of an agent of this session by position: its whole transcript, live, also of an earlier process. */
  transcriptOf(agent: string): TranscriptReader;
  /** The current main conversation, from the beginning. */
  conversation(): AsyncIterable<EventInForce>;
  /** The end of the main conversation: about this many bytes, read without the rest. */
  lastOfConversation(bytes: number): Promise<LastInForce>;
  /** The user's input history in this folder, and the current draft. */
  readonly history: PromptHistoryFile;
  /** The settings for the screen of this session; `change-settings` changes them. */
  readonly ui: UiSettings;
  /** Adds a line to the debug file, if it was opened with one. */
  note(line: string): void;
  /** Closes the session. Running agents are interrupted and can be resumed; no process stays behind. Never rejects. */
  close(reason?: string): Promise<void>;
}

export type ForkOptions = {
  readonly name?: string;
  readonly description?: string;
  /** In its own checkout. */
  readonly isolation?: 'worktree';
};

export type RewindOptions = RewindRequest & {
  /** Called for each file that others have changed since; if omitted, such files are left alone. */
  readonly mayOverwrite?: (path: string) => Promise<boolean>;
};

export function createSessionOf(engine: Engine, note: (line: string) => void = () => {}): Session {
  const { runtime, driver } = engine;
  const { clock } = runtime.host;
  const queue = engine.past?.queue ?? [];
  const main = { model: engine.model, folder: runtime.host.folder, mode: engine.mode, queue };
  const pastAgents = [...runtime.ended.values()];
  const view = createView({ main, past: pastAgents });
  const run = <C extends Command>(command: C) => execute(engine, command);
  engine.attach({ onEvent: (event) => view.apply(event, clock.elapsed()) });
  return {
    id: runtime.session,
    cwd: runtime.host.folder,
    get model() {
      return engine.model;
    },
    get name() {
      return engine.name;
    },
    transcript: runtime.layout.file,
    get tools() {
      return engine.tools;
    },
    get mode() {
      return engine.mode;
    },
    get outputStyle() {
      return engine.outputStyle;
    },
    statusLine: engine.statusLine,
    modes: engine.modes,
    models: runtime.models,
    warnings: engine.warnings,
    past: engine.past,
    pastAgents,
    worktree: engine.worktree,
    get replay() {
      return engine.replay;
    },
    get isSaved() {
      return engine.isSaved;
    },
    isKept: engine.isKept,
    canFork: !runtime.settings.forkSwitchedOff,
    canBackground: runtime.settings.backgroundAvailable,
    execute: run,
    attach: (client) => engine.attach(client),
    watch: (onEvent) => engine.attach({ onEvent }),
    onWoken: (listener) => {
      driver.watchers.add(listener);
      return () => void driver.watchers.delete(listener);
    },
    questions: () => engine.questions(),
    send: (content) => run({ type: 'prompt', content }),
    settled: (waitMs) => engine.settled(waitMs),
    // A foreground fork resolves with its end.
    fork: (directive, options = {}) => run({ type: 'fork', directive, ...options }) as Promise<EndedResult>,
    tasks: () => engine.tasks(),
    toBackground: (agent) => toBackground(runtime, agent === undefined ? {} : { agent }),
    snapshot: () => snapshots(view, clock.elapsed(), runtime.models, runtime.session),
    interrupt: () => driver.interrupt(),
    setMode: async (mode) => must(await run({ type: 'set-mode', mode })),
    setModel: async (model) => must(await run({ type: 'set-model', model })),
    rename: async (name) => must(await run({ type: 'rename', name })),
    addTools: (tools) => engine.addTools(tools),
    prompts: async () => engine.prompts(),
    rewind: async ({ mayOverwrite, ...request }) => {
      const overwrite = [...(request.overwrite ?? [])];
      for (const path of mayOverwrite === undefined ? [] : await conflictsOf(engine, request.to)) {
        if (await mayOverwrite?.(path)) overwrite.push(path);
      }
      return run({ type: 'rewind', ...request, overwrite });
    },
    resumeAgent: async (agent, words) => {
      const done = await run({ type: 'resume-agent', agent, ...(words === undefined ? {} : { words }) });
      return done.ok ? undefined : done.reason;
    },
    serverReports: () => engine.servers.reports(),
    servers: () => run({ type: 'servers', wait: true }),
    worktrees: () => run({ type: 'worktrees' }),
    applyWorktree: (worktree) => run({ type: 'apply-worktree', worktree }),
    removeWorktree: (worktree, options = {}) => run({ type: 'remove-worktree', worktree, ...options }),
    transcriptOf: (agent) => transcriptReader(runtime.host.files, transcriptPath(runtime.layout, agent)),
    conversation: () => conversationInForce(runtime.host.files, runtime.layout.file),
    lastOfConversation: (bytes) => lastInForce(runtime.host.files, runtime.layout.file, bytes),
    history: promptHistory(runtime, engine.isKept),
    get ui() {
      return engine.ui;
    },
    note,
    close: async (reason) => void (await engine.close(reason)),
  };
}

/** Files that a rewind would leave alone because others have changed them. */
async function conflictsOf({ runtime, state }: Engine, to: number | string): Promise<readonly string[]> {
  return state === undefined ? [] : rewindConflicts(runtime.host, runtime, state, to);
}

/** A switch that could not be recorded did not happen. */
function must(done: { readonly ok: boolean; readonly reason?: string }): void {
  if (!done.ok) throw new Error(done.reason);
}
