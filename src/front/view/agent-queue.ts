/** What a person sent to an agent that it has not read yet. */

import type { AgentEvent } from '../../protocol/events.js';
import type { FrozenBlock } from '../../protocol/frozen-block.js';

export type QueuedInput = {
  /** Its record in the agent's transcript. */
  readonly seq: number;
  readonly blocks: readonly FrozenBlock[];
};

export type AgentQueue = { readonly queue: readonly QueuedInput[] };

export function reduceQueue<A extends AgentQueue>(agent: A, event: AgentEvent, seq: number | undefined): A {
  switch (event.kind) {
    case 'input-admitted':
      if (event.origin !== 'person' || seq === undefined) return agent;
      return { ...agent, queue: [...agent.queue, { seq, blocks: event.blocks }] };
    case 'message-joined':
      return without(agent, event.from);
    case 'input-withdrawn':
      return without(agent, event.inputs);
    case 'history-rewound':
    case 'history-cleared':
      return agent.queue.length === 0 ? agent : { ...agent, queue: [] };
    default:
      return agent;
  }
}

function without<A extends AgentQueue>(agent: A, gone: readonly number[]): A {
  if (!agent.queue.some(({ seq }) => gone.includes(seq))) return agent;
  return { ...agent, queue: agent.queue.filter(({ seq }) => !gone.includes(seq)) };
}
