/** Tokens in use: from disk, renewed once under a lock, kept through trouble, never for anybody else (MC-25). */

import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Host } from '../../../../../src/host/host.js';
import { openAuth } from '../../../../../src/tools/mcp/oauth/open-auth.js';
import type { RemoteServer } from '../../../../../src/tools/mcp/oauth/remote-server.js';
import { signOut } from '../../../../../src/tools/mcp/oauth/sign-out.js';
import { ManualClock } from '../../../../support/hosts/manual-clock.js';
import { json, type SeenRequest, type SignInStage } from '../../../../support/mcp/authorisation-server.js';
import { act, makeHost, remote } from '../../../../support/mcp/sign-in-actor.js';
import { until } from '../../../../support/until.js';
import { needRoot } from '../../../../support/users.js';
import { signedIn } from './open-auth-stage.js';

describe('a token', () => {
  it('MC-25: is sent with every request; without one the server is not signed in to, and the error says what to do', async () => {
    const { stage, host, server, kept } = await signedIn();
    const client = await connect(server, host);
    expect((await client.listTools()).tools).toHaveLength(1);
    const { access_token } = await kept();
    const sent = stage.asked.filter(({ method, headers }) => method === 'POST' && headers.authorization !== undefined);
    expect(new Set(sent.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${access_token}`]));
    const failure = await connect(remote(stage.mcpUrl, {}, 'my server'), await makeHost()).catch((error) => error);
    expect(failure).toBeInstanceOf(UnauthorizedError);
    expect(failure.message).toBe("my server needs you to sign in. Run: coppice mcp login 'my server'");
  });

  it('MC-25: that is refused is renewed once, is on disk before it is used, and the request is made again', async () => {
    const { stage, host, server, kept, file, refreshes } = await signedIn();
    const client = await connect(server, host, stage);
    const before = await kept();
    stage.expireAll();
    const onDisk: boolean[] = [];
    stage.behaviour.instead = async ({ path, headers }) => {
      if (path === '/mcp') onDisk.push(`Bearer ${(await kept()).access_token}` === headers.authorization);
      return undefined as never;
    };
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(onDisk).toEqual([true, true]);
    expect(refreshes()).toBe(1);
    const after = await kept();
    expect(after.access_token).not.toBe(before.access_token);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect(stage.requests('/token')[1]?.params.get('resource')).toBe(stage.mcpUrl);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('MC-25: that many requests at once find refused is renewed once', async () => {
    const { stage, host, server, refreshes } = await signedIn();
    const client = await connect(server, host, stage);
    stage.expireAll();
    const lists = await Promise.all(Array.from({ length: 8 }, () => client.listTools()));
    expect(lists.map(({ tools }) => tools.length)).toEqual(Array(8).fill(1));
    expect(refreshes()).toBe(1);
    // And again, at once.
    stage.expireAll();
    await client.listTools();
    expect(refreshes()).toBe(2);
  });

  it('MC-25: is not renewed again for a refusal that comes late, of a request that was sent with the old one', async () => {
    const { stage, host, server, refreshes } = await signedIn();
    const client = await connect(server, host, stage);
    stage.expireAll();
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let count = 0;
    stage.behaviour.instead = async ({ path }) => {
      if (path !== '/mcp') return undefined as never;
      count += 1;
      if (count === 1) await held;
      return undefined as never;
    };
    const late = client.listTools();
    await until(() => count === 1);
    await client.listTools();
    expect(refreshes()).toBe(1);
    // Refused whatever it is by now: it came with the old token.
    letGo();
    expect((await late).tools).toHaveLength(1);
    expect(refreshes()).toBe(1);
  });

  it('MC-25: that is refused again and again makes no loop', async () => {
    const { stage, host, server, refreshes } = await signedIn();
    const client = await connect(server, host, stage);
    stage.behaviour.refusesAll = true;
    const before = stage.asked.length;
    await expect(client.listTools()).rejects.toThrow('401');
    expect(stage.asked.length - before).toBe(2);
    expect(refreshes()).toBe(1);
  });

  it('MC-25: that has expired is renewed before it is used', async () => {
    const { stage, host, server, kept, refreshes } = await signedIn((one) => {
      one.behaviour.expiresIn = 100;
    });
    const first = (await kept()).access_token;
    const at = (ms: number) =>
      openAuth({ server, host: { ...host, clock: { ...host.clock, now: () => Date.now() + ms } } });
    expect(await at(80_000).token()).toBe(first);
    expect(refreshes()).toBe(0);
    const second = await at(95_000).token();
    expect(second).not.toBe(first);
    expect(refreshes()).toBe(1);
    // Not to be renewed for now: while it lasts it is used, then the reason is told.
    stage.behaviour.instead = ({ path }) => (path === '/token' ? { status: 503 } : undefined);
    stage.behaviour.expiresIn = undefined;
    expect(await at(190_000).token()).toBe(second);
    await expect(at(1_000_000).token()).rejects.toThrow(/can't be renewed now: .*HTTP 503\. It is kept/);
  });

  it('MC-25: is kept when the authorization server fails or can’t be reached, and used again later', async () => {
    const { stage, host, server, kept } = await signedIn();
    const before = await kept();
    const refuse = { response: new Response(null, { status: 401 }), serverUrl: new URL(stage.mcpUrl), fetchFn: fetch };
    const attempt = async () => {
      const auth = openAuth({ server, host });
      await auth.token();
      const failure = await auth.onUnauthorized?.(refuse).then(
        () => undefined,
        (error: Error) => error,
      );
      expect(failure).not.toBeInstanceOf(UnauthorizedError);
      expect(await kept()).toEqual(before);
      return failure?.message;
    };
    for (const answer of [
      { status: 500, body: `oops ${before.refresh_token}` },
      { status: 200, body: 'x'.repeat(2_000_000) },
      { status: 302, headers: { location: 'http://localhost:9/token' } },
      json(429, { error: 'slow_down', error_description: `not ${before.refresh_token} ${before.access_token}` }),
      json(200, { access_token: 7, token_type: 'Bearer', refresh_token: before.refresh_token }),
      json(200, { access_token: 'x\r\ny', token_type: 'Bearer' }),
    ]) {
      stage.behaviour.instead = ({ path }) => (path === '/token' ? answer : undefined);
      const message = await attempt();
      expect(message).toContain('guarded: the sign-in can');
      expect(message).not.toContain(before.refresh_token);
      expect(message).not.toContain(before.access_token);
    }
    const slow = { ...host, clock: new ManualClock() };
    stage.behaviour.instead = async ({ path }) => {
      if (path === '/token') await slow.clock.advance(30_000);
      return path === '/token' ? new Promise<never>(() => {}) : (undefined as never);
    };
    const auth = openAuth({ server, host: slow });
    await auth.token();
    await expect(auth.onUnauthorized?.(refuse)).rejects.toThrow('did not answer within 30 s');
    expect(await kept()).toEqual(before);
    stage.behaviour.instead = () => undefined;
    stage.expireAll();
    expect((await (await connect(server, host)).listTools()).tools).toHaveLength(1);
  });

  it('MC-25: whose grant has ended is removed, and a sign-in is needed', async () => {
    const { stage, host, server, file } = await signedIn();
    stage.expireAll();
    stage.endGrants();
    const failure = await connect(server, host).catch((error) => error);
    expect(failure).toBeInstanceOf(UnauthorizedError);
    expect(failure.message).toContain('the sign-in has ended (invalid_grant: unknown token …)');
    expect(failure.message).toContain('coppice mcp login guarded');
    expect(await stat(file).catch(() => 'gone')).toBe('gone');
    expect(await readdir(dirname(file))).toEqual([]);
  });

  it('MC-25: without a refresh token ends with a sign-in, and no request to the authorization server', async () => {
    const { stage, host, server, refreshes } = await signedIn((one) => {
      one.behaviour.refreshes = false;
    });
    stage.expireAll();
    const failure = await connect(server, host).catch((error) => error);
    expect(failure).toBeInstanceOf(UnauthorizedError);
    expect(failure.message).toContain('has expired');
    expect(refreshes()).toBe(0);
  });
});

describe('a token belongs to', () => {
  it('MC-25: a URL, not to a name: another name shares it, another URL gets nothing', async () => {
    const { stage, host, kept } = await signedIn();
    const { access_token } = await kept();
    const tokenFor = (server: RemoteServer) => openAuth({ server, host }).token();
    expect(await tokenFor(remote(stage.mcpUrl, {}, 'other'))).toBe(access_token);
    expect(await tokenFor(remote(`${stage.mcpUrl}#part`))).toBe(access_token);
    for (const url of [
      `${stage.mcpUrl}/else`,
      `${stage.mcpUrl}?tenant=2`,
      stage.mcpUrl.replace('localhost', '127.0.0.1'),
    ]) {
      expect(await tokenFor(remote(url))).toBe(undefined);
    }
  });

  it('MC-25: its issuer: where another one is configured it is not used', async () => {
    const { stage, host, kept } = await signedIn();
    const tokenWith = (authServerMetadataUrl: string) =>
      openAuth({ server: remote(stage.mcpUrl, { oauth: { authServerMetadataUrl } }), host }).token();
    expect(await tokenWith(`${stage.issuer}/.well-known/oauth-authorization-server`)).toBe((await kept()).access_token);
    expect(await tokenWith('https://other.example/.well-known/oauth-authorization-server')).toBe(undefined);
  });

  it('MC-25: its origin: it goes nowhere else, and to no server with a fixed Authorization header', async () => {
    const { stage, host, server } = await signedIn();
    const auth = openAuth({ server, host });
    const sent: string[] = [];
    const watched = auth.watch(async (url) => {
      sent.push(String(url));
      return new Response();
    });
    const headers = { Authorization: `Bearer ${await auth.token()}` };
    await expect(watched('http://localhost:9/mcp', { headers })).rejects.toThrow('is not sent to http://localhost:9');
    await watched(`${new URL(stage.mcpUrl).origin}/other`, { headers });
    expect(sent).toHaveLength(1);

    const fixed = openAuth({ server: remote(stage.mcpUrl, { headers: { Authorization: 'Bearer own' } }), host });
    expect(await fixed.token()).toBe(undefined);
    const refused = { response: new Response(null, { status: 401 }), serverUrl: new URL(stage.mcpUrl), fetchFn: fetch };
    const failure = await fixed.onUnauthorized?.(refused).catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(UnauthorizedError);
    expect(failure).toBeInstanceOf(Error);
  });
});

describe('the file of a sign-in', () => {
  it('MC-25: that is damaged is told and left; a new sign-in sets it aside', async () => {
    const { host, server, file } = await signedIn();
    await writeFile(file, '{"version": 1, "access_token"');
    const failure = await connect(server, host).catch((error) => error);
    expect(failure).toBeInstanceOf(UnauthorizedError);
    expect(failure.message).toContain(`${file} is damaged`);
    expect(await readFile(file, 'utf8')).toBe('{"version": 1, "access_token"');
    const { outcome } = await act({ server, host });
    if (!outcome.ok || outcome.setAside === undefined) throw new Error('not set aside');
    expect(await readFile(outcome.setAside, 'utf8')).toBe('{"version": 1, "access_token"');
    expect((await (await connect(server, host)).listTools()).tools).toHaveLength(1);
  });

  it('MC-25: that belongs to another user is told and left', async (context) => {
    needRoot(context);
    const { stage, host, server, file } = await signedIn();
    await chown(file, 65_534, 65_534);
    await expect(openAuth({ server, host }).token()).rejects.toThrow('belongs to another user (65534)');
    expect(await signOut({ server, host, signal: new AbortController().signal })).toMatchObject({ ok: false });
    expect((await stat(file)).uid).toBe(65_534);
    expect(stage.requests('/revoke')).toEqual([]);
  });

  it('MC-8: that others may read is theirs no longer after the next change', async () => {
    const { stage, host, server, file } = await signedIn();
    await chmod(file, 0o644);
    stage.expireAll();
    await connect(server, host);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

/** As the connection does it. */
async function connect(server: RemoteServer, host: Host, stage?: SignInStage) {
  const auth = openAuth({ server, host });
  const transport = new StreamableHTTPClientTransport(new URL(server.config.url), {
    authProvider: auth,
    fetch: auth.watch(await host.network.webFetch(host.env)) as typeof fetch,
    requestInit: { headers: { ...server.config.headers } },
  });
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  // The transport asks for a stream by itself: no test is about that.
  const isStream = ({ method, headers }: SeenRequest) => method === 'GET' && headers.authorization !== undefined;
  if (stage !== undefined) await until(() => stage.asked.some(isStream), 'the stream was asked for');
  return client;
}
