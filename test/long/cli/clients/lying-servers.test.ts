/** A client whose in-process servers lie, are silent or go away: the server fails, the session lives. */

import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, honest, startClient } from '../../../program/cli/clients/hostile/lying-servers-stage.js';
import { mcpNames, resultsIn } from '../../../support/mcp/told.js';
import { buildProgram } from '../../../support/program.js';

beforeAll(buildProgram);

describe('CL-8: answers of a client’s servers', () => {
  it.each<[string, Answer, RegExp]>([
    ['another id', { response: { mcp_response: { jsonrpc: '2.0', id: 999, result: {} } } }, /something else/],
    ['a request', { response: { mcp_response: { jsonrpc: '2.0', id: 0, method: 'ping' } } }, /something else/],
    ['garbage', { response: 'hello' }, /something else/],
    ['nothing in it', { response: {} }, /something else/],
    ['an error', { error: 'there is no such server here' }, /there is no such server here/],
    ['a wrong result', { result: { protocolVersion: 7 } }, /./],
    ['silence', undefined, /did not answer within 1.5 seconds/],
  ])('CL-8: %s to the handshake fails the server, and the session works without it', async (_, lie, reason) => {
    const client = await startClient(() => lie);
    await client.ask('hello');
    expect(await client.status()).toMatchObject({ status: 'failed', error: expect.stringMatching(reason) });
    expect(mcpNames(client.stage.sim.requests.at(-1))).toEqual([]);
    expect(await client.program.end()).toBe(0);
  });

  it.each<[string, Answer]>([
    ['another id', { response: { mcp_response: { jsonrpc: '2.0', id: 999, result: {} } } }],
    ['garbage', { response: [1] }],
    ['an error', { error: 'it broke' }],
  ])('CL-8: %s to a call is an error for the model; the next call works', async (_, lie) => {
    let isLying = true;
    const client = await startClient((message) => (message.method === 'tools/call' && isLying ? lie : honest(message)));
    await client.ask('call');
    expect(resultsIn(client.stage.sim.requests.at(-1))).toMatchObject([{ isError: true }]);
    isLying = false;
    await client.ask('call');
    expect(resultsIn(client.stage.sim.requests.at(-1)).at(-1)).toMatchObject({ isError: false, text: 'done' });
    expect(await client.program.end()).toBe(0);
  });
});
