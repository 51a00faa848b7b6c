/** A scenario: rules that map requests to replies. The same shape in code and in files. */

import type { WireCitation, WireErrorType, WireReplyBlock, WireStopReason } from '../../model/anthropic/wire.js';
import type { Usage } from '../../protocol/usage.js';
import type { SeenRequest } from '../server/seen-request.js';

export type Scenario = { readonly name?: string; readonly rules: readonly Rule[] };

/** The first rule that matches and is not used up replies. A rule has a reply, a fault, or both. */
export type Rule = {
  /** Its name in messages. Omitted: its conditions are shown. */
  readonly name?: string;
  /** Omitted: matches every request. */
  readonly when?: When;
  readonly reply?: Reply | ((request: SeenRequest) => Reply | Promise<Reply>);
  /** Omitted: `tool_use` or `end_turn`, depending on the reply. */
  readonly stop?: WireStopReason;
  /** Overrides the usage we would count. */
  readonly usage?: Partial<Usage>;
  readonly delay?: Delay;
  readonly fault?: Fault | FaultKind;
  /** How often the rule may be used. Omitted: no limit. */
  readonly times?: number;
};

/** All given conditions must hold. A string is searched for; a pattern must match. */
export type When = {
  /** Text in the last user turn. */
  readonly user?: Pattern;
  /** Text in any user turn: identifies a conversation, such as a child's. */
  readonly said?: Pattern;
  /** A tool result in the last turn. */
  readonly result?: Pattern | ResultPattern;
  readonly system?: Pattern;
  readonly model?: Pattern;
  /** The n-th request of its conversation: the number of assistant turns in it, plus one. */
  readonly nth?: number;
  /** A tool with this name is declared. */
  readonly tool?: string;
  readonly not?: When;
  readonly any?: true;
  /** In code only. */
  readonly where?: (request: SeenRequest) => boolean;
};

/** `{ matches }` is the source of a regular expression; its named groups can be used in the reply as `{{name}}`. */
export type Pattern = string | RegExp | { readonly matches: string; readonly flags?: string };

export type ResultPattern = { readonly tool?: string; readonly text?: Pattern; readonly error?: boolean };

export type Reply = string | readonly ReplyBlock[] | FullReply;

export type FullReply = {
  readonly blocks: readonly ReplyBlock[];
  readonly stop?: WireStopReason;
  readonly usage?: Partial<Usage>;
};

export type ReplyBlock =
  | string
  /** `cites`: the pages that the text cites. */
  | { readonly text: string; readonly cites?: readonly SearchPage[] }
  | { readonly thinking: string }
  | { readonly redacted: string }
  | { readonly tool: string; readonly input?: unknown; readonly id?: string }
  /** The input exactly as the model "wrote" it, which may be invalid JSON. */
  | { readonly tool: string; readonly json: string; readonly id?: string }
  /** A web search by the API itself: its results, or its error. With neither, it is still running. */
  | {
      readonly search: string;
      readonly results?: readonly SearchPage[];
      /** `too_many_requests`, `unavailable`, `max_uses_exceeded`, `query_too_long` … */
      readonly error?: string;
      readonly id?: string;
    };

export type SearchPage = {
  readonly title: string;
  readonly url: string;
  readonly text?: string;
  readonly age?: string;
};

/** A block as it is sent. A call also has the JSON text to stream, which may be invalid; a text has its citations. */
export type OutputBlock = {
  readonly block: WireReplyBlock;
  readonly json?: string;
  readonly citations?: readonly WireCitation[];
};

export type Delay = {
  /** Delay before the response begins. */
  readonly firstMs?: number;
  /** Delay before each event after the first. */
  readonly eventMs?: number;
};

/** `times`: applies to that many uses of the rule, then its reply follows. `at`: index of the event; message_start is 0. */
export type Fault = { readonly times?: number } & (
  | { readonly kind: 'rate_limit' | 'overloaded'; readonly retryAfter?: number }
  | {
      readonly kind: 'server_error';
      readonly status?: 500 | 502 | 503 | 504;
      readonly body?: 'json' | 'html';
      readonly retryAfter?: number;
    }
  /** Closes the connection before anything is sent, or at an event: before it, or (`inside`) in the middle of it. */
  | { readonly kind: 'disconnect'; readonly at?: 'headers' | number; readonly inside?: boolean }
  | { readonly kind: 'malformed'; readonly at?: number; readonly how?: 'garbage' | 'json' }
  /** Sends headers and `at` events, then nothing until the client disconnects. */
  | { readonly kind: 'silence'; readonly at?: number }
  | { readonly kind: 'error_event'; readonly at?: number; readonly type?: WireErrorType; readonly message?: string }
  /** The output ends inside the last tool call (or text). */
  | { readonly kind: 'max_tokens' }
  | { readonly kind: 'refusal' | 'pause_turn' }
  | { readonly kind: 'overflow' | 'too_large' | 'unauthorized' | 'no_model' }
  /** A 400 that names a block. */
  | { readonly kind: 'bad_block'; readonly path: string; readonly message?: string }
);

/** Faults that can be given by name alone. */
export type FaultKind = Exclude<Fault['kind'], 'bad_block'>;
