/**
 * Makes a restored conversation valid before any of it is sent. Pure. Returns its changes as records, so a repair is
 * durable and happens only once.
 */

import type { EndedProcess } from '../../host/processes.js';
import { text } from '../../protocol/blocks.js';
import type { DurableEvent } from '../../protocol/events.js';
import {
  type FrozenBlock,
  type FrozenMessage,
  freezeBlock,
  isErrorResult,
  toolIdOf,
  withToolId,
} from '../../protocol/frozen-block.js';
import { type Admitted, type AgentState, type RecordedResult, resultsByCall } from '../state/agent-state.js';
import { editHistory } from '../state/edit-history.js';
import { describeEnded } from './describe-ended.js';
import { findFaults } from './find-faults.js';
import type { CallFinished, CloseCall, ClosedCall, HistoryFault, OpenCall } from './history-fault.js';

/**
 * Closes a call that started a child, from the child's own log: returns a block, `wait` if the child is being resumed,
 * or undefined if the log doesn't tell. Called for every open call.
 */
export type CloseAgentCall = (callId: string) => FrozenBlock | 'wait' | undefined;

/** Processes of a call that outlived the process that ran it, and were ended since. */
export type EndedOfCall = (callId: string) => readonly EndedProcess[];

type HistoryMended = Extract<DurableEvent, { kind: 'history-mended' }>;

export type Repair = {
  /** The history after `edits`; the calls of its last reply still need `closed`. */
  readonly messages: readonly FrozenMessage[];
  /** Emit these first, in this order; each changes the state like any other event. */
  readonly edits: readonly HistoryMended[];
  /** One per open call of the last reply, in call order. They begin the next message, before any input. */
  readonly closed: readonly ClosedCall[];
  /** The repairs, for the user; empty if there were none. */
  readonly repairs: readonly string[];
};

/** Each round leaves fewer faults, so this limit is never reached. */
const MAX_ROUNDS = 1_000;

export function repairHistory(
  state: AgentState,
  closeAgentCall: CloseAgentCall = () => undefined,
  endedOf: EndedOfCall = () => [],
): Repair {
  const open: OpenCalls = { results: resultsByCall(state), intended: state.intended, closeAgentCall, endedOf };
  let history: readonly FrozenMessage[] = [...state.history];
  const edits: HistoryMended[] = [];
  const repairs: string[] = [];
  const formerIds = new Map<string, string>();
  const close: CloseCall = (call) => closeCall(call, formerIds.get(call.id) ?? call.id, open);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = findFaults(history, close);
    if (found.faults.length === 0) {
      const answered = answeredBy(state.pending);
      const closed = found.open.filter((call) => !answered.has(call.id)).map(close);
      repairs.push(...closed.flatMap(describeClosed));
      return { messages: history, edits, closed, repairs };
    }
    for (const fault of lastFirst(found.faults)) {
      history = editHistory(history, fault);
      if (fault.renamed !== undefined) formerIds.set(fault.renamed.to, fault.renamed.from);
      edits.push({
        kind: 'history-mended',
        reason: fault.reason,
        message: fault.message,
        block: fault.block,
        blocks: fault.blocks,
      });
    }
    repairs.push(...found.faults.map((fault) => `message ${fault.message + 1}: ${fault.reason}`));
  }
  throw new Error('the conversation could not be made valid by repairs');
}

/** The known facts about calls without a result in the history. */
type OpenCalls = {
  /** Results on disk that are not part of a message. */
  readonly results: ReadonlyMap<string, RecordedResult>;
  /** Calls that may have had an effect. */
  readonly intended: ReadonlySet<string>;
  readonly closeAgentCall: CloseAgentCall;
  readonly endedOf: EndedOfCall;
};

function answeredBy(pending: readonly Admitted[]): ReadonlySet<string> {
  const ids = pending
    .flatMap((input) => input.blocks)
    .flatMap((block) => (block.type === 'tool_result' ? (toolIdOf(block) ?? []) : []));
  return new Set(ids);
}

/** Sorts edits from last to first, so that an edit does not shift the positions of the remaining ones. */
function lastFirst(faults: readonly HistoryFault[]): HistoryFault[] {
  return [...faults].sort((a, b) => b.message - a.message || b.block - a.block);
}

/** Records and the child's log know the call by its former id. */
function closeCall({ id, tool }: OpenCall, formerId: string, open: OpenCalls): ClosedCall {
  const recorded = open.results.get(formerId);
  if (recorded !== undefined && id === formerId) return { kind: 'recorded', call: id, ...recorded };
  const known = recorded?.blocks[0] ?? open.closeAgentCall(formerId);
  if (known === 'wait') return { kind: 'wait', call: id, tool };
  const ended = open.endedOf(formerId);
  const begun = open.intended.has(formerId) || ended.length > 0;
  const block = known === undefined ? interrupted(id, begun, ended) : id === formerId ? known : withToolId(known, id);
  const isError = isErrorResult(block);
  const effects = begun || known !== undefined;
  const event: CallFinished = { kind: 'call-finished', call: id, tool, isError, effects, ms: 0, blocks: [block] };
  return { kind: 'made', call: id, event };
}

function interrupted(id: string, begun: boolean, ended: readonly EndedProcess[]): FrozenBlock {
  const content = [text(begun ? [OUTCOME_UNKNOWN, ...describeEnded(ended)].join(' ') : NEVER_STARTED)];
  return freezeBlock({ type: 'tool_result', tool_use_id: id, content, is_error: true });
}

const OUTCOME_UNKNOWN =
  'Interrupted, outcome unknown: the session ended while this call was running, so it may have had its effect in full, ' +
  'in part or not at all. Look at the state of things before you do it again.';
const NEVER_STARTED =
  'Never started: the session ended before this call was carried out, and nothing was changed by it. ' +
  'Call it again if it is still needed.';

function describeClosed(closed: ClosedCall): string[] {
  if (closed.kind !== 'made' || !closed.event.isError) return [];
  const { tool, effects } = closed.event;
  return [`${tool} (${closed.call}) was cut off: ${effects ? 'its outcome is unknown' : 'it never started'}`];
}
