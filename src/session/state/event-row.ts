/** One row of the event table: the schema of a durable event, when it is synced, its effect on the state. */

import * as z from 'zod';
import type { DurableEvent, DurableEventOf } from '../../protocol/events.js';
import type { AgentState } from './agent-state.js';

export type EventRow<K extends DurableEvent['kind']> = {
  /**
   * Validates a record before it is applied: a transcript is a file that others may have edited. Created when the first
   * such record is read.
   */
  readonly schema: () => z.ZodType;
  /** True if the record must survive a power loss. */
  readonly sync: boolean | ((event: DurableEventOf<K>) => boolean);
  /** Set if it concerns the agent's life; such records are read even where only the agents' logs are needed. */
  readonly life?: true;
  readonly apply?: Apply<K>;
};

/** `past`: the state a rewind returns to. */
type Apply<K extends DurableEvent['kind']> = (
  state: AgentState,
  event: DurableEventOf<K>,
  seq: number,
  past: AgentState | undefined,
) => void;

export type EventRows = { readonly [K in DurableEvent['kind']]: EventRow<K> };

/** Schema parts that several rows share. */
export const count = z.number().int().nonnegative();
/** The reader has already sliced these out as blocks; otherwise the line would not be a record. */
export const blocks = z.array(z.looseObject({ type: z.string() }));
export const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite5m: z.number(),
  cacheWrite1h: z.number(),
  webSearches: z.number().optional(),
});
export const paidCheck = z.object({ model: z.string(), usage, requestBytes: z.number().optional() });
/** Hash of a file's content; null means no file. */
export const contentHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();
const pathKind = { as: z.enum(['folder', 'link']).optional(), mode: z.number().int().min(0).max(0o7777).optional() };
export const pathState = { sha256: contentHash, ...pathKind };
export const pathKinds = z.object(pathKind);
