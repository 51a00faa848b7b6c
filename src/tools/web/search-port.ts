/** The port behind WebSearch: what searches, and what comes of it. */

import type { SideRequest } from '../../protocol/durable-event.js';

/** Must not reject. */
export type SearchWeb = (question: WebSearchQuery, signal: AbortSignal) => Promise<WebSearchAnswer>;

export type WebSearchQuery = {
  /** The agent that asks: with its model, from its budget. */
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
      /** What a model should know of how it went. */
      readonly notes: readonly string[];
      readonly paid: SideRequest;
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly paid?: SideRequest }
  | { readonly kind: 'aborted'; readonly paid?: SideRequest };

/** Texts are as the provider gave them. */
export type WebSearchPart =
  | { readonly kind: 'said'; readonly text: string }
  | {
      readonly kind: 'found';
      readonly id: string;
      readonly hits: readonly { readonly title: string; readonly url: string }[];
    }
  | { readonly kind: 'failed'; readonly reason: string };
