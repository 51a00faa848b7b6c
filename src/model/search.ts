/** A provider's web search: how a request asks for it, and its results in the stream. */

import type { Prefix, PrefixContent } from './prefix.js';

/** One search, as it appears in a reply: asked, then answered with results or an error. */
export type SearchPart =
  | { readonly kind: 'asked'; readonly id: string; readonly query: string }
  | { readonly kind: 'found'; readonly id: string; readonly hits: readonly SearchHit[] }
  /** `code`: the provider's error code. */
  | { readonly kind: 'failed'; readonly id: string; readonly code: string };

/** From the provider: untrusted. */
export type SearchHit = { readonly title: string; readonly url: string };

export type SearchPrefixContent = Omit<PrefixContent, 'tools'> & {
  /** The maximum number of searches in one request. */
  readonly maxSearches: number;
  /** Mutually exclusive. Host names, with or without a path, without a scheme. */
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains?: readonly string[];
};

export interface ModelSearch {
  /** The prefix of a request in which the provider may only search. Pure. */
  freezePrefix(content: SearchPrefixContent): Prefix;

  /** Explains a failed search to a model, with what it can do, in one or two sentences. */
  explain(code: string): string;
}
