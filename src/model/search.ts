/** A provider's own search of the web: how a request asks for it, and what comes of it in the stream. */

import type { Prefix, PrefixContent } from './prefix.js';

/** One search, as it appears in a reply: asked, then answered with what was found or with why not. */
export type SearchPart =
  | { readonly kind: 'asked'; readonly id: string; readonly query: string }
  | { readonly kind: 'found'; readonly id: string; readonly hits: readonly SearchHit[] }
  /** `code`: the provider's word for it. */
  | { readonly kind: 'failed'; readonly id: string; readonly code: string };

/** As the provider gives it: untrusted. */
export type SearchHit = { readonly title: string; readonly url: string };

export type SearchPrefixContent = Omit<PrefixContent, 'tools'> & {
  /** How often it may search in one request. */
  readonly maxSearches: number;
  /** Not both. Names of hosts, with or without a path, without a scheme. */
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains?: readonly string[];
};

export interface ModelSearch {
  /** The prefix of a request in which the provider may search, and do nothing else. Pure. */
  freezePrefix(content: SearchPrefixContent): Prefix;

  /** What to tell a model of a search that failed, and what it can do. One sentence or two. */
  explain(code: string): string;
}
