/**
 * Keys for agents and inputs that stay the same in a replay. Ids are new each time; the calls that led to an agent come
 * from the model, and so from the recording.
 */

import type { Runtime } from '../../agents/runtime.js';
import { MAIN_AGENT, type NoticeKey } from '../../protocol/events.js';
import type { Sender } from '../../sim/recording/traffic-fetch.js';

type Known = Pick<Runtime, 'agents' | 'ended' | 'shellTasks'>;

export function senderOf(runtime: Known, headers: Readonly<Record<string, string>>): Sender | undefined {
  const chain = headers['x-coppice-chain'];
  if (chain === undefined) return undefined;
  const id = chain.split('/').slice(1).at(-1);
  return { id: id ?? MAIN_AGENT, key: agentKey(runtime, id ?? MAIN_AGENT), ...nameOf(runtime, id) };
}

/** The calls down to it. */
export function agentKey(runtime: Known, id: string): string {
  const record = recordOf(runtime, id);
  if (id === MAIN_AGENT || record === undefined) return MAIN_AGENT;
  // A fork that you started has a generated call.
  const call = record.call.startsWith('fork-') ? 'fork' : record.call;
  return record.parent === MAIN_AGENT ? call : `${agentKey(runtime, record.parent)}/${call}`;
}

/** Undefined: your own prompt, or automatic input. */
export function inputKey(runtime: Known, input: { readonly key?: string; readonly notice?: NoticeKey }) {
  if (input.notice !== undefined) {
    const { agent, run } = input.notice;
    const task = runtime.shellTasks.get(agent);
    return `notice ${task?.call ?? agentKey(runtime, agent)} ${run}`;
  }
  const call = /^message \S+ (\S+)$/.exec(input.key ?? '')?.[1];
  return call === undefined ? undefined : `message ${call}`;
}

function recordOf({ agents, ended }: Known, id: string) {
  return agents.get(id)?.record ?? ended.get(id)?.spawned;
}

function nameOf(runtime: Known, id: string | undefined): { readonly name?: string } {
  const record = id === undefined ? undefined : recordOf(runtime, id);
  return record === undefined ? {} : { name: record.name ?? record.type };
}
