/** An agent in this process: the main agent, a named child or a fork, new or resumed, built from the record of its start. */

import type { SessionLayout } from '../config/paths.js';
import type { Hooks } from '../gate/hooks/hooks.js';
import type { Requester } from '../gate/requester.js';
import { newAbort } from '../host/clock.js';
import type { Host } from '../host/host.js';
import { Activity } from '../loop/activity.js';
import type { Agent, AnnouncedNames, BeforeRetry, Epoch, RequestReference, Switch } from '../loop/agent.js';
import { type Budget, remainingBudget } from '../loop/budget.js';
import type { CacheLifetime } from '../model/request.js';
import { FORK_ORIGIN, FORK_TYPE, isHookAgent } from '../protocol/agent-spawned.js';
import { type AgentEvent, type AgentSpawned, type AgentStatus, MOVED, type StoppedBy } from '../protocol/events.js';
import type { PermissionMode } from '../protocol/permission.js';
import { createEmit, type Emit, type Listeners } from '../session/emit.js';
import { Inbox } from '../session/inbox.js';
import { type AgentState, createState, isFinal } from '../session/state/agent-state.js';
import type { AppendPort } from '../session/transcript/append-port.js';
import type { TranscriptEnd } from '../session/transcript/transcript.js';
import { FilesRead } from '../tools/files-read.js';
import type { Servers } from '../tools/mcp/server-access.js';
import { WITHOUT_TOOLS } from './fork/aside.text.js';
import type { ForkPoint } from './fork/fork-point.js';
import { requesterOf, type SharedByRequesters } from './requester.js';
import { OutputLog } from './run/output-log.js';
import type { EndedResult } from './run/result.js';
import { childPath } from './start/agent-path.js';
import type { Slot, Slots } from './start/slots.js';

/** The inputs for building an agent. The record is complete; the rest can't be stored in a record. */
export type AgentStart = {
  readonly record: AgentSpawned;
  readonly parent: LiveAgent | undefined;
  /** A fork gets its parent's own object. */
  readonly epoch: Epoch;
  readonly host: Host;
  /** Creates its hooks: the session's and those of its definition, with this agent's fields. */
  readonly hooks: (agent: LiveAgent) => Hooks;
  /** Omitted: a new agent. */
  readonly state?: AgentState;
  readonly end?: TranscriptEnd | undefined;
  readonly origin?: RequestReference | undefined;
  /** Inherited by a new child from its parent. */
  readonly files?: FilesRead;
  readonly announced?: AnnouncedNames;
  readonly beforeRetry?: BeforeRetry;
  /** Its own MCP servers, stopped after each run. */
  readonly servers?: Servers | undefined;
};

/** The part of the runtime that an agent needs. */
type Shared = SharedByRequesters & {
  readonly host: Host;
  readonly layout: SessionLayout;
  readonly listeners: Listeners;
  readonly budget: Budget;
  readonly roots: readonly string[];
  readonly cacheLifetime: CacheLifetime;
};

export class LiveAgent implements Agent {
  readonly record: AgentSpawned;
  readonly parent: LiveAgent | undefined;
  readonly state: AgentState;
  readonly log: AppendPort;
  readonly emit: Emit;
  readonly inbox: Inbox;
  readonly host: Host;
  readonly hooks: Hooks;
  readonly budget: Budget;
  readonly requester: Requester;
  readonly activity = new Activity();
  readonly files: FilesRead;
  readonly shell: { cwd: string };
  readonly announced: AnnouncedNames;
  readonly origin: RequestReference | undefined;
  readonly beforeRetry: BeforeRetry | undefined;
  readonly roots: readonly string[];
  readonly cacheLifetime: CacheLifetime;
  readonly switches: Switch[] = [];
  readonly servers: Servers | undefined;
  readonly refusesCalls: string | undefined;
  epoch: Epoch;

