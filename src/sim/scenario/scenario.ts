/** What a scenario is: rules that say which reply a request gets. The same shape in code and in files. */

import type { WireErrorType, WireStopReason } from '../../model/anthropic/wire.js';
import type { Usage } from '../../protocol/usage.js';
import type { SeenRequest } from '../server/seen-request.js';

export type Scenario = { readonly name?: string; readonly rules: readonly Rule[] };

/** The first rule that matches and is not used up answers. A rule has a reply, a fault, or both. */
export type Rule = {
  /** How it is called in messages; its conditions otherwise. */
  readonly name?: string;
  /** Omitted: every request. */
  readonly when?: When;
  readonly reply?: Reply | ((request: SeenRequest) => Reply | Promise<Reply>);
  /** `tool_use` or `end_turn` if omitted, whichever fits the reply. */
  readonly stop?: WireStopReason;
  /** Replaces what we would have counted. */
  readonly usage?: Partial<Usage>;
  readonly delay?: Delay;
  readonly fault?: Fault | FaultKind;
  /** How often the rule may be used. Omitted: always. */
  readonly times?: number;
};

/** All the conditions given must hold. A string is looked for; a pattern must match. */
export type When = {
  /** Text in the last user turn: what was said just now. */
  readonly user?: Pattern;
  /** Text in any user turn: tells one conversation (a child's, say) from another. */
  readonly said?: Pattern;
  /** A tool result in the last turn. */
  readonly result?: Pattern | ResultPattern;
  readonly system?: Pattern;
  readonly model?: Pattern;
  /** The n-th request of its conversation, counted by the assistant turns in it: 1 before the first. */
  readonly nth?: number;
  /** A tool of this name is declared. */
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
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly redacted: string }
  | { readonly tool: string; readonly input?: unknown; readonly id?: string }
  /** The input exactly as the model "wrote" it, which need not be JSON. */
  | { readonly tool: string; readonly json: string; readonly id?: string };

export type Delay = {
  /** Before the response begins. */
  readonly firstMs?: number;
  /** Before each event after the first. */
  readonly eventMs?: number;
};

/** `times`: only for so many uses of the rule, then its reply. `at`: the number of the event, message_start being 0. */
export type Fault = { readonly times?: number } & (
  | { readonly kind: 'rate_limit' | 'overloaded'; readonly retryAfter?: number }
  | {
      readonly kind: 'server_error';
      readonly status?: 500 | 502 | 503 | 504;
      readonly body?: 'json' | 'html';
      readonly retryAfter?: number;
    }
  /** Cuts the connection before anything is sent, or at an event: before it, or (`inside`) in the middle of it. */
  | { readonly kind: 'disconnect'; readonly at?: 'headers' | number; readonly inside?: boolean }
  | { readonly kind: 'malformed'; readonly at?: number; readonly how?: 'garbage' | 'json' }
  /** Headers and `at` events, then nothing until the client leaves. */
  | { readonly kind: 'silence'; readonly at?: number }
  | { readonly kind: 'error_event'; readonly at?: number; readonly type?: WireErrorType; readonly message?: string }
  /** The output ends inside the last tool call (or text). */
  | { readonly kind: 'max_tokens' }
  | { readonly kind: 'refusal' | 'pause_turn' }
  | { readonly kind: 'overflow' | 'too_large' | 'unauthorized' | 'no_model' }
  /** A 400 that names a block. */
  | { readonly kind: 'bad_block'; readonly path: string; readonly message?: string }
);

/** A fault by its name alone. */
export type FaultKind = Exclude<Fault['kind'], 'bad_block'>;
