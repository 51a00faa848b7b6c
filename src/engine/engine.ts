/** A session at work: takes commands (`commands/execute.ts`), gives events. Its clients decide nothing; several may be attached. */

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
  /** How the session stood that is resumed. */
  readonly past: PastSession | undefined;
  readonly toolChanges: ToolReloader;
  readonly naming: SessionName;
  /** `false`: nothing of it is on disk once it is closed. */
  readonly isKept: boolean;
  /** Forks the person asked for and waits for. */
  readonly forks = new Set<AbortController>();
  /** Prompts under way, by the key their client gave them. */
  readonly pendingPrompts = new Map<string, Promise<RunEnd>>();
  /** For those who show it; `change-settings` changes it. */
  ui: UiSettings;
  /** Calls of clients. */
  readonly calls = new DirectCalls();
  readonly #options: EngineOptions;
  /** Commands that are being carried out. */
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #choice: UserChoice;
  #initialPrompt: string | undefined;
  #main: Promise<LiveAgent> | undefined;
  readonly #returning = new ReturningAgents();
  /** Opened, though its start may have broken off: the next try goes on from there. */
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
    // Known from the start: the person may ask what was interrupted before saying anything.
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

  /** How it stands, if a recording is replayed. */
  get replay(): ReplayStatus | undefined {
    return this.#options.replayStatus();
  }

  /** Returns how to leave. When the last client that can answer leaves, open questions are denied. */
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

  /** What the person said so far, as far as it counts. */
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

  /** Its hooks for the start may wait for a client, so what a client asks for must not wait for them. */
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

  /** Of the main agent, once something was said. */
  get state(): AgentState | undefined {
    return this.#opened?.state ?? this.#options.loaded?.state;
  }

  /** The main agent: input can be admitted. Nothing is written before there is something to keep: the first words. */
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
    if (loaded === undefined) this.#choice.takeUpTools();
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

  /** What is taken up before the person's words, while nothing works. */
  refresh(main: LiveAgent): Promise<void> {
    return refreshMain(this.#options, main, this.toolChanges);
  }

  /** What it was built from. */
  get parts(): EngineOptions {
    return this.#options;
  }

  /** The servers of the main agent. */
  get servers(): Servers {
    return this.#options.servers;
  }

  /** Nothing works meanwhile. */
  async clear(): Promise<void> {
    const { setup } = this.#options;
    await clearMain(this.runtime, setup, await this.ready(), this.#choice.now, this.driver.begin());
  }

  get statusLine(): EngineOptions['statusLine'] {
    return this.#options.statusLine;
  }

  /** What the person has asked for. */
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

  /** Words of the definition the session runs as; once. */
  takeInitialPrompt(): string | undefined {
    const words = this.#initialPrompt;
    this.#initialPrompt = undefined;
    return words;
  }

  /** From the person's next words on. */
  addTools(tools: readonly Tool[]): void {
    this.#choice.addTools(tools);
  }

  /** Another mode, model, effort or way to think. Returns why it may not be. */
  choose(wish: ChoiceChange): Promise<string | undefined> {
    const { runtime } = this;
    const isWorking = () => this.driver.working !== undefined;
    const { setup } = this.#options;
    const { isStarting } = this;
    return applyChoice({ choice: this.#choice, runtime, setup, main: this.#main, isStarting, isWorking }, wish);
  }

  /** A command that is under way when the session is left ends before anything is given back. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const done = () => void this.#underWay.delete(work);
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
    // A start that waits for children it resumed ends with them.
    abortAll(runtime);
    await this.#main?.catch(() => {});
    await this.#returning.underWay?.catch(() => {});
    const { resources } = this.#options;
    return closeSession({ runtime, driver, resources, main: this.#opened, underWay: this.#underWay }, reason);
  }
}
