/**
 * Automatic resume of agents that were running when the process died. Each resumes below its parent, so that its result
 * closes the call that waits for it. Children go first; a parent continues when those it waits for have ended.
 */

import { text } from '../../protocol/blocks.js';
import { RESUMED_AUTOMATICALLY } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { CloseAgentCall } from '../../session/repair/repair-history.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import type { LiveAgent } from '../live-agent.js';
import type { EndedResult } from '../run/result.js';
import { runChild } from '../run/run-child.js';
import type { Runtime } from '../runtime.js';
import { claimResume } from './claim-resume.js';
import { RESUME_TEXT } from './continue-agent.js';
import { leaveEnded, type Nested, restoreAgent, resumeStatus } from './restore-agent.js';
import { closeByLog, findChild, launchedBlock, resultBlock } from './restore-calls.js';
import { deliverOwed, reportUnheardChildren } from './restore-notices.js';

/** How often an agent is resumed automatically before it is left to the user. */
const MAX_AUTOMATIC = 3;

/** Limits the attempts since it last ended normally. An agent that the user had taken over waits for them. */
function canResume({ unfinished, runs }: AgentLog): boolean {
  if (runs.at(-1)?.takenOver !== undefined) return false;
  const since = runs.slice(runs.findLastIndex(({ status }) => status === 'completed') + 1);
  return unfinished && since.reduce((sum, { automatic = 0 }) => sum + automatic, 0) < MAX_AUTOMATIC;
}

export class AutomaticResume {
  readonly #runtime: Runtime;
  readonly #logs: readonly AgentLog[];
  /** Each resolves with the running agent, or undefined if it can't be resumed. */
  readonly #starting = new Map<string, Promise<LiveAgent | undefined>>();
  /** Agents that are not running again yet, by parent. */
  readonly #coming = new Map<string, Set<Promise<unknown>>>();
  /** Calls that wait for a child that is being resumed. */
  readonly #waiting = new Map<string, AgentLog>();
  /** Agents that could not be resumed. */
  readonly #left: AgentLog[] = [];
  /** The time is up: agents still being restored do not start. */
  #isOver = false;

  constructor(runtime: Runtime, logs: readonly AgentLog[]) {
    this.#runtime = runtime;
    this.#logs = logs;
  }

