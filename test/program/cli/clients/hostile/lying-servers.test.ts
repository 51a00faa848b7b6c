/** A client whose in-process servers lie, are silent or go away: the server fails, the session lives. */

import { beforeAll, describe, expect, it } from 'vitest';
import { resultsIn } from '../../../../support/mcp/told.js';
import { buildProgram } from '../../../../support/program.js';
import { untilFound } from '../../../../support/until.js';
import { setPlainStage } from '../../plain/plain-stage.js';
import { ARGS, HONEST, honest, startClient } from './lying-servers-stage.js';

beforeAll(buildProgram);

describe('CL-8: answers of a client’s servers', () => {
  it('CL-8: messages for no server, of no server or no messages are refused; the server stays', async () => {
    const client = await startClient(honest);
    await client.ask('hello');
    const say = (server_name: unknown, message: unknown) =>
      client.request({ subtype: 'mcp_message', server_name, message });
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    expect(await say('other', changed)).toMatchObject({ subtype: 'error', error: 'Server not found: other' });
    expect(await say(undefined, changed)).toMatchObject({ subtype: 'error' });
    expect(await say('s', 'hello')).toMatchObject({ subtype: 'error', error: expect.stringContaining('JSON-RPC') });
    expect(await say('s', { jsonrpc: '2.0', id: 4711, result: {} })).toMatchObject({ subtype: 'success' });
    expect(await say('s', changed)).toMatchObject({ subtype: 'success' });
    await client.ask('call');
    expect(resultsIn(client.stage.sim.requests.at(-1))).toMatchObject([{ isError: false }]);
    expect(await client.program.end()).toBe(0);
  });

  it('CL-3: a server set again may be another object: it is asked for its tools once more', async () => {
    const client = await startClient((message) => {
      const isList = message.method === 'initialize';
      const capabilities = { tools: { listChanged: true } };
      return isList ? { result: { ...HONEST.initialize, capabilities } } : honest(message);
    });
    await client.ask('hello');
    const lists = () => client.forwarded.filter(({ method }) => method === 'tools/list').length;
    const before = lists();
    await client.request({ subtype: 'mcp_set_servers', servers: { s: { type: 'sdk', name: 's' } } });
    await client.ask('hello');
    expect(lists()).toBeGreaterThan(before);
    expect(await client.program.end()).toBe(0);
  });

  it('CL-8: a client that ends its input while a call waits ends the call, and the program', async () => {
    const client = await startClient((message) => (message.method === 'tools/call' ? undefined : honest(message)));
    client.program.say(JSON.stringify({ type: 'user', message: { role: 'user', content: 'call' } }));
    await untilFound(async () => {
      await client.status();
      return client.forwarded.find(({ method }) => method === 'tools/call');
    }, 'the call');
    expect(await client.program.end()).toBe(0);
    expect(resultsIn(client.stage.sim.requests.at(-1))).toMatchObject([{ isError: true }]);
  });

  it('CL-1: what initialize says of servers and we don’t know ends the run, with its name', async () => {
    const stage = await setPlainStage([]);
    for (const [fields, named] of [
      [{ sdkMcpServers: 's' }, 'sdkMcpServers'],
      [{ sdkMcpServers: ['s'], sdkMcpServerConfigs: { s: { connectorId: 'x' } } }, 'sdkMcpServerConfigs.s.connectorId'],
    ] as const) {
      const program = stage.pipe(ARGS);
      program.say(
        JSON.stringify({ type: 'control_request', request_id: '1', request: { subtype: 'initialize', ...fields } }),
      );
      expect(await program.ended).not.toBe(0);
      expect(program.stderr()).toContain(named);
    }
  });
});
