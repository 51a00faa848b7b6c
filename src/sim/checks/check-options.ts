/** How strictly, and with what knowledge, a request is checked. */

import type { ModelOverrides } from '../cache/model-facts.js';
import type { Turn } from '../scenario/turns.js';

export type CheckOptions = {
  readonly models?: ModelOverrides;
  /** Counting tokens needs no `max_tokens`. */
  readonly counting?: boolean;
  /** Check the signatures of thinking by our own rule (default). Off for conversations with a real model. */
  readonly signatures?: boolean;
  /** Check the length against the model's window (default). Off where the caller has counted already. */
  readonly window?: boolean;
  /** A call that the model itself made without thinking first: no thinking is missed there. */
  readonly unthought?: (toolUseId: string) => boolean;
  /** The last assistant turn is a paused one that the request continues: that is no prefill. */
  readonly paused?: (turn: Turn) => boolean;
};
