/** What signs the requests to a remote server: headers, a command that prints them, a provider of tokens. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../../../support/until.js';
import { callOptions, setStage, textOf } from './connect-stage.js';
import { type HttpServer, serveMcp } from './http-server.js';

const keyed = (server: HttpServer, headersHelper: string, headers = {}) =>
  ({ kind: 'http', url: server.url, headers, headersHelper }) as const;

it('MC-26: a headersHelper runs at each connect, over static headers, in the right folder and environment', async () => {
  const stage = await setStage((host) => host, { SECRET: 's' });
  mkdirSync(join(stage.folder, '.claude'));
  const log = join(stage.folder, 'log');
  const helper = `echo "$PWD $CLAUDE_CODE_MCP_SERVER_NAME $CLAUDE_CODE_MCP_SERVER_URL [$SECRET]" >> ${log}; echo '{"X-Key": "helped"}'`;
  const server = await serveMcp();
  const environment = () => ({ env: { PATH: process.env.PATH }, withheld: ['SECRET'] });
  const config = keyed(server, helper, { 'x-key': 'static', 'x-other': 'o' });
  const own = await stage.open(config, { environment });
  await own.callTool('one', {}, callOptions());
  await stage.open(config, { environment, isForeign: true, name: 'two' });
  expect(server.heard.every(({ headers }) => headers['x-key'] === 'helped' && headers['x-other'] === 'o')).toBe(true);
  expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual([
    `${stage.folder}/.claude one ${server.url} []`,
    `${stage.folder} two ${server.url} []`,
  ]);
});

it.each([401, 403])('MC-26: on %i it runs once more, and the request is sent again once', async (status) => {
  const stage = await setStage();
  mkdirSync(join(stage.folder, '.claude'));
  const count = join(stage.folder, 'count');
  writeFileSync(count, '');
  let wanted = '1';
  const server = await serveMcp(
    ({ headers, response }) => headers['x-run'] !== wanted && response.writeHead(status).end() && true,
  );
  const helper = `printf x >> ${count}; echo "{\\"x-run\\": \\"$(wc -c < ${count} | tr -d ' ')\\"}"`;
  const connection = await stage.open(keyed(server, helper));
  wanted = '2';
  expect(textOf(await connection.callTool('one', {}, callOptions()))).toBe('this is one');
  expect(readFileSync(count, 'utf8')).toBe('xx');
  wanted = 'never';
  await expect(connection.callTool('one', {}, callOptions())).rejects.toThrow(
    status === 401 ? 'wants a sign-in' : 'HTTP status 403',
  );
  expect(readFileSync(count, 'utf8')).toBe('xxx');
  expect(server.count('tools/call')).toBe(4);
});

it('MC-26: calls that are refused at the same time share one run', async () => {
  const stage = await setStage();
  mkdirSync(join(stage.folder, '.claude'));
  const count = join(stage.folder, 'count');
  let late: (() => void) | undefined;
  const server = await serveMcp(({ headers, message, response }) => {
    if (message.method !== 'tools/call' || headers['x-run'] === '2') return false;
    const refuse = () => void response.writeHead(401).end();
    if (message.params?.name === 'late') late = refuse;
    else refuse();
    return true;
  });
  const helper = `printf x >> ${count}; echo "{\\"x-run\\": \\"$(wc -c < ${count} | tr -d ' ')\\"}"`;
  const connection = await stage.open(keyed(server, helper));
  const second = connection.callTool('late', {}, callOptions());
  expect(textOf(await connection.callTool('first', {}, callOptions()))).toBe('this is first');
  await until(() => late !== undefined);
  late?.();
  expect(textOf(await second)).toBe('this is late');
  expect(readFileSync(count, 'utf8')).toBe('xx');
});

/** A helper that writes down each run, and what may be said against it. */
async function setCheckedStage() {
  const stage = await setStage((host) => ({
    ...host,
    clock: { ...host.clock, sleep: (ms, signal) => host.clock.sleep(ms / 200, signal) },
  }));
  mkdirSync(join(stage.folder, '.claude'));
  const count = join(stage.folder, 'count');
  writeFileSync(count, '');
  const asked = { times: 0, refusal: undefined as string | undefined };
  const mayRun = async () => {
    asked.times += 1;
    return asked.refusal;
  };
  const helper = `printf x >> ${count}; echo '{"x-key": "helped"}'`;
  return { stage, helper, mayRun, asked, runs: () => readFileSync(count, 'utf8').length };
}

it('MC-26, MC-2, GT-3: a helper that has changed since it was approved does not run at a new try to connect', async () => {
  const { stage, helper, mayRun, asked, runs } = await setCheckedStage();
  const server = await serveMcp(({ response }) => {
    asked.refusal = 'its script has changed';
    return response.writeHead(503).end() && true;
  });
  const failed = await stage.connect(keyed(server, helper), { mayRun });
  expect(failed).toMatchObject({ ok: false, reason: 'its headersHelper is not run: its script has changed' });
  expect([runs(), asked.times, server.heard.length]).toEqual([1, 2, 1]);
});

