/**
 * Many tools cost many tokens in each request. Above a limit, those of servers are not declared: ToolSearch finds them,
 * McpCall calls them. Both are ordinary tools, so it works with every provider and changes nothing already sent
 * (MC-18).
 */

import type { Environment } from '../../../host/environment.js';
import type { Tool } from '../../tool.js';
import { callTool } from './call-tool.js';
import { type LateServers, searchTool } from './search-tool.js';
import { estimateTokens, isServerTool, type ServerTool } from './server-tool.js';

export type SearchRule = {
  /** Above this cost, the definitions of servers' tools are provided on demand. */
  readonly aboveTokens: number;
  /** The tools listed in a definition, which are declared in full. */
  readonly named?: readonly string[];
};

export type Declared = {
  /** In the given order, then the two search tools if there is anything to find. */
  readonly declared: readonly Tool[];
  readonly deferred: readonly ServerTool[];
};

export type SearchSettings = {
  /** For `ENABLE_TOOL_SEARCH`. */
  readonly env: Environment;
  /** The setting `mcp.searchAboveTokens`. */
  readonly aboveTokens?: number;
  /** The model's window, in tokens. */
  readonly window: number;
};

const DEFAULT_PERCENT = 10;

/** `ENABLE_TOOL_SEARCH`: auto, auto:N (percent of the window), true, false. It overrides the setting. */
export function readSearchRule({ env, aboveTokens, window }: SearchSettings): SearchRule {
  const wish = env.ENABLE_TOOL_SEARCH?.trim().toLowerCase() ?? '';
  const share = (percent: number) => ({ aboveTokens: Math.floor((window * percent) / 100) });
  if (/^(true|1|yes|on)$/.test(wish)) return { aboveTokens: -1 };
  if (/^(false|0|no|off)$/.test(wish)) return { aboveTokens: Number.POSITIVE_INFINITY };
  const [, percent] = /^auto:(\d{1,3})$/.exec(wish) ?? [];
  if (percent !== undefined) return share(Math.min(100, Number(percent)));
  return aboveTokens === undefined ? share(DEFAULT_PERCENT) : { aboveTokens };
}

/**
 * Decides which of an agent's tools are declared. `late`: servers still connecting, which a search waits for. The same
 * tools and rule give the same result: a restored agent calls it with all its tools again.
 */
export function declareForSearch(tools: readonly Tool[], rule: SearchRule, late?: LateServers): Declared {
  const offered = tools.filter(isServerTool);
  const cost = offered.reduce((sum, tool) => sum + estimateTokens(tool), 0);
  const stays = (tool: ServerTool) => tool.offered.alwaysLoad || isNamed(tool, rule.named ?? []);
  const deferred = cost > rule.aboveTokens ? offered.filter((tool) => !stays(tool)) : [];
  if (deferred.length === 0 && late === undefined) return { declared: tools, deferred };
  const hidden = new Set<Tool>(deferred);
  const found = () => [
    ...deferred,
    ...(late?.tools() ?? []).filter((tool) => !tools.some(({ name }) => name === tool.name)),
  ];
  const declared = [...tools.filter((tool) => !hidden.has(tool)), callTool(found), searchTool(deferred, found, late)];
  return { declared, deferred };
}

/** As written in definitions: a tool, or all tools of a server. `*` names none of them. */
function isNamed(tool: Tool, named: readonly string[]): boolean {
  const names = [tool.name, ...(tool.aliases ?? [])].map((name) => name.toLowerCase());
  return named.some((written) => {
    const requested = written.trim().toLowerCase();
    const server = `${requested.replace(/__\*$/, '')}__`;
    return names.some((name) => name === requested || name.startsWith(server));
  });
}
