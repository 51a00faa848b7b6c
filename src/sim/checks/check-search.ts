/** Checks the web search that the API runs itself: its declaration, and its blocks in later requests. */

import { isObject, type JsonObject, textOf } from '../json-value.js';
import type { ApiTurn } from '../scenario/api-turns.js';
import { firstProblem, invalid, type Problem } from './problem.js';

export const SEARCH_TOOL = 'web_search_20250305';

const TOOL_FIELDS = new Set(
  'type name max_uses allowed_domains blocked_domains user_location cache_control defer_loading strict allowed_callers'.split(
    ' ',
  ),
);
const LOCATION_FIELDS = new Set(['type', 'city', 'region', 'country', 'timezone']);
const DOMAIN_LISTS = ['allowed_domains', 'blocked_domains'] as const;

export function checkSearchTool(tool: JsonObject, path: string): Problem | undefined {
  const unknown = Object.keys(tool).find((name) => !TOOL_FIELDS.has(name));
  if (unknown !== undefined) return invalid(`${path}.${unknown}: Extra inputs are not permitted`);
  if (tool.name === undefined) return invalid(`${path}.name: Field required`);
  if (tool.name !== 'web_search') return invalid(`${path}.name: Input should be 'web_search'`);
  const { max_uses: most } = tool;
  if (isGiven(most) && !Number.isInteger(most)) return invalid(`${path}.max_uses: Input should be a valid integer`);
  if (isGiven(most) && Number(most) <= 0) return invalid(`${path}.max_uses: Input should be greater than 0`);
  return (
    firstProblem(DOMAIN_LISTS, (name) => checkDomains(tool[name], `${path}.${name}`)) ??
    (DOMAIN_LISTS.every((name) => isGiven(tool[name]))
      ? invalid(`${path}: only one of \`allowed_domains\` and \`blocked_domains\` may be specified`)
      : checkLocation(tool.user_location, `${path}.user_location`))
  );
}

function checkDomains(domains: unknown, path: string): Problem | undefined {
  if (!isGiven(domains)) return undefined;
  if (!Array.isArray(domains)) return invalid(`${path}: Input should be a valid list`);
  return firstProblem(domains, (domain, index) => {
    if (typeof domain !== 'string') return invalid(`${path}.${index}: Input should be a valid string`);
    if (/^[^\s:/]+(\/\S*)?$/.test(domain)) return undefined;
    return invalid(`${path}.${index}: Invalid domain: ${domain}. Domains should not include a scheme or port`);
  });
}

function checkLocation(location: unknown, path: string): Problem | undefined {
  if (!isGiven(location)) return undefined;
  if (!isObject(location)) return invalid(`${path}: Input should be a valid dictionary or object`);
  const unknown = Object.keys(location).find((name) => !LOCATION_FIELDS.has(name));
  if (unknown !== undefined) return invalid(`${path}.${unknown}: Extra inputs are not permitted`);
  return location.type === 'approximate' ? undefined : invalid(`${path}.type: Input should be 'approximate'`);
}

/** The block types, and their fields. */
const SEARCH_BLOCKS: Readonly<Record<string, readonly string[]>> = {
  server_tool_use: ['type', 'id', 'name', 'input', 'caller', 'cache_control'],
  web_search_tool_result: ['type', 'tool_use_id', 'content', 'caller', 'cache_control'],
};
const SERVER_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;

export function checkSearchBlock(block: JsonObject, path: string, role: string): Problem | undefined {
  const kind = textOf(block.type);
  const fields = SEARCH_BLOCKS[kind];
  if (fields === undefined) return undefined;
  if (role !== 'assistant') return invalid(`${path}: \`${kind}\` blocks can only be in \`assistant\` messages`);
  const unknown = Object.keys(block).find((name) => !fields.includes(name));
  if (unknown !== undefined) return invalid(`${path}.${kind}.${unknown}: Extra inputs are not permitted`);
  const idField = kind === 'server_tool_use' ? 'id' : 'tool_use_id';
  const id = block[idField];
  if (typeof id !== 'string') return invalid(`${path}.${kind}.${idField}: Field required`);
  if (!SERVER_ID.test(id)) {
    return invalid(`${path}.${kind}.${idField}: String should match pattern '${SERVER_ID.source}'`);
  }
  if (kind === 'web_search_tool_result') return checkFound(block.content, `${path}.${kind}.content`);
  if (typeof block.name !== 'string') return invalid(`${path}.${kind}.name: Field required`);
  return isObject(block.input) ? undefined : invalid(`${path}.${kind}.input: Input should be a valid dictionary`);
}

function checkFound(content: unknown, path: string): Problem | undefined {
  if (content === undefined) return invalid(`${path}: Field required`);
  if (isObject(content)) {
    return typeof content.error_code === 'string' ? undefined : invalid(`${path}.error_code: Field required`);
  }
  if (!Array.isArray(content)) return invalid(`${path}: Input should be a valid list`);
  return firstProblem(content, (result, index) => {
    const missing = ['title', 'url', 'encrypted_content'].find(
      (name) => !isObject(result) || typeof result[name] !== 'string',
    );
    return missing === undefined ? undefined : invalid(`${path}.${index}.${missing}: Field required`);
  });
}

/** Each result must follow its search in the same turn. */
export function checkSearchPairs(turns: readonly ApiTurn[]): Problem | undefined {
  return firstProblem(turns, ({ blocks }) => {
    const asked = new Set<unknown>();
    return firstProblem(blocks, ({ block, path }) => {
      if (block.type === 'server_tool_use') asked.add(block.id);
      if (block.type !== 'web_search_tool_result' || asked.has(block.tool_use_id)) return undefined;
      const id = textOf(block.tool_use_id);
      return invalid(
        `${path}: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${id}. Each \`web_search_tool_result\` block must have a corresponding \`server_tool_use\` block before it.`,
      );
    });
  });
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