  readonly transcript: string;
  readonly output: OutputLog;
  /** The latest fork point, shared by siblings. */
  forkPoint: ForkPoint | undefined;
  /** The ids of agents by the names it has used, to detect a reused name. */
  readonly knows = new Map<string, string>();
  /** Rebuilt from its transcript, without the state that only a process has. */
  readonly isRestored: boolean;

  /** The current or last run. Each run has its own aborts: one for all of it and one for the current turn. */
  run = 1;
  abort = newAbort();
  turn = newAbort();
  startedAt: number;
  /** No call waits for it; its end sends a notice. */
  background: boolean;
  /** The call waiting for this run, if not the one that started the agent. */
  waitedBy: string | undefined;
  stoppedBy: StoppedBy | undefined;
  done: Promise<EndedResult> | undefined;
  result: EndedResult | undefined;
  /** Its run and what follows: check, notice, files. Undefined before and after. */
  finishing: Promise<void> | undefined;
  /** Aborts what follows the run, hooks and check, when the session closes. */
  leaving: AbortController | undefined;
  /** Called when it moves to the background while a call waits for it. */
  onDetach: (() => void) | undefined;
  onHandBack: (() => void) | undefined;
  unfollow: () => void = () => {};
  /** Undefined while it is queued or only waiting for its children. */
  slot: Slot | undefined;
  /** A pending request to retake its slot, shared by children that return at the same time. */
  returning: Promise<void> | undefined;
  #status: AgentStatus | 'queued';

  constructor(shared: Shared, start: AgentStart, log: AppendPort) {
    const { record, parent, host } = start;
    this.record = record;
    this.parent = parent;
    this.state = start.state ?? createState();
    this.log = log;
    this.output = new OutputLog(shared.host, shared.layout.taskOutput(record.agent));
    const own = (event: AgentEvent) => this.output.hear(event);
    this.emit = createEmit({ agent: record.agent, state: this.state, log, listeners: shared.listeners, own });
    this.inbox = new Inbox(this.state, this.emit);
    this.host = host;
    this.transcript = parent === undefined ? shared.layout.file : shared.layout.agentFile(record.agent);
    this.epoch = start.epoch;
    this.budget = remainingBudget(parent?.budget ?? shared.budget, record.maxUsd, this.state.usage, start.epoch.model);
    this.roots = record.roots ?? shared.roots;
    this.cacheLifetime = shared.cacheLifetime;
    this.files = start.files ?? new FilesRead();
    this.shell = { cwd: host.folder };
    this.announced = start.announced ?? { generation: 0, names: new Set() };
    this.origin = start.origin;
    this.isRestored = start.end !== undefined;
    this.beforeRetry = start.beforeRetry;
    this.servers = start.servers;
    this.refusesCalls = record.aside && WITHOUT_TOOLS;
    this.startedAt = shared.host.clock.elapsed();
    this.background = record.background;
    this.hooks = start.hooks(this);
    this.requester = requesterOf(this, shared);
    this.#status = parent === undefined ? 'waiting' : 'queued';
  }

  get id(): string {
    return this.record.agent;
  }

  get type(): string {
    return this.record.type;
  }

  get depth(): number {
    return this.record.depth;
  }

  /** Missing in records of earlier versions. */
  get chain(): string {
    return this.record.chain ?? childPath(this.parent?.chain ?? '', this.id);
  }

  get maxTurns(): number {
    return this.record.maxTurns;
  }

  get isMain(): boolean {
    return this.parent === undefined;
  }

  get isFork(): boolean {
    return this.record.origin === FORK_ORIGIN || this.record.type === FORK_TYPE;
  }

  /** A fork has its parent's current mode. While an ancestor is in plan mode, all descendants are read-only (EX-4). */
  get mode(): PermissionMode {
    return this.isFork || this.parent?.mode === 'plan' ? (this.parent ?? this.state).mode : this.state.mode;
  }

  get isTakenOver(): boolean {
    return this.state.runs.get(this.run)?.takenOver !== undefined;
  }

  /** The status of its run. An end applies from the moment it is decided, before it is recorded. */
  get status(): AgentStatus | 'queued' {
    return this.#status;
  }

