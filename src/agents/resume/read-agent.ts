/** Reads an agent that has ended from its transcript. */

import type { AgentLog } from '../../session/state/agent-log.js';
import { readState, type StateRead } from '../../session/state/read-state.js';
import { repairTail } from '../../session/transcript/read-transcript.js';
import type { Runtime } from '../runtime.js';

/** For a fork, the parent's history is resolved first: it is part of the state. */
export async function readAgent(runtime: Runtime, { agent, spawned }: AgentLog): Promise<StateRead> {
  const path = runtime.layout.agentFile(agent);
  const tail = await repairTail(runtime.host, path);
  if (!tail.ok) return { kind: 'unreadable', reason: `${path}: ${tail.reason}` };
  if (spawned.fork === undefined) return readState(runtime.host.files, path);
  const fork = await runtime.resolveFork(spawned.fork);
  if (!fork.ok) return { kind: 'unreadable', reason: fork.reason };
  return readState(runtime.host.files, path, { inherited: fork.history });
}
