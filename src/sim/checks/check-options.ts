/** Options for checking a request. */

import type { ModelOverrides } from '../cache/model-facts.js';
import type { ApiTurn } from '../scenario/api-turns.js';

export type CheckOptions = {
  readonly models?: ModelOverrides;
  /** For token counting, which needs no `max_tokens`. */
  readonly counting?: boolean;
  /** The beta features of the request's header. Omitted: everything behind a beta is accepted. */
  readonly betas?: readonly string[];
  /** Check thinking signatures by our own rule (default). Turn off for conversations with a real model. */
  readonly signatures?: boolean;
  /** Check the length against the model's context window (default). Turn off if the caller has already counted. */
  readonly window?: boolean;
  /** True if the model made this call without thinking first: then no thinking block is required. */
  readonly unthought?: (toolUseId: string) => boolean;
  /** True if this last assistant turn is a paused one that the request continues: then it is not a prefill. */
  readonly paused?: (turn: ApiTurn) => boolean;
};