it.each([401, 403])('MC-26, MC-2, GT-3: nor on %i, and the reason is reported', async (status) => {
  const { stage, helper, mayRun, asked, runs } = await setCheckedStage();
  const server = await serveMcp(
    ({ message, response }) => message.method === 'tools/call' && response.writeHead(status).end() && true,
  );
  const connection = await stage.open(keyed(server, helper), { mayRun });
  asked.refusal = 'its script has changed';
  await expect(connection.callTool('one', {}, callOptions())).rejects.toThrow(
    `the server refuses the request (${status}), and its headersHelper is not run: its script has changed`,
  );
  expect([runs(), server.count('tools/call')]).toEqual([1, 1]);
  asked.refusal = undefined;
  await expect(connection.callTool('one', {}, callOptions())).rejects.toThrow();
  expect([runs(), server.count('tools/call')]).toEqual([2, 3]);
});

it('MC-26, MC-2, GT-3: nor when a connection is reopened', async () => {
  const { stage, helper, mayRun, asked, runs } = await setCheckedStage();
  const server = await serveMcp();
  const connection = await stage.open(keyed(server, helper), { mayRun });
  asked.refusal = 'its script has changed';
  server.session = 'second';
  await expect(connection.callTool('one', {}, callOptions())).rejects.toThrow('is not run: its script has changed');
  expect([runs(), server.count('initialize'), asked.times]).toEqual([1, 1, 2]);
  expect(stage.losses).toEqual(['its headersHelper is not run: its script has changed']);
});

it.each([
  ['exit 3', 'failed with exit code 3'],
  ['echo secret-words', 'must print a JSON object of strings'],
  ['echo \'{"a": 1, "b": "secret-words"}\'', 'must print a JSON object of strings'],
  ['echo \'["secret-words"]\'', 'must print a JSON object of strings'],
  ['echo \'{"bad name": "secret-words"}\'', 'must print a JSON object of strings'],
  ['yes secret-words', 'printed more than 64 KB'],
  ['echo secret-words >&2; echo secret-words; exit 1', 'failed with exit code 1'],
])(
  'MC-26: a helper that runs `%s` fails the connect, and nothing it printed is told',
  async (headersHelper, reason) => {
    const stage = await setStage();
    mkdirSync(join(stage.folder, '.claude'));
    const server = await serveMcp();
    const command = headersHelper.startsWith('yes') ? 'yes secret-words | head -c 200000' : headersHelper;
    const failed = await stage.connect(keyed(server, command));
    expect(failed).toMatchObject({ ok: false, kind: 'failed', reason: expect.stringContaining(reason) });
    expect(JSON.stringify(failed)).not.toContain('secret-words');
    expect(server.heard).toEqual([]);
  },
);

it('MC-26: a helper that hangs ends with what asked for it', async () => {
  const stage = await setStage();
  mkdirSync(join(stage.folder, '.claude'));
  const begun = join(stage.folder, 'begun');
  const server = await serveMcp();
  const stop = new AbortController();
  const connecting = stage.connect(keyed(server, `touch ${begun}; sleep 1000`), { signal: stop.signal });
  await until(() => existsSync(begun));
  stop.abort();
  expect(await connecting).toMatchObject({
    ok: false,
    reason: expect.stringContaining('its headersHelper was stopped'),
  });
});

it('MC-25: a provider of tokens signs requests and renews once on 401; other origins get no headers of the entry', async () => {
  const stage = await setStage();
  let valid = 'first';
  let token = 'first';
  const refused = (headers: { authorization?: string | undefined }) => headers.authorization !== `Bearer ${valid}`;
  const server = await serveMcp(({ headers, response }) => refused(headers) && response.writeHead(401).end() && true);
  const other = await serveMcp(({ response }) => response.writeHead(200).end() && true);
  const auth = {
    watch: (fetch: unknown) => fetch,
    token: async () => token,
    onUnauthorized: async ({ fetchFn }: { fetchFn: (url: string) => Promise<Response> }) => {
      await fetchFn(other.url);
      token = 'second';
    },
  };
  const config = { kind: 'http', url: server.url, headers: { 'x-key': 'only for one' } } as const;
  const connection = await stage.open(config, { auth: auth as never });
  valid = 'second';
  expect(textOf(await connection.callTool('one', {}, callOptions()))).toBe('this is one');
  expect(other.heard.length).toBeGreaterThan(0);
  expect(other.heard.every(({ headers }) => headers['x-key'] === undefined)).toBe(true);
  valid = 'third';
  await expect(connection.callTool('one', {}, callOptions())).rejects.toThrow('run: coppice mcp login one');
  expect(stage.losses).toEqual([]);
  expect(await stage.connect(config, { auth: auth as never })).toMatchObject({ ok: false, kind: 'needs-sign-in' });
});

it('MC-25: with an Authorization of the configuration no provider is asked, also if a helper printed it', async () => {
  const stage = await setStage();
  mkdirSync(join(stage.folder, '.claude'));
  const server = await serveMcp(
    ({ headers, response }) => headers.authorization !== 'Bearer right' && response.writeHead(401).end() && true,
  );
  const auth = { token: () => expect.unreachable(), onUnauthorized: () => expect.unreachable() } as never;
  await stage.open({ kind: 'http', url: server.url, headers: { Authorization: 'Bearer right' } }, { auth });
  const helped = await stage.connect(keyed(server, `echo '{"authorization": "Bearer wrong"}'`), { auth });
  expect(helped).toMatchObject({ ok: false, kind: 'refused' });
});

it('MC-1: an invalid header is reported', async () => {
  const stage = await setStage();
  const config = { kind: 'http', url: 'http://localhost:1/', headers: { 'x-key': 'a\nb' } } as const;
  expect(await stage.connect(config)).toMatchObject({
    ok: false,
    kind: 'refused',
    reason: expect.stringContaining('header'),
  });
});
