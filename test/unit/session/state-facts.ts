/** A whole state as plain data that can be compared: blocks as the bytes they would be sent as. */

import type { FrozenBlock } from '../../../src/protocol/frozen-block.js';
import type { AgentState } from '../../../src/session/state/agent-state.js';
import { show } from './sample-events.js';

export function factsOf(state: AgentState) {
  return {
    ...state,
    history: show(state.history),
    pending: state.pending.map(withBytes),
    results: [...state.results.values()].map(withBytes),
    intended: [...state.intended],
    admittedKeys: [...state.admittedKeys],
    callIds: state.callIds instanceof Set ? [...state.callIds] : undefined,
    todos: [...state.todos],
    prompts: [...state.prompts],
    fileStates: [...state.fileStates],
    tasks: [...state.tasks.values()],
    delivered: [...state.delivered.values()],
    runs: [...state.runs.values()],
  };
}

export type StateFacts = ReturnType<typeof factsOf>;

function withBytes<T extends { readonly blocks: readonly FrozenBlock[] }>(one: T) {
  return { ...one, blocks: one.blocks.map((block) => Buffer.from(block.bytes).toString()) };
}
