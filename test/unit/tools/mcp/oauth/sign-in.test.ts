/** Signing in to a remote server, with an authorization server of its own and a browser without a screen (MC-8, MC-24). */

import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { coppiceHome, signInFile } from '../../../../../src/config/paths.js';
import type { Host } from '../../../../../src/host/host.js';
import { readSignIn } from '../../../../../src/tools/mcp/oauth/stored-sign-in.js';
import { json, setSignInStage } from '../../../../support/mcp/authorisation-server.js';
import { act, browse, makeHost, remote } from '../../../../support/mcp/sign-in-actor.js';
import { until } from '../../../../support/until.js';

async function kept(host: Host, url: string) {
  const found = await readSignIn(host, new URL(url));
  return found.kind === 'read' ? found.signIn : found.kind;
}

describe('a sign-in', () => {
  it('MC-8, MC-24: discovers, registers, uses PKCE, state and resource, and stores the tokens with mode 0600', async () => {
    const stage = await setSignInStage();
    const host = await makeHost();
    const { outcome, pages, visited } = await act({ server: remote(stage.mcpUrl), host });
    expect(outcome).toEqual({ ok: true, issuer: stage.issuer, isRenewable: true });
    await until(() => pages.length === 1);
    expect(pages[0]).toMatchObject({ status: 200, text: expect.stringContaining('go back to the terminal') });

    const sent = visited[0]?.searchParams;
    const redirect = sent?.get('redirect_uri') ?? '';
    expect(redirect).toMatch(/^http:\/\/localhost:\d+\/callback$/);
    expect(sent?.get('code_challenge_method')).toBe('S256');
    expect(sent?.get('state')).toMatch(/^[0-9a-f]{34}$/);
    expect(sent?.get('resource')).toBe(stage.mcpUrl);
    expect(sent?.has('scope')).toBe(false);
    expect(JSON.parse(stage.requests('/register')[0]?.body ?? '')).toMatchObject({
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    });
    expect(stage.requests('/token')[0]?.params.get('resource')).toBe(stage.mcpUrl);

    const file = signInFile(coppiceHome(host.env), stage.mcpUrl);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
    expect(await kept(host, stage.mcpUrl)).toMatchObject({ issuer: stage.issuer, access_token: [...stage.valid][0] });
    // Nobody listens any longer.
    await expect(browse(redirect)).rejects.toThrow();
  });

  it('MC-24: uses the configured client and port, its secret from MCP_CLIENT_SECRET or asked for, and registers none', async () => {
    const stage = await setSignInStage();
    stage.behaviour.metadata = { token_endpoint_auth_methods_supported: ['client_secret_basic'] };
    const port = await freePort();
    const server = remote(stage.mcpUrl, { oauth: { clientId: 'mine', callbackPort: port } });
    const host = await makeHost({ MCP_CLIENT_SECRET: 's3cret' });
    const { outcome, visited } = await act({ server, host });
    expect(outcome).toMatchObject({ ok: true });
    expect(visited[0]?.searchParams.get('redirect_uri')).toBe(`http://localhost:${port}/callback`);
    expect(stage.requests('/register')).toEqual([]);
    expect(stage.requests('/token')[0]?.headers.authorization).toBe(`Basic ${btoa('mine:s3cret')}`);

    const questions: string[] = [];
    const askSecret = async (question: string) => {
      questions.push(question);
      return 'typed';
    };
    const other = await makeHost();
    expect((await act({ server, host: other, askSecret })).outcome).toMatchObject({ ok: true });
    expect(questions).toEqual([expect.stringContaining('mine')]);
    expect(stage.requests('/token')[1]?.headers.authorization).toBe(`Basic ${btoa('mine:typed')}`);
    // It is known now.
    expect((await act({ server, host: other, askSecret })).outcome).toMatchObject({ ok: true });
    expect(questions).toHaveLength(1);
    // But only to whom it was told.
    const moved = await setSignInStage();
    moved.behaviour.metadata = stage.behaviour.metadata;
    stage.behaviour.resourceMetadata = { authorization_servers: [moved.issuer] };
    expect((await act({ server, host: other, askSecret })).outcome).toMatchObject({ ok: true, issuer: moved.issuer });
    expect(questions).toHaveLength(2);
    stage.behaviour.resourceMetadata = {};
    const nobody = await act({ server, host: await makeHost() });
    expect(nobody.outcome).toMatchObject({ ok: false, reason: expect.stringContaining('set MCP_CLIENT_SECRET') });
  });

  it('MC-24: MCP_CLIENT_SECRET does not go where an entry of a project leads: it is asked for, with where to, or it fails', async () => {
    const stage = await setSignInStage();
    stage.behaviour.metadata = { token_endpoint_auth_methods_supported: ['client_secret_basic'] };
    const server = { ...remote(stage.mcpUrl, { oauth: { clientId: 'mine' } }), isForeign: true };
    const host = await makeHost({ MCP_CLIENT_SECRET: 's3cret' });
    const nobody = await act({ server, host });
    expect(nobody.outcome).toMatchObject({
      ok: false,
      reason: expect.stringMatching(
        /MCP_CLIENT_SECRET is not sent for a server that a project .* Run this in a terminal/,
      ),
    });
    expect(nobody.visited).toEqual([]);
    const questions: string[] = [];
    const askSecret = async (question: string) => {
      questions.push(question);
      return 'typed';
    };
    expect((await act({ server, host, askSecret })).outcome).toMatchObject({ ok: true });
    expect(questions).toEqual([`Client secret of mine, which is sent to ${stage.issuer} (empty: it has none): `]);
    expect(stage.requests('/token').map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${btoa('mine:typed')}`,
    ]);
    // Where none is wanted, none is sent.
    const open = await setSignInStage();
    const other = { ...remote(open.mcpUrl, { oauth: { clientId: 'mine' } }), isForeign: true };
    expect((await act({ server: other, host })).outcome).toMatchObject({ ok: true });
    expect(JSON.stringify(open.requests('/token'))).not.toContain('s3cret');
    expect(open.requests('/token')[0]?.headers.authorization).toBe(undefined);
  });

  it('MC-24: if no client is configured and none can be registered, it explains what to set', async () => {
    const stage = await setSignInStage();
    stage.behaviour.metadata = { registration_endpoint: undefined };
    const { outcome } = await act({ server: remote(stage.mcpUrl), host: await makeHost() });
    expect(outcome).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/oauth\.clientId and oauth\.callbackPort/),
    });
    stage.behaviour.metadata = {};
    stage.behaviour.instead = ({ path }) =>
      path === '/register'
        ? json(403, { error: 'invalid_redirect_uri', error_description: 'only\u001b[2J friends' })
        : undefined;
    const refused = await act({ server: remote(stage.mcpUrl), host: await makeHost() });
    expect(refused.outcome).toMatchObject({
      reason: expect.stringContaining('invalid_redirect_uri: only\\u{1b}[2J friends'),
    });
  });

  it('MC-24: asks for the configured scopes, else those of the challenge, else none; offline_access if offered', async () => {
    const stage = await setSignInStage();
    const scopeOf = async (scopes?: string) => {
      const server = remote(stage.mcpUrl, scopes === undefined ? {} : { oauth: { scopes } });
      const { visited } = await act({ server, host: await makeHost() });
      return visited[0]?.searchParams.get('scope');
    };
    stage.behaviour.metadata = { scopes_supported: ['everything', 'read', 'write'] };
    stage.behaviour.resourceMetadata = { scopes_supported: ['everything'] };
    expect(await scopeOf()).toBe(null);
    expect(await scopeOf('mine')).toBe('mine');
    stage.behaviour.challenge = 'scope="read write"';
    expect(await scopeOf()).toBe('read write');
    expect(await scopeOf('mine')).toBe('mine');
    stage.behaviour.metadata = { scopes_supported: ['read', 'offline_access'] };
    expect(await scopeOf()).toBe('read write offline_access');
    expect(await scopeOf('mine offline_access')).toBe('mine offline_access');
  });

  it('MC-24: MCP_OAUTH_CALLBACK_PORT sets the port; an occupied or invalid port is reported', async () => {
    const stage = await setSignInStage();
    const port = await freePort();
    const host = await makeHost({ MCP_OAUTH_CALLBACK_PORT: String(port) });
    const { visited } = await act({ server: remote(stage.mcpUrl), host });
    expect(visited[0]?.searchParams.get('redirect_uri')).toBe(`http://localhost:${port}/callback`);
    const bad = await act({ server: remote(stage.mcpUrl), host: await makeHost({ MCP_OAUTH_CALLBACK_PORT: 'web' }) });
    expect(bad.outcome).toMatchObject({ ok: false, reason: expect.stringContaining('must be a port') });
    for (const address of ['127.0.0.1', '::1']) {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(port, address, resolve));
      const { outcome } = await act({ server: remote(stage.mcpUrl), host });
      expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining(`port ${port} is in use`) });
      await new Promise((resolve) => taken.close(resolve));
    }
  });

  it('MC-24: without a browser the redirect is pasted; anything else is reported, and it keeps waiting', async () => {
    const stage = await setSignInStage();
    const lines = ['', 'https://elsewhere.example/callback?code=1&state=2', 'nonsense'];
    const shown: URL[] = [];
    const { outcome, told } = await act({
      server: remote(stage.mcpUrl),
      host: await makeHost(),
      visit: async (url) => {
        shown.push(url);
        const { headers } = await fetch(url, { redirect: 'manual' });
        lines.push(headers.get('location') ?? '');
      },
      nextPasted: async () => lines.shift(),
    });
    expect(outcome).toMatchObject({ ok: true });
    expect(shown[0]?.origin).toBe(stage.issuer);
    expect(told).toEqual([expect.stringContaining('its state is not'), expect.stringContaining('it has no state')]);
  });

  it('MC-24: a signal ends the wait; nothing is stored and the port is closed', async () => {
    const stage = await setSignInStage();
    const stop = new AbortController();
    const host = await makeHost();
    const shown: URL[] = [];
    const acted = act({
      server: remote(stage.mcpUrl),
      host,
      signal: stop.signal,
      visit: async (url) => {
        shown.push(url);
        stop.abort();
      },
    });
    expect((await acted).outcome).toMatchObject({ ok: false, kind: 'cancelled' });
    expect(await kept(host, stage.mcpUrl)).toBe('none');
    await expect(browse(shown[0]?.searchParams.get('redirect_uri') ?? '')).rejects.toThrow();
  });

  it('MC-25: a fixed Authorization header is no sign-in, and plain http to another machine neither', async () => {
    const stage = await setSignInStage();
    const host = await makeHost();
    const fixed = await act({ server: remote(stage.mcpUrl, { headers: { authorization: 'Bearer fixed' } }), host });
    expect(fixed.outcome).toMatchObject({ ok: false, reason: expect.stringContaining('fixed Authorization header') });
    const clear = await act({ server: remote('http://192.0.2.1/mcp'), host });
    expect(clear.outcome).toMatchObject({
      ok: false,
      reason: expect.stringContaining('http://192.0.2.1/mcp is not https'),
    });
    expect(stage.asked).toEqual([]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
