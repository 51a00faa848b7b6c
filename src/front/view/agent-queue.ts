/** The user's messages that an agent has not read yet. */

import type { AgentEvent } from '../../protocol/events.js';
import type { FrozenBlock } from '../../protocol/frozen-block.js';

export type QueuedInput = {
  /** Its record in the agent's transcript. */
  readonly seq: number;
  readonly blocks: readonly FrozenBlock[];
  /** Held until the run ends normally, or until `send-held`. */
  readonly held?: true;
};

export type AgentQueue = { readonly queue: readonly QueuedInput[] };

export function reduceQueue<A extends AgentQueue>(agent: A, event: AgentEvent, seq: number | undefined): A {
  switch (event.kind) {
    case 'input-admitted':
      if (event.origin !== 'person' || seq === undefined) return agent;
      return { ...agent, queue: [...agent.queue, queuedInput(seq, event)] };
    case 'input-released':
      return {
        ...agent,
        queue: agent.queue.map((input) =>
          event.inputs.includes(input.seq) ? queuedInput(input.seq, input, false) : input,
        ),
      };
    case 'message-joined':
      return without(agent, event.from);
    case 'input-withdrawn':
      return without(agent, event.inputs);
    case 'history-rewound':
      // Clearing keeps unread messages; a rewind keeps those that were there at the time.
      if (!event.conversation || !agent.queue.some(({ seq: of }) => of >= event.before)) return agent;
      return { ...agent, queue: agent.queue.filter(({ seq: of }) => of < event.before) };
    default:
      return agent;
  }
}

function queuedInput(seq: number, { blocks, held }: Omit<QueuedInput, 'seq'>, isHeld = held === true): QueuedInput {
  return { seq, blocks, ...(isHeld ? { held: true } : {}) };
}

function without<A extends AgentQueue>(agent: A, gone: readonly number[]): A {
  if (!agent.queue.some(({ seq }) => gone.includes(seq))) return agent;
  return { ...agent, queue: agent.queue.filter(({ seq }) => !gone.includes(seq)) };
}
