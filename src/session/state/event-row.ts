/** What is said about a kind of durable event, in one row: how it is checked, synced, and what it changes. */

import * as z from 'zod';
import type { DurableEvent, DurableEventOf } from '../../protocol/events.js';
import type { AgentState } from './agent-state.js';

export type EventRow<K extends DurableEvent['kind']> = {
  /**
   * What a record of it must hold to be acted on: a transcript is a file, and anybody may have written into it.
   * Made when the first one is read.
   */
  readonly schema: () => z.ZodType;
  /** After it, what was written survives a loss of power. */
  readonly sync: boolean | ((event: DurableEventOf<K>) => boolean);
  /** It says something about the agent's life: read also where only that is asked for. */
  readonly life?: true;
  readonly apply?: Apply<K>;
};

/** `past`: the state a rewind goes back to. */
type Apply<K extends DurableEvent['kind']> = (
  state: AgentState,
  event: DurableEventOf<K>,
  seq: number,
  past: AgentState | undefined,
) => void;

export type EventRows = { readonly [K in DurableEvent['kind']]: EventRow<K> };

/** Parts of schemas that several rows share. */
export const count = z.number().int().nonnegative();
/** They were sliced out as blocks already, or the line would have been no record. */
export const blocks = z.array(z.looseObject({ type: z.string() }));
export const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite5m: z.number(),
  cacheWrite1h: z.number(),
});
/** Of a file's content; null: no file. */
export const contentHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();
