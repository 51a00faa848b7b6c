/**
 * A session at work: it takes commands (`execute.ts`) and gives events. Terminal, stream-json, library and editors are its
 * clients. They decide nothing, and several may be attached at once.
 */

import { modelInMode } from '../agents/catalog/choose-model.js';
import type { LiveAgent } from '../agents/live-agent.js';
import { reportAgain } from '../agents/notices/notice.js';
import type { Runtime } from '../agents/runtime.js';
import { listTasks, type Task } from '../agents/tools/list-tasks.js';
import type { Epoch } from '../loop/agent.js';
import { takeUpSwitches } from '../loop/epoch.js';
import { modelData } from '../model/models.js';
import type { AgentEvent, Listener, SessionEvent } from '../protocol/events.js';
import type { PermissionMode, PermissionQuestion } from '../protocol/permission.js';
import { rewindConflicts } from '../session/files/rewind.js';
import type { AgentState, RecordedPrompt } from '../session/state/agent-state.js';
import { lockSession } from '../session/store/session-lock.js';
import { TranscriptError } from '../session/transcript/append-port.js';
import type { Tool } from '../tools/tool.js';
import { withTools } from './build/build-runtime.js';
import { abortAll, closeSession } from './close-session.js';
import { Driver } from './driver.js';
import type { EngineOptions } from './engine-options.js';
import { type Choice, clearMain, mainEpoch, mainStart, startMain } from './main-agent.js';
import { modesFor, refuseEffort, refuseMode } from './refuse-mode.js';
import { ReturningAgents, resumeMain } from './resume-main.js';
import { childrenAtWork, type Settled, settled } from './settled.js';
import { takeUpDefinitions } from './take-up-definitions.js';

/** What attaches to a session. */
export type Client = {
  /** Sees everything that happens from now on. */
  readonly onEvent: Listener;
  /** It can answer questions: with the `answer` command, the first counts. */
  readonly canAnswer?: boolean;
  /** Only these kinds of events; omitted: all. */
  readonly kinds?: readonly AgentEvent['kind'][];
};

