/** The door to a model: one request in, one stream of events out. One implementation per provider. */

import type { AssistantBlock } from '../protocol/blocks.js';
import type { FrozenBlock } from '../protocol/frozen-block.js';
import type { Usage } from '../protocol/usage.js';
import type { ModelFault } from './fault.js';
import type { ModelRequest } from './request.js';

export interface ModelClient {
  /**
   * Sends one request. Must not throw: whatever goes wrong is the stream's last event, a `fault`.
   * A stream ends with exactly one `response-finished` or `fault`. When the signal aborts, it ends with the fault
   * `aborted` within a second.
   */
  request(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export type ModelEvent =
  | { readonly type: 'response-began'; readonly id: string; readonly model: string; readonly usage: Usage }
  | { readonly type: 'text-streamed'; readonly index: number; readonly text: string }
  | { readonly type: 'thinking-streamed'; readonly index: number; readonly text: string }
  | { readonly type: 'call-streamed'; readonly index: number; readonly name: string; readonly json: string }
  | { readonly type: 'block-finished'; readonly index: number; readonly block: FinishedBlock }
  | { readonly type: 'response-finished'; readonly stop: StopReason; readonly usage: Usage }
  /** What came so far counts for nothing; the request will be sent again after `delayMs`. */
  | {
      readonly type: 'retry-scheduled';
      readonly fault: ModelFault;
      readonly attempt: number;
      readonly delayMs: number;
    }
  | { readonly type: 'fault'; readonly fault: ModelFault };

/** Why a reply ended. The words are those of stored transcripts; a provider translates its own into them. */
export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'stop_sequence'
  /** The reply is cut off at `maxTokens`. */
  | 'max_tokens'
  /** The provider asks to be called again with what came so far. */
  | 'pause_turn'
  /** The model declines to go on with this conversation. */
  | 'refusal'
  | 'model_context_window_exceeded';

export type FinishedBlock = {
  readonly block: AssistantBlock;
  readonly frozen: FrozenBlock;
  /** The model's text for the input, when it is no valid JSON object. Such a call is never run. */
  readonly malformedInput?: string;
};
