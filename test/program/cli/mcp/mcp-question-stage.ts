/** What the tests of mcp-question.test.ts share with those of test:long. */

import { openTrust } from '../../../../src/config/trust.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { runProgram } from '../../../support/program.js';
import type { PlainStage } from '../plain/plain-stage.js';

export const REPLY = [{ reply: 'Hello.' }];

export const mcp = (mcpServers: object) => JSON.stringify({ mcpServers });

/** Never started here: the question comes first, and the program is nowhere. */
export const runs = (name: string) => ({ command: `no-such-server-${name}` });

export const states = async (stage: PlainStage) => {
  const { stdout } = await runProgram(['mcp', 'list', '--json'], stage.at);
  const { servers } = JSON.parse(stdout) as { servers: { name: string; status: string }[] };
  return Object.fromEntries(servers.map(({ name, status }) => [name, status]));
};

export const trust = (stage: PlainStage) => openTrust(nodeHost(stage.folder, stage.env)).trust(stage.folder);