  get isActive(): boolean {
    return ['running', 'waiting', 'queued'].includes(this.#status);
  }

  /** Changes the status. The end of a run is final: nothing follows it under the same run number. */
  async changeStatus(status: AgentStatus | 'queued', reason?: string): Promise<void> {
    if (this.#status !== 'queued' && isFinal(this.#status)) return;
    this.#status = status;
    if (this.isMain) return;
    if (status === 'queued') return void (await this.emit({ kind: 'agent-queued' }));
    const by = status === 'stopped' && this.stoppedBy !== undefined ? { by: this.stoppedBy } : {};
    const call = this.waitedBy === undefined ? {} : { call: this.waitedBy };
    const wasWaitedFor = !this.record.background || this.state.runs.get(this.run)?.call !== undefined;
    const because = reason ?? (this.background && wasWaitedFor && !isFinal(status) ? MOVED : undefined);
    const why = because === undefined ? {} : { reason: because };
    await this.emit({ kind: 'agent-state-changed', state: status, run: this.run, ...by, ...call, ...why });
  }

  /** Marks a run whose end could not be recorded as failed. */
  fail(): void {
    this.#status = 'failed';
  }

  /** Restores the recorded status. */
  recall(status: AgentStatus, run: number, by: StoppedBy | undefined, background: boolean): void {
    this.#status = status;
    this.run = run;
    this.stoppedBy = by;
    this.background = background;
  }

  /** Starts the next run, in the background unless a call waits for it. The previous run stays ended. */
  beginNextRun(now: number, waitedBy?: string): void {
    this.abort = newAbort();
    this.turn = newAbort();
    this.background = waitedBy === undefined;
    this.waitedBy = waitedBy;
    this.onDetach = undefined;
    this.startedAt = now;
    this.run += 1;
    this.stoppedBy = undefined;
    this.result = undefined;
    this.#status = 'queued';
    this.inbox.open();
    if (this.background) this.output.openFile();
  }

  /** Moves the run to the background, with its own abort. Returns false if there is nothing to move. */
  detach(): boolean {
    if (this.background || this.isMain || isHookAgent(this.record) || this.record.aside || !this.isActive) return false;
    this.background = true;
    this.unfollow();
    this.output.openFile();
    this.onDetach?.();
    // Recorded so that a resume knows a notice is due. If this fails, the record of its end says so at the latest.
    if (this.#status !== 'queued') void this.changeStatus(this.#status, MOVED).catch(() => {});
    return true;
  }

  /** Stops the run. A stop by the user takes precedence over an earlier one. */
  stop(by: StoppedBy): void {
    if (by === 'person' || this.stoppedBy === undefined) this.stoppedBy = by;
    this.abort.abort();
  }

  /** Aborts with the given signal until it is detached. */
  follow(signal: AbortSignal): void {
    this.unfollow();
    const { abort } = this;
    const end = () => {
      abort.abort();
      this.leaving?.abort();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    this.unfollow = () => signal.removeEventListener('abort', end);
  }

  /** True if it is a descendant of `above`. */
  isBelow(above: LiveAgent): boolean {
    return this.parent === above || this.parent?.isBelow(above) === true;
  }

  /** Lends its slot while it only waits for its children. */
  lendSlot(): void {
    this.activity.onChange(() => {
      if (!this.activity.onlyWaits) return;
      this.slot?.release();
      this.slot = undefined;
    });
  }

  /** Retakes a slot after a child has returned, with one request even if several return at once. */
  retakeSlot(slots: Slots): Promise<void> {
    if (this.isMain || this.slot !== undefined) return Promise.resolve();
    this.returning ??= slots.reenter(this.abort.signal).then((slot) => {
      this.slot = slot;
      this.returning = undefined;
    });
    return this.returning;
  }

  hasTool(...names: readonly string[]): boolean {
    return this.epoch.tools.some((tool) => names.includes(tool.name));
  }
}