  /** Returns a function that closes a parent's open calls. Called before its children start. */
  close(parent: string): CloseAgentCall {
    return (callId) => {
      const log = findChild(this.#logs, parent, callId);
      if (log === undefined) return undefined;
      if (!canResume(log)) return closeByLog(log, callId);
      if (log.background) return launchedBlock(log, callId);
      this.#waiting.set(log.agent, log);
      return 'wait';
    };
  }

  /** Starts the children of this parent. `signal` ends those that a call waits for. */
  start(parent: LiveAgent, signal: AbortSignal = parent.abort.signal): void {
    const coming = new Set<Promise<unknown>>();
    this.#coming.set(parent.id, coming);
    for (const log of this.#logs) {
      // Agents whose parent has ended belong to the main agent.
      const above = log.spawned.parent;
      const isBelow = above === parent.id || (parent.isMain && !this.isResuming(above));
      if (!isBelow || !canResume(log) || this.#starting.has(log.agent)) continue;
      const begin = () => this.#start(log, parent, signal).catch((error) => this.#giveUp(log, parent, error));
      const starting = claimResume(this.#runtime, log.agent, begin) ?? this.#resumedByMessage(log.agent);
      coming.add(starting);
      void starting.then(() => coming.delete(starting));
      this.#starting.set(log.agent, starting);
    }
  }

  async waited(parent: string, callId: string) {
    const log = findChild(this.#logs, parent, callId);
    if (log === undefined) throw new Error('a call that waits for no child');
    return resultBlock(callId, await this.#result(log.agent), log);
  }

  /** Resolves when all have ended and their notices are delivered. */
  async ended(): Promise<void> {
    for (let known = -1; known !== this.#starting.size; ) {
      known = this.#starting.size;
      await Promise.all([...this.#starting.keys()].map((agent) => this.#result(agent)));
    }
    await Promise.all(this.#runtime.finishing);
  }

  /** Stops when the time is up. Returns the ids of those that had not ended. */
  stop(): readonly string[] {
    this.#isOver = true;
    const coming = new Set([...this.#coming.values()].flatMap((some) => [...some]));
    return [...this.#starting].flatMap(([id, starting]) => {
      const live = this.#runtime.agents.get(id);
      if (live?.isActive) live.stop('budget');
      return live?.isActive || coming.has(starting) ? [id] : [];
    });
  }

  /** True if the agent is being resumed, or will be once its parent is. */
  isResuming(agent: string): boolean {
    return this.#logs.some((log) => log.agent === agent && canResume(log));
  }

  async #result(agent: string): Promise<EndedResult | undefined> {
    return (await this.#starting.get(agent))?.done;
  }

  /** Covers an agent that a message resumes, or has resumed. */
  async #resumedByMessage(agent: string): Promise<LiveAgent | undefined> {
    const { returning, agents } = this.#runtime;
    await returning.get(agent);
    return agents.get(agent);
  }

  async #start(log: AgentLog, parent: LiveAgent, signal: AbortSignal): Promise<LiveAgent | undefined> {
    const runtime = this.#runtime;
    const nested: Nested = {
      close: this.close(log.agent),
      begun: (agent) => {
        // From here on it may wait for its own children: an interruption ends that, too.
        if (this.#waiting.has(log.agent)) agent.follow(signal);
        this.start(agent);
      },
      waited: (callId) => this.waited(log.agent, callId),
    };
    const revived = await restoreAgent(runtime, log, parent, nested);
    if (!revived.ok) return this.#giveUp(log, parent, revived.reason);
    const { agent } = revived;
    for (const line of revived.notes) await agent.emit({ kind: 'line-shown', level: 'warning', line });
    await deliverOwed(runtime, agent, this.#logs, (id) => id === agent.id);
    await reportUnheardChildren(runtime, agent, this.#logs, (id) => this.isResuming(id));
    if (!agent.isActive && agent.status !== 'interrupted') agent.beginNextRun(runtime.host.clock.elapsed());
    await agent.changeStatus('running', RESUMED_AUTOMATICALLY);
    if (this.#waiting.has(log.agent)) agent.follow(signal);
    else agent.background = true;
    if (agent.background) agent.output.openFile();
    const { over, needsWord } = resumeStatus(agent);
    if (needsWord) {
      const key = `resumed after ${agent.state.lastSeq}`;
      await agent.inbox.admit({ origin: 'reminder', key }, [text(RESUME_TEXT)]);
    }
    if (this.#isOver) agent.stop('budget');
    const coming = () => [...(this.#coming.get(agent.id) ?? [])];
    agent.done = runChild(runtime, agent, { coming, ...(over === undefined ? {} : { over }) });
    return agent;
  }

  /** Reports an agent that can't be resumed. It stays interrupted, and its parent stops waiting. */
  async #giveUp(log: AgentLog, parent: LiveAgent, error: unknown): Promise<undefined> {
    const runtime = this.#runtime;
    const started = runtime.agents.get(log.agent);
    if (started !== undefined && started.done === undefined) await leaveEnded(runtime, log, started);
    if (!runtime.agents.has(log.agent)) runtime.ended.set(log.agent, log);
    const line = `agent ${log.agent} could not be resumed: ${reasonOf(error)}`;
    await parent.emit({ kind: 'line-shown', level: 'error', line });
    this.#left.push(log);
    await this.#notifyAncestor(parent);
    return undefined;
  }

  /**
   * A parent that can't be notified now must not end as if it had been: it is interrupted, and the next above is
   * notified. The main agent is notified before it continues.
   */
  async #notifyAncestor(parent: LiveAgent): Promise<void> {
    for (let above = parent; above.parent !== undefined; above = above.parent) {
      const isReported = await this.reportLeft(above).then(
        () => true,
        () => false,
      );
      if (isReported) return;
      above.abort.abort();
      this.#left.push(...this.#logs.filter(({ agent }) => agent === above.id));
    }
  }

  /** Notifies an agent of children that could not be resumed, and delivers their pending notices to it. */
  async reportLeft(parent: LiveAgent): Promise<void> {
    const left = new Set(this.#left.map(({ agent }) => agent));
    await deliverOwed(this.#runtime, parent, this.#logs, (id) => left.has(id));
    await reportUnheardChildren(this.#runtime, parent, this.#left, () => false);
  }
}
