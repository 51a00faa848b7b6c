/** What can be wrong with a history, and how it is put right. */

import type { DurableEvent } from '../../protocol/events.js';
import type { FrozenBlock } from '../../protocol/frozen-block.js';
import type { HistoryEdit } from '../state/mend-history.js';

export type HistoryFault = HistoryEdit & {
  readonly reason: string;
  /** The call has another id from now on. */
  readonly renamed?: { readonly from: string; readonly to: string };
};

/** A call of the last reply that has no result in the history. */
export type OpenCall = { readonly id: string; readonly tool: string };

export type ClosedCall =
  /** Its result is on disk already. */
  | { readonly kind: 'recorded'; readonly call: string; readonly seq: number; readonly blocks: readonly FrozenBlock[] }
  /** Its result is to be emitted. */
  | { readonly kind: 'made'; readonly call: string; readonly event: CallFinished }
  /** Its child goes on, and its result takes the call's place. */
  | { readonly kind: 'wait'; readonly call: string; readonly tool: string };

export type CallFinished = Extract<DurableEvent, { kind: 'call-finished' }>;

export type CloseCall = (call: OpenCall) => ClosedCall;
