/** One server of a session over connections that a test makes, on a clock that it moves. */

import { onTestFinished } from 'vitest';
import type { ConfiguredServer } from '../../../../src/config/mcp/server-config.js';
import { newAbort } from '../../../../src/host/clock.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { Connected, ConnectRequest, ServerConnection } from '../../../../src/tools/mcp/connect/connection.js';
import { Server, type ServerPorts } from '../../../../src/tools/mcp/server.js';
import { ManualClock } from '../../../support/hosts/manual-clock.js';

export const never = newAbort().signal;

/** A connect that the server has asked for. */
export type Line = {
  readonly request: ConnectRequest;
  readonly connection: ServerConnection;
  isClosed: boolean;
  /** Its close waits for this. */
  ending: Promise<void>;
};

export type ServerStage = {
  readonly server: Server;
  readonly clock: ManualClock;
  readonly warnings: string[];
  readonly lines: Line[];
  /** The names of the tools that it lists; changed by a test. */
  tools: (line: Line) => Promise<readonly string[]>;
  /** What a connect comes to. */
  connect: (line: Line) => Promise<Connected>;
  whyNotAgain: () => Promise<string | undefined>;
  lists: number;
  readonly names: () => readonly string[];
};

export function setServerStage(scope: ConfiguredServer['origin']['scope'] = 'user'): ServerStage {
  const clock = new ManualClock();
  const warnings: string[] = [];
  const lines: Line[] = [];
  const ports: ServerPorts = {
    with: {
      host: { ...nodeHost('/', {}), clock },
      environment: () => ({ env: {}, withheld: [] }),
      roots: () => [],
      elicit: async () => ({ action: 'decline' }),
    },
    authFor: () => undefined,
    whyNotAgain: () => stage.whyNotAgain(),
    warn: (line) => void warnings.push(line),
    connect: (request) => {
      const line: Line = {
        request,
        isClosed: false,
        ending: Promise.resolve(),
        connection: makeConnection(() => line),
      };
      lines.push(line);
      return stage.connect(line);
    },
  };
  const makeConnection = (line: () => Line): ServerConnection => ({
    info: undefined,
    instructions: undefined,
    offers: { tools: true, resources: false, prompts: false },
    listTools: async () => {
      stage.lists += 1;
      const names = await stage.tools(line());
      return names.map((name) => ({ name, inputSchema: { type: 'object' as const } }));
    },
    listResources: async () => [],
    listPrompts: async () => [],
    callTool: async () => ({ content: [] }),
    readResource: async () => ({ contents: [] }),
    getPrompt: async () => ({ messages: [] }),
    rootsChanged: () => {},
    close: () => {
      line().isClosed = true;
      return line().ending;
    },
  });
  const config = { kind: 'stdio', command: 'x', args: [], env: {} } as const;
  const server = new Server({ name: 's', origin: { scope, file: 'f' }, config, isForeign: false }, ports, false);
  onTestFinished(() => server.close());
  const stage: ServerStage = {
    server,
    clock,
    warnings,
    lines,
    lists: 0,
    tools: async () => ['one'],
    connect: async ({ connection }) => ({ ok: true, connection }),
    whyNotAgain: async () => undefined,
    names: () => server.offer?.listed.map(({ name }) => name) ?? [],
  };
  return stage;
}
