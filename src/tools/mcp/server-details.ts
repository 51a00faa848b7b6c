/** A server as clients show it: its status, its tools and their annotations. */

import { maskServer } from '../../config/mcp/mask-server.js';
import { isObject } from '../../protocol/json/json-values.js';
import type { ServerDetails, ServerReport, ServerToolDetails } from '../../protocol/mcp/server-report.js';
import type { ListedTool } from './connect/connection.js';
import { estimateTokens, type ServerTool } from './offer/server-tool.js';
import type { Server } from './server.js';

export function reportOf({ name, status, trouble, configured }: Server, tools: readonly ServerTool[]): ServerReport {
  const own = tools.filter((tool) => tool.offered.server === name);
  return {
    name,
    ...configured.origin,
    transport: configured.config.kind,
    status,
    ...(trouble.reason === undefined ? {} : { reason: trouble.reason }),
    ...(trouble.stderr === undefined ? {} : { stderr: trouble.stderr }),
    tools: own.map((tool) => tool.name),
    tokens: own.reduce((sum, tool) => sum + estimateTokens(tool), 0),
  };
}

export function detailsOf({ configured, connected, offer }: Server): ServerDetails {
  const entry = shownEntry(configured.raw);
  return {
    ...(connected?.info === undefined ? {} : { info: connected.info }),
    ...(entry === undefined ? {} : { entry }),
    tools: connected === undefined ? [] : (offer?.listed ?? []).map(describeTool),
  };
}

/** Values of environment variables and headers are often secret, regardless of their names. */
function shownEntry(raw: unknown): ServerDetails['entry'] {
  if (!isObject(raw)) return undefined;
  const { env: _env, headers: _headers, ...rest } = raw;
  const masked = maskServer(rest);
  return isObject(masked) ? masked : undefined;
}

function describeTool({ name, description, annotations }: ListedTool): ServerToolDetails {
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    readOnly: annotations?.readOnlyHint === true,
    destructive: annotations?.destructiveHint === true,
    openWorld: annotations?.openWorldHint === true,
  };
}
