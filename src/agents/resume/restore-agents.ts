/**
 * Agents that were running when the process died, resumed without a word: each below its parent, so that a result stands
 * where its call waits. Children first; a parent goes on when those it waits for have ended.
 */

import { text } from '../../protocol/blocks.js';
import { RESUMED_AUTOMATICALLY } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import type { Member } from '../live-agent.js';
import type { AgentResult } from '../run/result.js';
import { runChild } from '../run/run-child.js';
import type { Runtime } from '../runtime.js';
import { type Nested, type RestoredMember, restoreMember } from './restore-agent.js';
import { closeByLog, findChild, launchedBlock, resultBlock } from './restore-calls.js';
import { deliverOwed } from './restore-notices.js';
import type { CloseAgentCall } from './restore-state.js';

/** How often an agent is resumed without a word before it is left to the person. */
const MAX_AUTOMATIC = 3;

export function canResume(log: AgentLog): boolean {
  return log.unfinished && (log.runs.at(-1)?.automatic ?? 0) < MAX_AUTOMATIC;
}

export class AutomaticResume {
  readonly #runtime: Runtime;
  readonly #logs: readonly AgentLog[];
  readonly #running = new Map<string, Promise<AgentResult | undefined>>();
  /** Calls that wait for a child that is being resumed. */
  readonly #waiting = new Map<string, AgentLog>();

  constructor(runtime: Runtime, logs: readonly AgentLog[]) {
    this.#runtime = runtime;
    this.#logs = logs;
  }

  /** How the open calls of a parent are settled; asked before its children are started. */
  settle(parent: string): CloseAgentCall {
    return (callId) => {
      const log = findChild(this.#logs, parent, callId);
      if (log === undefined) return undefined;
      if (!canResume(log)) return closeByLog(log, callId);
      if (log.background) return launchedBlock(log, callId);
      this.#waiting.set(log.agent, log);
      return 'wait';
    };
  }

  /** Starts all that hang below this parent. Those whose own parent has ended hang below the main agent. */
  start(parent: Member): void {
    const isMain = parent.parent === undefined;
    for (const log of this.#logs) {
      const above = log.spawned.parent;
      const isBelow = above === parent.agent.id || (isMain && !this.goesOn(above));
      if (isBelow && canResume(log) && !this.#running.has(log.agent)) {
        this.#running.set(log.agent, this.#resume(log, parent));
      }
    }
  }

  async waited(parent: string, callId: string) {
    const log = findChild(this.#logs, parent, callId);
    if (log === undefined) throw new Error('a call that waits for no child');
    return resultBlock(callId, await this.#running.get(log.agent), log);
  }

  /** Resolves when all have ended and whoever should has heard of it. */
  async ended(): Promise<void> {
    for (let known = -1; known !== this.#running.size; ) {
      known = this.#running.size;
      await Promise.all(this.#running.values());
    }
    await Promise.all(this.#runtime.finishing);
  }

  /** It is resumed now, or as soon as its parent has its place. */
  goesOn(agent: string): boolean {
    return this.#logs.some((log) => log.agent === agent && canResume(log));
  }

  async #resume(log: AgentLog, parent: Member): Promise<AgentResult | undefined> {
    const runtime = this.#runtime;
    const nested: Nested = {
      settle: this.settle(log.agent),
      begun: (member) => this.start(member),
      waited: (callId) => this.waited(log.agent, callId),
    };
    const restored = await restoreMember(runtime, log, parent, nested).catch(
      (error: unknown): RestoredMember => ({ ok: false, reason: reasonOf(error) }),
    );
    if (!restored.ok) {
      const line = `agent ${log.agent} could not be resumed: ${restored.reason}`;
      await parent.agent.emit({ kind: 'line-shown', level: 'error', line });
      return undefined;
    }
    const { member } = restored;
    const { agent } = member;
    for (const line of restored.told) await agent.emit({ kind: 'line-shown', level: 'warning', line });
    await deliverOwed(runtime, member, this.#logs, [], () => false);
    await agent.emit({
      kind: 'agent-state-changed',
      state: 'running',
      run: member.run,
      reason: RESUMED_AUTOMATICALLY,
    });
    if (this.#waiting.has(log.agent)) follow(parent, member);
    else member.background = true;
    if (member.background) member.output.openFile();
    if (restored.over === undefined && restored.needsWord) await agent.inbox.admit('reminder', [text(GO_ON)]);
    member.done = runChild(runtime, member, restored.over === undefined ? {} : { over: restored.over });
    return member.done;
  }
}

const GO_ON = 'You were interrupted and go on now. Finish your task from where you stopped.';

/** It ends with whoever waits for it. */
function follow(parent: Member, member: Member): void {
  const end = () => member.abort.abort();
  const { signal } = parent.abort;
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true, signal: member.abort.signal });
  member.unfollow = () => signal.removeEventListener('abort', end);
}
