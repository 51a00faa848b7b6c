/** Web searches by the API itself, as blocks of a reply. */

import type { WireCitation, WireSearchResult } from '../../model/anthropic/wire.js';
import type { OutputBlock, ReplyBlock, SearchPage } from './scenario.js';

export type SearchBlock = Extract<ReplyBlock, { readonly search: string }>;

/** The search and, unless it is still running, its result. */
export function searchBlocks({ search, results, error, id: given }: SearchBlock, newId: string): OutputBlock[] {
  const id = given ?? newId;
  const input = { query: search };
  const use: OutputBlock = {
    block: { type: 'server_tool_use', id, name: 'web_search', input },
    json: JSON.stringify(input),
  };
  if (results === undefined && error === undefined) return [use];
  const content =
    error === undefined
      ? (results ?? []).map(resultOf)
      : ({ type: 'web_search_tool_result_error', error_code: error } as const);
  return [use, { block: { type: 'web_search_tool_result', tool_use_id: id, content } }];
}

/** Failed searches are not billed. */
export function countSearches(blocks: readonly OutputBlock[]): number {
  return blocks.filter(({ block }) => block.type === 'web_search_tool_result' && Array.isArray(block.content)).length;
}

function resultOf({ title, url, text = '', age }: SearchPage): WireSearchResult {
  return { type: 'web_search_result', title, url, encrypted_content: sealed(`${url}\n${text}`), page_age: age ?? null };
}

export function citationOf({ title, url, text = '' }: SearchPage): WireCitation {
  return {
    type: 'web_search_result_location',
    url,
    title,
    encrypted_index: sealed(url),
    cited_text: text.slice(0, 150),
  };
}

/** Opaque to the client. */
function sealed(content: string): string {
  return Buffer.from(content).toString('base64');
}
