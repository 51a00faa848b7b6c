/** A part of a transcript: whole records with their positions. */

import type { DurableEvent } from '../../protocol/events.js';

/** `place` counts the bytes of all segments of a transcript in order. */
export type PositionedEvent = {
  readonly seq: number;
  readonly event: DurableEvent;
  /** When it was written, by the clock at that time: ISO 8601. */
  readonly ts: string;
  /** The start of its record. */
  readonly place: number;
};

/** Consecutive parts join without a gap: the `from` of one is the end of the one before. */
export type TranscriptPart = {
  readonly events: readonly PositionedEvent[];
  readonly from: number;
  readonly to: number;
  /** The number of unreadable lines in it. */
  readonly damaged: number;
};
