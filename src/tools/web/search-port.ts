/** The port behind WebSearch: the query and its answer. */

import type { SideRequest } from '../../protocol/durable-event.js';

/** Must not reject. */
export type SearchWeb = (question: WebSearchQuery, signal: AbortSignal) => Promise<WebSearchAnswer>;

export type WebSearchQuery = {
  /** The calling agent, whose model and budget are used. */
  readonly agent: string;
  readonly query: string;
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
};

export type WebSearchAnswer =
  | {
      readonly kind: 'answered';
      /** In the order of the reply. */
      readonly parts: readonly WebSearchPart[];
      /** Notes for the model about the search. */
      readonly notes: readonly string[];
      readonly paid: SideRequest;
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly paid?: SideRequest }
  | { readonly kind: 'aborted'; readonly paid?: SideRequest };

/** Texts are as the provider returned them. */
export type WebSearchPart =
  | { readonly kind: 'said'; readonly text: string }
  | {
      readonly kind: 'found';
      readonly id: string;
      readonly hits: readonly { readonly title: string; readonly url: string }[];
    }
  | { readonly kind: 'failed'; readonly reason: string };
