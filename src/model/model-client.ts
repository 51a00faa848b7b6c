/** The model port: one request in, one stream of events out. One implementation per provider. */

import type { AssistantBlock } from '../protocol/blocks.js';
import type { FrozenBlock } from '../protocol/frozen-block.js';
import type { BegunBlock } from '../protocol/live-event.js';
import type { Usage } from '../protocol/usage.js';
import type { ModelFault } from './fault.js';
import type { ModelRequest } from './request.js';
import type { SearchPart } from './search.js';

export interface ModelClient {
  /**
   * Sends one request. Must not throw: an error is the last event of the stream, a `fault`.
   * A stream ends with exactly one `response-finished` or `fault`. When the signal aborts, it must end with the fault
   * `aborted` within a second.
   */
  request(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export type ModelEvent =
  | { readonly type: 'response-began'; readonly id: string; readonly model: string; readonly usage: Usage }
  /** Precedes all events of the block. A client may omit it: then calls are reported once they are complete. */
  | { readonly type: 'block-began'; readonly index: number; readonly block: BegunBlock }
  | { readonly type: 'text-streamed'; readonly index: number; readonly text: string }
  | { readonly type: 'thinking-streamed'; readonly index: number; readonly text: string }
  | { readonly type: 'call-streamed'; readonly index: number; readonly name: string; readonly json: string }
  | { readonly type: 'block-finished'; readonly index: number; readonly block: FinishedBlock }
  /** Only in requests with a prefix of `ModelSearch`. */
  | { readonly type: 'search-finished'; readonly index: number; readonly search: FinishedSearch }
  /** `usage` is undefined if the provider did not report it. */
  | { readonly type: 'response-finished'; readonly stop: StopReason; readonly usage: Usage | undefined }
  /** Discard all events so far: the request will be sent again after `delayMs`. */
  | {
      readonly type: 'retry-scheduled';
      readonly fault: ModelFault;
      readonly attempt: number;
      readonly delayMs: number;
      /** The maximum number of retries, if known. */
      readonly most?: number;
    }
  | { readonly type: 'fault'; readonly fault: ModelFault };

/** Why a reply ended. Transcripts store these values; a provider maps its own to them. */
export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'stop_sequence'
  /** The reply is cut off at `maxTokens`. */
  | 'max_tokens'
  /** The provider asks for another request with the reply so far. */
  | 'pause_turn'
  /** The model refuses to continue this conversation. */
  | 'refusal'
  | 'model_context_window_exceeded';

export type FinishedBlock = {
  readonly block: AssistantBlock;
  readonly frozen: FrozenBlock;
  /** The raw input text, if it is not a valid JSON object. Such a call never runs. */
  readonly malformedInput?: string;
};

/** `frozen` is sent back unchanged when a paused reply is continued. */
export type FinishedSearch = { readonly part: SearchPart; readonly frozen: FrozenBlock };
