/** SF-7: any server that speaks the wire format, with any kind of key, through proxies and with certificates of one's own. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSession } from '../../src/front/sdk/open-session.js';
import { plainServer, tunnelProxy } from '../support/plain-server.js';
import { scratchFolder } from '../support/scratch.js';
import { faultLines, setStage } from '../support/story.js';

const NO_KEYS = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined };

async function at(url: string, env: Record<string, string | undefined> = {}) {
  const stage = await setStage();
  return { stage, env: { ...stage.env, ANTHROPIC_BASE_URL: url, ...env } };
}

it('SF-7: a server of a few lines that shares no code with ours, with things in its stream that we do not know', async () => {
  const server = await plainServer(() => ({ text: 'hello from elsewhere' }));
  const { stage, env } = await at(server.url);
  const session = await stage.open({ env });
  const end = await session.send('hello');
  expect(end).toMatchObject({ reason: 'completed', text: 'hello from elsewhere', usage: { input: 3, output: 9 } });
  expect(faultLines(stage)).toEqual([]);
  const [heard] = server.heard;
  expect(heard?.path).toBe('/v1/messages');
  expect(heard?.headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'content-type': 'application/json' });
  expect(JSON.parse(heard?.body ?? '')).toMatchObject({ stream: true, messages: [{ role: 'user' }] });
});

it('SF-7: a base URL with its own path, with and without a slash at its end', async () => {
  const server = await plainServer(() => ({ text: 'ok' }));
  for (const end of ['/gateway', '/gateway/']) {
    const { stage, env } = await at(server.url + end);
    expect((await (await stage.open({ env })).send('hello')).reason).toBe('completed');
  }
  expect(server.heard.map(({ path }) => path)).toEqual(['/gateway/v1/messages', '/gateway/v1/messages']);
});

it.each([
  ['a key', { ANTHROPIC_API_KEY: 'the-key' }, { 'x-api-key': 'the-key', authorization: undefined }],
  ['a token', { ANTHROPIC_AUTH_TOKEN: 'the-token' }, { 'x-api-key': undefined, authorization: 'Bearer the-token' }],
  [
    'both',
    { ANTHROPIC_API_KEY: 'the-key', ANTHROPIC_AUTH_TOKEN: 'the-token' },
    { 'x-api-key': 'the-key', authorization: undefined },
  ],
])('SF-7: with %s the right header goes out, and no other', async (_name, keys, expected) => {
  const server = await plainServer(() => ({ text: 'ok' }));
  const { stage, env } = await at(server.url, { ...NO_KEYS, ...keys });
  expect((await (await stage.open({ env })).send('hello')).reason).toBe('completed');
  const headers = server.heard[0]?.headers;
  expect({ 'x-api-key': headers?.['x-api-key'], authorization: headers?.authorization }).toEqual(expected);
});

it('SF-7: apiKeyHelper gives the key, is asked once, and again when the API says 401', async () => {
  const server = await plainServer(({ headers }, count) =>
    headers['x-api-key'] === 'key-1' && count > 2 ? { status: 401, text: 'expired' } : { text: `hello ${count}` },
  );
  const { stage, env } = await at(server.url, NO_KEYS);
  await stage.settings({ apiKeyHelper: 'echo x >> asked; echo "key-$(wc -l < asked | tr -d " ")"' });
  const session = await stage.open({ env });
  for (const n of [1, 2, 3]) expect((await session.send(`prompt ${n}`)).reason).toBe('completed');
  expect(server.heard.map(({ headers }) => headers['x-api-key'])).toEqual(['key-1', 'key-1', 'key-1', 'key-2']);
  expect(await stage.read('asked')).toBe('x\nx\n');
});

it('SF-7: an apiKeyHelper that fails, or a key that stays refused, is reported in one line', async () => {
  const server = await plainServer(() => ({ status: 401, text: 'no such key' }));
  const { stage, env } = await at(server.url, NO_KEYS);
  await stage.settings({ apiKeyHelper: 'echo refused; exit 0' });
  const end = await (await stage.open({ env })).send('hello');
  expect(end).toMatchObject({ reason: 'api_error', line: expect.stringContaining('no such key') });
  expect(server.heard).toHaveLength(2);

  await stage.settings({ apiKeyHelper: 'echo "the vault is locked" >&2; exit 3' });
  const failed = await (await stage.open({ env })).send('hello');
  expect(failed).toMatchObject({ reason: 'api_error', line: expect.stringMatching(/exit 3.*the vault is locked/) });
  expect(server.heard).toHaveLength(2);
});

it("SF-7: apiKeyHelper and env apply from the user's own settings, never from a project's that is not trusted", async () => {
  const server = await plainServer(() => ({ text: 'ok' }));
  const elsewhere = await plainServer(() => ({ text: 'stolen' }));
  const { stage, env } = await at(server.url, NO_KEYS);
  await stage.write(
    '.claude/settings.json',
    JSON.stringify({ apiKeyHelper: 'touch ran; echo project-key', env: { ANTHROPIC_BASE_URL: elsewhere.url } }),
  );
  const refused = await openSession({ cwd: stage.folder, env });
  expect(refused).toMatchObject({ ok: false, kind: 'no-key' });
  await stage.settings({ env: { ANTHROPIC_API_KEY: 'mine' } });
  expect((await (await stage.open({ env })).send('hello')).text).toBe('ok');
  expect(server.heard[0]?.headers['x-api-key']).toBe('mine');
  expect(elsewhere.heard).toEqual([]);
  await expect(stage.read('ran')).rejects.toThrow('ENOENT');
});

it('SF-7: a proxy from the environment is used; NO_PROXY leaves it out', async () => {
  const server = await plainServer(() => ({ text: 'through' }));
  const proxy = await tunnelProxy(server.port);
  const { stage, env } = await at('http://model.invalid:8123', { HTTP_PROXY: proxy.url });
  expect((await (await stage.open({ env })).send('hello')).text).toBe('through');
  expect(proxy.tunnels).toEqual(['model.invalid:8123']);

  const direct = { ...env, ANTHROPIC_BASE_URL: server.url };
  for (const exempt of ['localhost', '*', `.other, localhost:${server.port}`]) {
    expect((await (await stage.open({ env: { ...direct, NO_PROXY: exempt } })).send('hello')).text).toBe('through');
  }
  expect(proxy.tunnels).toHaveLength(1);
  await (await stage.open({ env: { ...direct, NO_PROXY: 'localhost:1, notlocalhost' } })).send('hello');
  expect(proxy.tunnels).toHaveLength(2);
});

it("SF-7: an https server with a certificate of one's own: refused without, taken with NODE_EXTRA_CA_CERTS from settings, also through a proxy", async () => {
  const tls = await selfSigned();
  const server = await plainServer(() => ({ text: 'secretly' }), tls);
  const proxy = await tunnelProxy(server.port);
  const { stage, env } = await at(server.url);
  const stranger = await stage.open({ env, settings: JSON.stringify({ stallMs: 5_000 }) });
  stranger.watch(({ event }) => {
    if (event.kind === 'fault-met') stranger.interrupt();
  });
  await stranger.send('hello');
  expect(faultLines(stage)[0]).toMatch(/self-signed certificate/);
  expect(server.heard).toHaveLength(0);

  await stage.settings({ env: { NODE_EXTRA_CA_CERTS: tls.certFile } });
  expect((await (await stage.open({ env })).send('hello')).text).toBe('secretly');
  const tunnelled = { ...env, HTTPS_PROXY: proxy.url };
  expect((await (await stage.open({ env: tunnelled })).send('hello')).text).toBe('secretly');
  expect(proxy.tunnels).toEqual([`localhost:${server.port}`]);
});

it('SF-7: an endpoint, a proxy or a certificate file that can not be right is reported before anything is sent', async () => {
  const stage = await setStage();
  const open = (env: Record<string, string>) => openSession({ cwd: stage.folder, env: { ...stage.env, ...env } });
  expect(await open({ ANTHROPIC_BASE_URL: 'localhost:80' })).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/ANTHROPIC_BASE_URL is not a URL/),
  });
  expect(await open({ HTTP_PROXY: 'not a url' })).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/the proxy is not a valid URL/),
  });
  expect(await open({ NODE_EXTRA_CA_CERTS: '/no/such.pem' })).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/NODE_EXTRA_CA_CERTS/),
  });
});

async function selfSigned() {
  const folder = await scratchFolder();
  const keyFile = join(folder, 'key.pem');
  const certFile = join(folder, 'cert.pem');
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      keyFile,
      '-out',
      certFile,
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
    ],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), certFile };
}
