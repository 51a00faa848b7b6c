/** WebFetch and WebSearch, as every surface knows them. */

import type { FactsAbout } from './tool-facts.js';

export const webFetchFacts: FactsAbout<'WebFetch', WebFetchInput, WebFetchResponse> = {
  name: 'WebFetch',
  kind: 'fetch',
  effect: 'none-outside',
  rule: { matches: 'host', covers: ['fetch'] },
  main: ['url'],
  result: 'prose',
};

export const webSearchFacts: FactsAbout<'WebSearch', WebSearchInput, WebSearchResponse> = {
  name: 'WebSearch',
  kind: 'fetch',
  effect: 'none-outside',
  rule: { covers: ['web-search'] },
  // The search is a request of its own.
  waitsFor: 'other',
  main: ['query'],
  result: 'prose',
};

export type WebFetchInput = { readonly url: string; readonly prompt?: string | undefined };

export type WebSearchInput = {
  readonly query: string;
  readonly allowed_domains?: readonly string[] | undefined;
  readonly blocked_domains?: readonly string[] | undefined;
};

export type WebFetchResponse = {
  readonly url: string;
  readonly code: number;
  readonly codeText: string;
  readonly bytes: number;
  readonly result: string;
  readonly durationMs: number;
};

export type WebSearchResponse = {
  readonly query: string;
  /** What was found, or what the provider said between. */
  readonly results: readonly (
    | { readonly tool_use_id: string; readonly content: readonly { readonly title: string; readonly url: string }[] }
    | string
  )[];
  readonly durationSeconds: number;
};
