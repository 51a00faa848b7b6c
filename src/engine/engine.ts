/**
 * An open session: takes commands (`commands/execute.ts`), emits events. Its clients decide nothing; several may be
 * attached.
 */

import type { LiveAgent } from '../agents/live-agent.js';
import type { Runtime } from '../agents/runtime.js';
import { listTasks, type Task } from '../agents/tools/list-tasks.js';
import type { SessionWorktree } from '../features/worktrees/session-worktree.js';
import type { RunEnd } from '../loop/run-loop.js';
import type { PermissionMode, PermissionQuestion } from '../protocol/permission.js';
import type { AgentState, RecordedPrompt } from '../session/state/agent-state.js';
import { lockSession } from '../session/store/session-lock.js';
import { TranscriptError } from '../session/transcript/append-port.js';
import type { ReplayStatus } from '../sim/recording/traffic-replay.js';
import type { Servers } from '../tools/mcp/server-access.js';
import type { Tool } from '../tools/tool.js';
import { applyChoice, modelWarnings } from './apply-choice.js';
import { attachClient, type Client } from './attach-client.js';
import { abortAll, closeSession } from './close-session.js';
import { DirectCalls } from './direct-calls.js';
import { Driver } from './driver.js';
import type { EngineOptions } from './engine-options.js';
import { type UiSettings, uiSettings } from './inspect/ui-settings.js';
import { type Choice, clearMain, mainStart, startMain } from './main-agent.js';
import { restoreServerTools } from './mcp/restore-server-tools.js';
import { type PastSession, pastOf } from './past-session.js';
import { refreshMain } from './refresh/refresh-main.js';
import { ToolReloader } from './refresh/reload-tools.js';
import { ReturningAgents, resumeMain } from './resume-main.js';
import { SessionName } from './session-name.js';
import { type ChoiceChange, UserChoice } from './user-choice.js';
import { type IdleResult, waitUntilIdle } from './wait-until-idle.js';

export class Engine {
  readonly runtime: Runtime;
  readonly driver: Driver;
  readonly warnings: readonly string[];
  readonly worktree: SessionWorktree | undefined;
  /** The state of the resumed session when it was left. */
  readonly past: PastSession | undefined;
  readonly toolChanges: ToolReloader;
  readonly naming: SessionName;
  /** `false`: nothing of it is on disk once it is closed. */
  readonly isKept: boolean;
  /** Forks that you started and wait for. */
  readonly forks = new Set<AbortController>();
  /** Running prompts, by the key their client gave them. */
  readonly pendingPrompts = new Map<string, Promise<RunEnd>>();
  /** For surfaces; `change-settings` changes it. */
  ui: UiSettings;
  /** Calls by clients. */
  readonly calls = new DirectCalls();
  readonly #options: EngineOptions;
  /** Running commands. */
  readonly #running = new Set<Promise<unknown>>();
  readonly #choice: UserChoice;
  #initialPrompt: string | undefined;
  #main: Promise<LiveAgent> | undefined;
  readonly #returning = new ReturningAgents();
  /** Opened, though its start may have failed half-way: the next try continues from there. */
  #isReady = false;
  #opened: LiveAgent | undefined;
  #closing: Promise<readonly string[]> | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.runtime = options.runtime;
    this.driver = new Driver(() => this.ready(), options.runtime);
    this.worktree = options.worktree;
    this.past = options.loaded && pastOf(options.loaded, options.resumeAgents);
    this.#choice = new UserChoice(options);
    this.warnings = [...options.warnings, ...modelWarnings(options.runtime, this.#choice.now)];
    this.toolChanges = new ToolReloader(options, this.#choice);
    this.#initialPrompt = options.initialPrompt;
    this.naming = new SessionName(options.name);
    this.isKept = options.isKept;
    this.ui = uiSettings(options.config.settings.settings);
    // Known from the start: you may ask what was interrupted before you send anything.
    const logs = options.isBranch ? [] : (options.loaded?.agents.agents ?? []);
    for (const log of logs) {
      this.runtime.ended.set(log.agent, log);
      if (log.begun) this.runtime.names.add(log.spawned);
    }
  }

  get mode(): PermissionMode {
    return this.#choice.now.mode;
  }

  /** The modes it can be switched to. */
  get modes(): readonly PermissionMode[] {
    return this.#choice.modes;
  }

  get model(): string {
    return this.#choice.now.model;
  }

  get name(): string | undefined {
    return this.naming.requested ?? this.state?.name;
  }

  get tools(): readonly Tool[] {
    return this.#choice.toolsNow;
  }

  /** The status of a replay. */
  get replay(): ReplayStatus | undefined {
    return this.#options.replayStatus();
  }

  /** Returns a function that detaches it. When the last client that can answer leaves, open questions are denied. */
  attach(client: Client): () => void {
    return attachClient(this.runtime, client);
  }

  /** Open questions, oldest first: for a client that attaches while one waits. */
  questions(): readonly PermissionQuestion[] {
    return this.runtime.ports.gate.questions();
  }

  tasks(): readonly Task[] {
    return listTasks(this.runtime);
  }

  /** Your prompts so far, without rewound ones. */
  prompts(): readonly RecordedPrompt[] {
    return this.state?.prompts ?? [];
  }

  async settled(waitMs = Number.POSITIVE_INFINITY): Promise<IdleResult> {
    const outcome = await waitUntilIdle(this.runtime, this.driver, waitMs);
    return { ...outcome, stopped: [...this.#returning.takeStopped(), ...outcome.stopped] };
  }

  get isStarted(): boolean {
    return this.#main !== undefined;
  }

  /** Hooks at the start may wait for a client, so a client's commands must not wait for them. */
  get isStarting(): boolean {
    return this.#main !== undefined && !this.#isReady;
  }

  get isResumed(): boolean {
    return this.#options.loaded !== undefined;
  }

  /** There is something on disk to resume. */
  get isSaved(): boolean {
    return this.isKept && (this.state?.lastSeq ?? 0) > 0;
  }

  /** Of the main agent, after the first prompt. */
  get state(): AgentState | undefined {
    return this.#opened?.state ?? this.#options.loaded?.state;
  }

  /** The main agent: input can be admitted. Nothing is written before the first prompt. */
  opened(): Promise<LiveAgent> {
    this.#main ??= this.#start().catch((error) => {
      this.#main = undefined;
      throw error;
    });
    return this.#main;
  }

  /** The main agent, ready to work: agents it waits for after a resume have ended. */
  async ready(): Promise<LiveAgent> {
    const main = await this.opened();
    await this.#returning.ended();
    return main;
  }

  async #start(): Promise<LiveAgent> {
    const { runtime, driver } = this;
    const { setup, loaded, resumeAgents, resumeWaitMs: waitMs, isBranch, resources } = this.#options;
    if (loaded === undefined) this.#choice.updateTools();
    else this.#choice.restoreTools(await restoreServerTools(runtime, loaded, setup.definition));
    const choice = this.#choice.now;
    if (loaded === undefined && this.#opened === undefined) {
      const locked = await lockSession(runtime.host, runtime.layout);
      if (!locked.ok) throw new TranscriptError(locked.reason, { cause: locked.cause });
      resources.add('the lock', () => locked.lock.release());
    }
    this.#opened ??= await this.#open(choice);
    const main = this.#opened;
    const { signal } = driver;
    if (loaded === undefined) await startMain(runtime, setup, main, choice, signal);
    else {
      const resume = { loaded, resumeAgents, isBranch, waitMs };
      this.#returning.expect(await resumeMain(runtime, setup, main, choice, resume, signal));
    }
    await this.naming.apply(runtime, main);
    this.#isReady = true;
    return main;
  }

  async #open(choice: Choice): Promise<LiveAgent> {
    const { setup, loaded, resources } = this.#options;
    const main = await this.runtime.runner.open(this.runtime, mainStart(this.runtime, setup, choice, loaded));
    resources.add('the transcript', () => main.log.close());
    this.runtime.agents.set(main.id, main);
    return main;
  }

