/** Entries for the small MCP server of the fixtures, as a person writes them into settings. */

import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../fixtures/mcp/server.mjs', import.meta.url));

export type SmallServer = {
  readonly name?: string;
  readonly delayMs?: number;
  readonly failAfterMs?: number;
  readonly instructions?: string;
  readonly tools?: readonly SmallTool[];
  readonly toolsFile?: string;
  readonly log?: string;
  /** Answers `initialize` once this file exists. */
  readonly waitFor?: string;
  /** Neither SIGTERM nor the end of its input ends it. */
  readonly ignoresEnd?: boolean;
  /** It offers prompts, and does not answer what they are. */
  readonly prompts?: 'never';
};

export type SmallTool = {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly result?: object;
  readonly ms?: number;
  readonly _meta?: object;
};

export function smallServer(setup: SmallServer = {}) {
  const tools = setup.tools?.map((tool) => ({ inputSchema: { type: 'object' }, ...tool }));
  const told = { ...setup, ...(tools === undefined ? {} : { tools }) };
  return { command: process.execPath, args: [PROGRAM], env: { MCP_TEST: JSON.stringify(told) } };
}
