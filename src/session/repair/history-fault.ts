/** The faults a history can have, and the ways to close an open call. */

import type { DurableEvent } from '../../protocol/events.js';
import type { FrozenBlock } from '../../protocol/frozen-block.js';
import type { HistoryEdit } from '../state/edit-history.js';

export type HistoryFault = HistoryEdit & {
  readonly reason: string;
  /** Set when the call gets a new id. */
  readonly renamed?: { readonly from: string; readonly to: string };
};

/** A call of the last reply that has no result in the history. */
export type OpenCall = { readonly id: string; readonly tool: string };

export type ClosedCall =
  /** The result is already on disk. */
  | { readonly kind: 'recorded'; readonly call: string; readonly seq: number; readonly blocks: readonly FrozenBlock[] }
  /** The result still has to be emitted. */
  | { readonly kind: 'made'; readonly call: string; readonly event: CallFinished }
  /** The child is being resumed; its result will close the call. */
  | { readonly kind: 'wait'; readonly call: string; readonly tool: string };

export type CallFinished = Extract<DurableEvent, { kind: 'call-finished' }>;

export type CloseCall = (call: OpenCall) => ClosedCall;
