/**
 * Automatic resume of agents that were running when the process died. Each one resumes below its parent, so that its
 * result closes the call that waits for it. Children go first; a parent continues when the ones it waits for have ended.
 */

import { text } from '../../protocol/blocks.js';
import { RESUMED_AUTOMATICALLY } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { CloseAgentCall } from '../../session/repair/repair-history.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import type { Revived } from '../ended-agent.js';
import type { LiveAgent } from '../live-agent.js';
import type { EndedResult } from '../run/result.js';
import { runChild } from '../run/run-child.js';
import type { Runtime } from '../runtime.js';
import { RESUME_WORDS } from './continue-agent.js';
import { type Nested, restoreAgent } from './restore-agent.js';
import { closeByLog, findChild, launchedBlock, resultBlock } from './restore-calls.js';
import { deliverOwed } from './restore-notices.js';

/** How often an agent is resumed automatically before that is left to the person. */
const MAX_AUTOMATIC = 3;

function canResume(log: AgentLog): boolean {
  return log.unfinished && (log.runs.at(-1)?.automatic ?? 0) < MAX_AUTOMATIC;
}

export class AutomaticResume {
  readonly #runtime: Runtime;
  readonly #logs: readonly AgentLog[];
  readonly #running = new Map<string, Promise<EndedResult | undefined>>();
  /** Calls that wait for a child that is being resumed. */
  readonly #waiting = new Map<string, AgentLog>();

  constructor(runtime: Runtime, logs: readonly AgentLog[]) {
    this.#runtime = runtime;
    this.#logs = logs;
  }

  /** How to close the open calls of a parent. Called before its children start. */
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

  /** Starts the children of this parent. Agents whose parent has ended belong to the main agent. */
  start(parent: LiveAgent): void {
    for (const log of this.#logs) {
      const above = log.spawned.parent;
      const isBelow = above === parent.id || (parent.isMain && !this.goesOn(above));
      if (isBelow && canResume(log) && !this.#running.has(log.agent)) {
        this.#running.set(
          log.agent,
          this.#resume(log, parent).catch((error) => this.#giveUp(log, parent, error)),
        );
      }
    }
  }

  async waited(parent: string, callId: string) {
    const log = findChild(this.#logs, parent, callId);
    if (log === undefined) throw new Error('a call that waits for no child');
    return resultBlock(callId, await this.#running.get(log.agent), log);
  }

  /** Resolves when all have ended and their notices are delivered. */
  async ended(): Promise<void> {
    for (let known = -1; known !== this.#running.size; ) {
      known = this.#running.size;
      await Promise.all(this.#running.values());
    }
    await Promise.all(this.#runtime.finishing);
  }

  /** True when the agent is resumed now, or as soon as its parent is. */
  goesOn(agent: string): boolean {
    return this.#logs.some((log) => log.agent === agent && canResume(log));
  }

  async #resume(log: AgentLog, parent: LiveAgent): Promise<EndedResult | undefined> {
    const runtime = this.#runtime;
    const nested: Nested = {
      close: this.close(log.agent),
      begun: (agent) => this.start(agent),
      waited: (callId) => this.waited(log.agent, callId),
    };
    const revived: Revived = await restoreAgent(runtime, log, parent, nested);
    if (!revived.ok) return this.#giveUp(log, parent, revived.reason);
    const { agent, over, needsWord } = revived;
    for (const line of revived.told) await agent.emit({ kind: 'line-shown', level: 'warning', line });
    await deliverOwed(runtime, agent, this.#logs, [], () => false);
    const { run } = agent;
    await agent.emit({ kind: 'agent-state-changed', state: 'running', run, reason: RESUMED_AUTOMATICALLY });
    if (this.#waiting.has(log.agent)) agent.follow(parent.abort.signal);
    else agent.background = true;
    if (agent.background) agent.output.openFile();
    if (over === undefined && needsWord) {
      const key = `resumed after ${agent.state.lastSeq}`;
      await agent.inbox.admit({ origin: 'reminder', key }, [text(RESUME_WORDS)]);
    }
    agent.done = runChild(runtime, agent, over === undefined ? {} : { over });
    return agent.done;
  }

  /** Reports an agent that can't be resumed. It stays interrupted, and its parent stops waiting. */
  async #giveUp(log: AgentLog, parent: LiveAgent, error: unknown): Promise<undefined> {
    const runtime = this.#runtime;
    const started = runtime.agents.get(log.agent);
    if (started !== undefined && started.done === undefined) {
      runtime.agents.delete(log.agent);
      await started.log.release().catch(() => {});
    }
    if (!runtime.agents.has(log.agent)) runtime.ended.set(log.agent, log);
    const line = `agent ${log.agent} could not be resumed: ${reasonOf(error)}`;
    await parent.emit({ kind: 'line-shown', level: 'error', line });
    return undefined;
  }
}
