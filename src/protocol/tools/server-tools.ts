/** The tools that reach what MCP servers offer, and any tool of a server, as every surface knows them. */

import type { FactsAbout } from './tool-facts.js';

export const toolSearchFacts: FactsAbout<'ToolSearch', ToolSearchInput> = { name: 'ToolSearch', kind: 'other' };

/** A call of it is one of the tool that it names: it is shown only where that is unknown. */
export const mcpCallFacts: FactsAbout<'McpCall', McpCallInput> = { name: 'McpCall', kind: 'other' };

export const listMcpResourcesFacts: FactsAbout<'ListMcpResources', ListMcpResourcesInput> = {
  name: 'ListMcpResources',
  aliases: ['ListMcpResourcesTool'],
  kind: 'other',
};

export const readMcpResourceFacts: FactsAbout<'ReadMcpResource', ReadMcpResourceInput> = {
  name: 'ReadMcpResource',
  aliases: ['ReadMcpResourceTool'],
  kind: 'other',
};

export type ToolSearchInput = { readonly query: string; readonly max_results?: number | undefined };

export type McpCallInput = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

export type ListMcpResourcesInput = { readonly server?: string | undefined };

export type ReadMcpResourceInput = { readonly server: string; readonly uri: string };
