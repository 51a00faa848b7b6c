/** MCP servers of the Agent SDK: in its own process, and given as entries. The real SDK on the real program. */

import { beforeAll, describe, expect, it } from 'vitest';
import { driveBySdk } from '../../../program/cli/clients/requests-stage.js';
import { makeCalc, RULES, text } from '../../../program/cli/clients/sdk-servers-stage.js';
import { smallServer } from '../../../support/mcp/small-server.js';
import { callsFor, mcpNames, resultsIn } from '../../../support/mcp/told.js';
import { serve } from '../../../support/plain-server.js';
import { buildProgram } from '../../../support/program.js';
import { serveMcp } from '../../../unit/tools/mcp/connect/http-server.js';

beforeAll(buildProgram);

describe('CL-2: servers in the client’s process', () => {
  it('CL-2: a call that takes longer than the server’s timeout fails, its handler is notified, and the session continues', async () => {
    let cancelled = () => {};
    const told = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    const onCall = (signal: AbortSignal) =>
      new Promise<void>(() => signal.addEventListener('abort', () => cancelled(), { once: true }));
    const calc = makeCalc({ timeout: 1_000, onCall });
    const run = await driveBySdk(RULES, { mcpServers: { calc }, allowedTools: ['mcp__calc'] });
    expect(await run.ask('add')).toMatchObject({ subtype: 'success' });
    expect(resultsIn(run.sim.requests.at(-1))[0]).toMatchObject({
      isError: true,
      text: expect.stringContaining('no answer within 1 s'),
    });
    await told;
    expect(await run.ask('more')).toMatchObject({ result: 'ok' });
    await run.end();
  });
});

describe('CL-2: servers as entries', () => {
  it('CL-2: stdio, http and sse in mcpServers are used; with strictMcpConfig no others', async () => {
    const http = await serveMcp();
    const sse = await serveSse();
    const rules = [
      ...callsFor('call', [
        { tool: 'mcp__web__one', input: {} },
        { tool: 'mcp__old__ping', input: {} },
      ]),
    ];
    const run = await driveBySdk([...rules, { reply: 'ok' }], async (stage) => {
      await stage.settings({ mcpServers: { file: smallServer() } });
      return {
        mcpServers: {
          local: { type: 'stdio', ...smallServer() },
          web: { type: 'http', url: http.url, headers: { 'X-Mine': 'yes' } },
          old: { type: 'sse', url: sse },
        },
        strictMcpConfig: true,
        allowedTools: ['mcp__web', 'mcp__old'],
      };
    });
    await run.ask('call');
    expect(mcpNames(run.sim.requests.at(-1))).toEqual(['mcp__local__echo', 'mcp__old__ping', 'mcp__web__one']);
    expect(resultsIn(run.sim.requests.at(-1)).map((one) => one.text)).toEqual(['this is one', 'by sse']);
    expect(http.heard.every(({ headers }) => headers['x-mine'] === 'yes')).toBe(true);
    const status = await run.query.mcpServerStatus();
    expect(status.map(({ name, scope, config }) => [name, scope, config?.type])).toEqual([
      ['local', 'dynamic', 'stdio'],
      ['old', 'dynamic', 'sse'],
      ['web', 'dynamic', 'http'],
    ]);
    expect(JSON.stringify(status)).not.toContain('MCP_TEST');
    await run.end();
  });
});

/** Speaks by server-sent events, as it was before. */
async function serveSse(): Promise<string> {
  let say = (_message: object) => {};
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'old', version: '1' },
    },
    'tools/list': { tools: [{ name: 'ping', inputSchema: { type: 'object' } }] },
    'tools/call': text('by sse'),
  };
  const { url } = await serve((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /post\n\n');
      say = (message) => response.write(`data: ${JSON.stringify(message)}\n\n`);
      return;
    }
    let body = '';
    request.on('data', (piece: Buffer) => {
      body += piece;
    });
    request.on('end', () => {
      const { id, method } = JSON.parse(body);
      response.writeHead(202).end();
      if (id !== undefined) say({ jsonrpc: '2.0', id, result: results[method] ?? {} });
    });
  });
  return `${url}/sse`;
}
