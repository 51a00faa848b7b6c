/** Wire types of the Messages API: the requests we send and the stream we receive. */

import type { AssistantBlock, ContentBlock, Role } from '../../protocol/blocks.js';

export type CacheControl = { readonly type: 'ephemeral'; readonly ttl?: '5m' | '1h' };

export type Marked<T> = T & { readonly cache_control?: CacheControl };

export type WireRequest = {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream?: boolean;
  readonly metadata?: { readonly user_id?: string };
  readonly thinking?: WireThinking;
  readonly output_config?: {
    readonly effort?: string;
    readonly task_budget?: { readonly type: 'tokens'; readonly total: number };
  };
  readonly temperature?: number;
  readonly tool_choice?: WireToolChoice;
  readonly stop_sequences?: readonly string[];
  readonly tools?: readonly Marked<WireTool | WireSearchTool>[];
  readonly system?: string | readonly Marked<{ readonly type: 'text'; readonly text: string }>[];
  readonly messages: readonly WireMessage[];
};

export type WireThinking =
  | { readonly type: 'enabled'; readonly budget_tokens: number; readonly display?: 'summarized' | 'omitted' }
  | { readonly type: 'adaptive'; readonly display?: 'summarized' | 'omitted' }
  | { readonly type: 'disabled' };

export type WireToolChoice =
  | { readonly type: 'auto' | 'any' | 'none'; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: boolean };

export type WireTool = {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
};

/** A tool that the API runs itself. */
export type WireSearchTool = {
  readonly type: 'web_search_20250305';
  readonly name: 'web_search';
  readonly max_uses?: number;
  /** Not both. */
  readonly allowed_domains?: readonly string[];
  readonly blocked_domains?: readonly string[];
  readonly description?: undefined;
  readonly input_schema?: undefined;
};

/** Blocks of tools that the API ran itself, in its reply. */
export type WireServerBlock =
  | { readonly type: 'server_tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'web_search_tool_result';
      readonly tool_use_id: string;
      readonly content: readonly WireSearchResult[] | WireSearchError;
    };

export type WireSearchResult = {
  readonly type: 'web_search_result';
  readonly title: string;
  readonly url: string;
  readonly encrypted_content: string;
  readonly page_age: string | null;
};

export type WireSearchError = { readonly type: 'web_search_tool_result_error'; readonly error_code: string };

export type WireCitation = {
  readonly type: 'web_search_result_location';
  readonly url: string;
  readonly title: string | null;
  readonly encrypted_index: string;
  readonly cited_text: string;
};

export type WireReplyBlock = AssistantBlock | WireServerBlock;

export type WireMessage = {
  readonly role: Role;
  readonly content: string | readonly Marked<ContentBlock | WireServerBlock>[];
};

export type WireUsage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  } | null;
  readonly server_tool_use?: { readonly web_search_requests?: number } | null;
};

export type WireStopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

export type WireResponse = {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly WireReplyBlock[];
  readonly stop_reason: WireStopReason | null;
  readonly stop_sequence: string | null;
  readonly usage: WireUsage;
};

export type WireEvent =
  | { readonly type: 'message_start'; readonly message: WireResponse }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: WireReplyBlock }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: WireDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | {
      readonly type: 'message_delta';
      readonly delta: { readonly stop_reason: WireStopReason | null; readonly stop_sequence: string | null };
      readonly usage: WireUsage;
    }
  | { readonly type: 'message_stop' }
  | { readonly type: 'ping' }
  | { readonly type: 'error'; readonly error: WireError['error'] };

export type WireDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }
  | { readonly type: 'citations_delta'; readonly citation: WireCitation };

export type WireErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'overloaded_error'
  | 'timeout_error';

export type WireError = {
  readonly type: 'error';
  readonly error: { readonly type: WireErrorType; readonly message: string };
  readonly request_id?: string | null;
};