  /** Applies changes before your prompt, while nothing runs. */
  refresh(main: LiveAgent): Promise<void> {
    return refreshMain(this.#options, main, this.toolChanges);
  }

  /** The options it was built from. */
  get parts(): EngineOptions {
    return this.#options;
  }

  /** The servers of the main agent. */
  get servers(): Servers {
    return this.#options.servers;
  }

  /** Nothing else runs meanwhile. */
  async clear(): Promise<void> {
    const { setup } = this.#options;
    await clearMain(this.runtime, setup, await this.ready(), this.#choice.now, this.driver.begin());
  }

  get statusLine(): EngineOptions['statusLine'] {
    return this.#options.statusLine;
  }

  /** Your current choice. */
  get choice(): Choice {
    return this.#choice.now;
  }

  get facts(): { readonly effort: string | undefined; readonly agent: string | undefined } {
    return { effort: this.#choice.now.effort, agent: this.#options.setup.definition?.name };
  }

  /** The name of the output style; `default` without one. */
  get outputStyle(): string {
    return this.#options.setup.style.name;
  }

  /** The initial prompt of the definition the session runs as; once. */
  takeInitialPrompt(): string | undefined {
    const prompt = this.#initialPrompt;
    this.#initialPrompt = undefined;
    return prompt;
  }

  /** From your next prompt on. */
  addTools(tools: readonly Tool[]): void {
    this.#choice.addTools(tools);
  }

  /** Changes mode, model, effort or thinking. Returns the reason if it is refused. */
  choose(change: ChoiceChange): Promise<string | undefined> {
    const { runtime } = this;
    const isWorking = () => this.driver.working !== undefined;
    const { setup } = this.#options;
    const { isStarting } = this;
    return applyChoice({ choice: this.#choice, runtime, setup, main: this.#main, isStarting, isWorking }, change);
  }

  /** Tracks a running command: when the session closes, it ends before anything is released. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const done = () => void this.#running.delete(work);
    work.then(done, done);
    return work;
  }

  /** Never rejects; the second call waits for the first. */
  close(reason = 'other'): Promise<readonly string[]> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: string): Promise<readonly string[]> {
    const { runtime, driver } = this;
    runtime.isClosing = true;
    driver.interrupt();
    for (const fork of this.forks) fork.abort();
    this.calls.cancelAll();
    // A start that waits for resumed children ends with them.
    abortAll(runtime);
    await this.#main?.catch(() => {});
    await this.#returning.pending?.catch(() => {});
    const { resources } = this.#options;
    return closeSession({ runtime, driver, resources, main: this.#opened, running: this.#running }, reason);
  }
}