export class Engine {
  readonly runtime: Runtime;
  readonly driver: Driver;
  readonly warnings: readonly string[];
  /** Forks the person asked for and waits for. */
  readonly forks = new Set<AbortController>();
  readonly #options: EngineOptions;
  /** Commands that are being carried out. */
  readonly #underWay = new Set<Promise<unknown>>();
  /** What the person has asked for. In force for the main agent from its next safe point on. */
  #mode: PermissionMode;
  #modelName: string;
  #effort: string | undefined;
  #tools: readonly Tool[];
  #lateTools: Tool[] = [];
  #initialPrompt: string | undefined;
  #main: Promise<LiveAgent> | undefined;
  readonly #returning = new ReturningAgents();
  /** Opened, though its start may have broken off: the next try goes on from there. */
  #opened: LiveAgent | undefined;
  #closing: Promise<readonly string[]> | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.runtime = options.runtime;
    this.driver = new Driver(() => this.ready(), options.runtime);
    this.warnings = options.warnings;
    this.#mode = options.mode;
    this.#modelName = options.modelName;
    this.#effort = options.setup.effort;
    this.#tools = options.tools;
    this.#initialPrompt = options.initialPrompt;
    // Known from the start: the person may ask what was interrupted before saying anything.
    const logs = options.isBranch ? [] : (options.loaded?.agents.agents ?? []);
    for (const log of logs) {
      this.runtime.ended.set(log.agent, log);
      if (log.begun) this.runtime.names.add(log.spawned);
    }
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  /** The modes it can be switched to. */
  get modes(): readonly PermissionMode[] {
    return modesFor(this.#options.modes);
  }

  get model(): string {
    return modelInMode(this.#modelName, this.#mode, this.runtime.models);
  }

  get #choice(): Choice {
    return { mode: this.#mode, model: this.model, effort: this.#effort, tools: this.#tools };
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** Returns how to leave. When the last client that can answer leaves, open questions are denied. */
  attach({ onEvent, canAnswer = false, kinds }: Client): () => void {
    const leave = canAnswer ? this.runtime.ports.gate.addAnswerer() : () => {};
    // One that comes while a question waits may answer it like the others.
    const unlisten = this.runtime.listeners.add(onEvent, kinds, canAnswer ? this.questions().map(asked) : []);
    return () => {
      unlisten();
      leave();
    };
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
    return this.#state?.prompts ?? [];
  }

  /** Files that a rewind would leave alone because somebody else has changed them. */
  async rewindConflicts(to: number): Promise<readonly string[]> {
    return this.#state === undefined ? [] : rewindConflicts(this.runtime.host, this.#state, to);
  }

  /** Lets children that are waited for go on in the background: one, or all. Returns how many. */
  toBackground(agentId?: string): number {
    const atWork = this.runtime.settings.backgroundAvailable ? childrenAtWork(this.runtime) : [];
    return atWork.filter((agent) => (agentId === undefined || agent.id === agentId) && agent.detach()).length;
  }

  async settled(waitMs = Number.POSITIVE_INFINITY): Promise<Settled> {
    const outcome = await settled(this.runtime, this.driver, waitMs);
    return { ...outcome, stopped: [...this.#returning.takeStopped(), ...outcome.stopped] };
  }

  get isStarted(): boolean {
    return this.#main !== undefined;
  }

  get isResumed(): boolean {
    return this.#options.loaded !== undefined;
  }

  get #state(): AgentState | undefined {
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
    this.#takeUpTools();
    const choice = this.#choice;
    if (loaded === undefined && this.#opened === undefined) {
      const locked = await lockSession(runtime.host, runtime.layout);
      if (!locked.ok) throw new TranscriptError(locked.reason);
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
  async refresh(main: LiveAgent): Promise<void> {
    const { definitions } = this.#options;
    await reportAgain(this.runtime);
    if (await definitions.haveChanged()) await takeUpDefinitions(this.runtime, main, definitions);
    if (!this.#takeUpTools()) return;
    const { setup } = this.#options;
    const { maxTokens, model } = main.epoch;
    const epoch = mainEpoch(this.runtime, setup, { ...this.#choice, model: model.id }, maxTokens);
    main.switches.push({ kind: 'epoch', next: () => epoch });
    await takeUpSwitches(main);
  }

  /** Nothing works meanwhile. */
  async clear(): Promise<void> {
    await clearMain(this.runtime, this.#options.setup, await this.ready(), this.model, this.driver.begin());
  }

  /** Words of the definition the session runs as; once. */
  takeInitialPrompt(): string | undefined {
    const words = this.#initialPrompt;
    this.#initialPrompt = undefined;
    return words;
  }

  /** From the person's next words on. */
  addTools(tools: readonly Tool[]): void {
    this.#lateTools.push(...tools);
  }

  #takeUpTools(): boolean {
    const late = this.#lateTools.splice(0);
    if (late.length === 0) return false;
    this.runtime.tools = withTools(this.runtime.tools, late);
    this.#tools = withTools(this.#tools, late);
    return true;
  }

  /** Another mode, model or effort: in force at the next safe point, at once when nothing works. Returns why it may not be. */
  async choose(wish: Partial<Omit<Choice, 'tools'>>): Promise<string | undefined> {
    const refusal = (wish.mode && refuseMode(wish.mode, this.#options.modes)) ?? refuseEffort(wish.effort);
    if (refusal !== undefined) return refusal;
    const before = this.#choice;
    const { mode = before.mode, model: name = this.#modelName, effort = before.effort } = wish;
    const { models, account } = this.runtime;
    const model = modelInMode(name, mode, models);
    const isOther = model !== before.model;
    const unpriced = isOther ? account.refusesModel(modelData(model, models)) : undefined;
    if (unpriced !== undefined) return unpriced;
    this.#mode = mode;
    this.#modelName = name;
    this.#effort = effort;
    if (this.#main === undefined) return undefined;
    const main = await this.#main;
    if (wish.mode !== undefined) main.switches.push({ kind: 'mode', mode });
    if (isOther || effort !== before.effort) {
      const { setup } = this.#options;
      const next = ({ tools }: Epoch) => mainEpoch(this.runtime, setup, { mode, model, effort, tools });
      main.switches.push({ kind: 'epoch', next: (epoch) => ({ ...next(epoch), reason: 'effort-switch' }) });
    }
    if (this.driver.working === undefined) await takeUpSwitches(main);
    else if (main.activity.onlyWaits) await takeUpSwitches(main, 'mode');
    return undefined;
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
    // A start that waits for children it resumed ends with them.
    abortAll(runtime);
    await this.#main?.catch(() => {});
    await this.#returning.underWay?.catch(() => {});
    const { resources } = this.#options;
    return closeSession({ runtime, driver, resources, main: this.#opened, underWay: this.#underWay }, reason);
  }
}

function asked(question: PermissionQuestion): SessionEvent {
  const { agent, call } = question;
  const event = { kind: 'question-asked', call: call.id, tool: call.tool, question } as const;
  return { agent: agent.id, seq: undefined, event };
}
