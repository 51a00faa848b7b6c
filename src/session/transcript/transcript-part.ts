/** What a look into a transcript by place gives: whole records, and where they stand. */

import type { DurableEvent } from '../../protocol/events.js';

/** A place is a byte of all segments of a transcript, one after the other. */
export type PositionedEvent = {
  readonly seq: number;
  readonly event: DurableEvent;
  /** When it was written, by the clock at that time: ISO 8601. */
  readonly ts: string;
  /** Where its record begins. */
  readonly place: number;
};

/** Parts that are asked for one after the other join without a gap: `from` of one is where the one before ends. */
export type TranscriptPart = {
  readonly events: readonly PositionedEvent[];
  readonly from: number;
  readonly to: number;
  /** Lines in it that can't be read. */
  readonly damaged: number;
};
