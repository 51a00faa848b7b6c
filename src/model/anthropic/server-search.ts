/** Web search by the Messages API: a tool that the API runs itself, and the blocks it adds to a reply. */

import { thawBlock } from '../../protocol/frozen-block.js';
import { parseObject } from '../../protocol/json/json-values.js';
import type { FinishedSearch } from '../model-client.js';
import type { Prefix } from '../prefix.js';
import type { ModelSearch, SearchHit, SearchPart, SearchPrefixContent } from '../search.js';
import { freezePrefix } from './prefix.js';
import type { WireSearchTool, WireServerBlock } from './wire.js';

export const webSearch: ModelSearch = { freezePrefix: freezeSearchPrefix, explain: explainSearch };

function freezeSearchPrefix(content: SearchPrefixContent): Prefix {
  const { maxSearches, allowedDomains = [], blockedDomains = [], ...rest } = content;
  const tool: WireSearchTool = {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: maxSearches,
    ...(allowedDomains.length > 0 ? { allowed_domains: allowedDomains } : {}),
    ...(blockedDomains.length > 0 ? { blocked_domains: blockedDomains } : {}),
  };
  return freezePrefix({ ...rest, tools: [] }, [tool]);
}

/** Undefined for blocks of other server tools, which are never declared. */
export function finishSearch(start: WireServerBlock, inputJson: string): FinishedSearch | undefined {
  switch (start.type) {
    case 'server_tool_use': {
      const { input: startInput, ...rest } = start;
      const json = (inputJson.trim() === '' ? JSON.stringify(startInput ?? {}) : inputJson).replace(/[\r\n]/g, ' ');
      const query = queryOf(json);
      if (query === undefined) return undefined;
      const head = JSON.stringify(rest);
      const frozen = thawBlock(Buffer.from(`${head.slice(0, -1)},"input":${json}}`));
      return { part: { kind: 'asked', id: start.id, query }, frozen };
    }
    case 'web_search_tool_result':
      return { part: answerOf(start), frozen: thawBlock(Buffer.from(JSON.stringify(start))) };
    default:
      return start satisfies never;
  }
}

function answerOf({
  tool_use_id: id,
  content,
}: Extract<WireServerBlock, { type: 'web_search_tool_result' }>): SearchPart {
  if (Array.isArray(content)) return { kind: 'found', id, hits: content.flatMap(hitOf) };
  const code = (content as { readonly error_code?: unknown } | null | undefined)?.error_code;
  return { kind: 'failed', id, code: typeof code === 'string' ? code : 'unavailable' };
}

function hitOf(result: unknown): readonly SearchHit[] {
  const { title, url } = (result ?? {}) as { readonly title?: unknown; readonly url?: unknown };
  return typeof title === 'string' && typeof url === 'string' ? [{ title, url }] : [];
}

/** Undefined if it is not a JSON object: then the block can't be sent back. */
function queryOf(json: string): string | undefined {
  const input = parseObject(json);
  if (input === undefined) return undefined;
  return typeof input.query === 'string' ? input.query : '';
}

function explainSearch(code: string): string {
  switch (code) {
    case 'too_many_requests':
      return 'The API makes too many searches at the moment. Wait a little and search again, or go on without.';
    case 'invalid_tool_input':
    case 'invalid_input':
      return 'The API did not accept the query or the domains. Write the query as plain words and domains as example.com, without https://.';
    case 'max_uses_exceeded':
      return 'The most searches for one call were made. Call again with a narrower query.';
    case 'query_too_long':
      return 'The query is too long. Ask with a few words.';
    case 'request_too_large':
      return 'The results were too long for one request. Ask for less, or limit it with allowed_domains.';
    case 'unavailable':
      return 'The search of the API is not available at the moment. Try again later, or go on without.';
    default:
      return `The search failed (${code.slice(0, 100)}). Try another query, or go on without.`;
  }
}
