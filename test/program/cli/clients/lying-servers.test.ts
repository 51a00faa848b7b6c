/** A client whose in-process servers lie, are silent or go away: the server fails, the session lives. */

import { beforeAll, describe, expect, it } from 'vitest';
import { callsFor, mcpNames, resultsIn } from '../../../support/mcp/told.js';
import { buildProgram } from '../../../support/program.js';
import { untilFound } from '../../../support/until.js';
import { setPlainStage } from '../plain/plain-stage.js';

beforeAll(buildProgram, 120_000);

const ARGS = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json', '--allowedTools=mcp__s'];

type Json = Readonly<Record<string, unknown>>;
type Message = { readonly id?: number; readonly method?: string };
/** What the client answers to a message: a JSON-RPC result, a whole control response, or nothing at all. */
type Answer = { readonly result: object } | { readonly response: unknown } | { readonly error: string } | undefined;

const HONEST: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'one', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
};

const honest = ({ method = '' }: Message): Answer => ({ result: HONEST[method] ?? {} });

async function startClient(answer: (message: Message) => Answer) {
  const stage = await setPlainStage([...callsFor('call', [{ tool: 'mcp__s__one', input: {} }]), { reply: 'ok' }]);
  const program = stage.pipe(ARGS, { MCP_TIMEOUT: '1500' });
  const send = (line: object) => program.say(JSON.stringify(line));
  const lines = () =>
    program
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Json);
  const forwarded: Message[] = [];
  let seen = 0;
  /** Answers what came since. */
  const serve = () => {
    const fresh = lines().slice(seen);
    seen += fresh.length;
    for (const { type, request_id, request } of fresh) {
      const { subtype, message } = (request ?? {}) as { subtype?: string; message?: Message };
      if (type !== 'control_request' || subtype !== 'mcp_message' || message === undefined) continue;
      forwarded.push(message);
      const given = answer(message);
      if (given === undefined) continue;
      const response =
        'result' in given
          ? { mcp_response: { jsonrpc: '2.0', id: message.id ?? 0, result: given.result } }
          : 'response' in given
            ? given.response
            : undefined;
      const said = 'error' in given ? { subtype: 'error', error: given.error } : { subtype: 'success', response };
      send({ type: 'control_response', response: { ...said, request_id } });
    }
  };
  const untilLine = (is: (line: Json) => boolean, what: string) =>
    untilFound(() => {
      serve();
      return lines().find(is);
    }, what);
  let requests = 0;
  const request = async (fields: object) => {
    const request_id = `r${++requests}`;
    send({ type: 'control_request', request_id, request: fields });
    const found = await untilLine(
      ({ type, response }) => type === 'control_response' && (response as Json).request_id === request_id,
      JSON.stringify(fields),
    );
    return found.response as { readonly subtype: string; readonly response?: Json; readonly error?: string };
  };
  let prompts = 0;
  const ask = async (content: string) => {
    prompts += 1;
    send({ type: 'user', message: { role: 'user', content } });
    await untilFound(() => {
      serve();
      return lines().filter(({ type }) => type === 'result')[prompts - 1];
    }, `the result of ${content}`);
  };
  const status = async () => {
    const { response } = await request({ subtype: 'mcp_status' });
    const [server] = (response?.mcpServers ?? []) as { status: string; error?: string }[];
    return server;
  };
  await request({ subtype: 'initialize', sdkMcpServers: ['s'] });
  return { stage, program, request, ask, status, lines, forwarded };
}

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
