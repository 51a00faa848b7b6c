/** Answers that are not what they should be: to the browser, from the browser, and of both servers (MC-24). */

import { describe, expect, it } from 'vitest';
import type { Host } from '../../../../../src/host/host.js';
import { readSignIn } from '../../../../../src/tools/mcp/oauth/stored-sign-in.js';
import { ManualClock } from '../../../../support/hosts/manual-clock.js';
import { type Answer, json, type SeenRequest, setSignInStage } from '../../../../support/mcp/authorisation-server.js';
import { act, browse, makeHost, type Page, remote } from '../../../../support/mcp/sign-in-actor.js';
import { serve } from '../../../../support/plain-server.js';
import { until } from '../../../../support/until.js';

async function nothingKept(host: Host, url: string): Promise<void> {
  expect(await readSignIn(host, new URL(url))).toEqual({ kind: 'none' });
}

describe('the answer that the browser brings', () => {
  it('MC-24: with a foreign state is not used, is reported in the browser, and ends nothing', async () => {
    const stage = await setSignInStage();
    const pages: Page[] = [];
    const { outcome } = await act({
      server: remote(stage.mcpUrl),
      host: await makeHost(),
      visit: async (url) => {
        const redirect = url.searchParams.get('redirect_uri') ?? '';
        const state = url.searchParams.get('state') ?? '';
        pages.push(await browse(`${redirect}?code=stolen&state=0123`));
        pages.push(await browse(`${redirect}?error=access_denied`));
        pages.push(await browse(`${redirect}?code=a&code=b&state=${state}`));
        pages.push(await browse(`${new URL(redirect).origin}/else?code=stolen&state=${state}`));
        pages.push({ status: (await fetch(`${redirect}?code=x&state=${state}`, { method: 'POST' })).status, text: '' });
        void browse(url);
      },
    });
    expect(pages.map(({ status }) => status)).toEqual([400, 400, 400, 404, 405]);
    expect(pages[0]?.text).toContain('its state is not the one of this sign-in');
    expect(outcome).toMatchObject({ ok: true });
    expect(stage.requests('/token')).toHaveLength(1);
  });

  it('MC-24: of another issuer, or of none where one is promised, is refused before its code is used', async () => {
    for (const iss of ['https://evil.example', undefined]) {
      const stage = await setSignInStage();
      stage.behaviour.callback = { iss };
      const host = await makeHost();
      const { outcome } = await act({ server: remote(stage.mcpUrl), host });
      expect(outcome).toMatchObject({
        ok: false,
        reason: expect.stringContaining(`from the issuer "${stage.issuer}"`),
      });
      expect(stage.requests('/token')).toEqual([]);
      await nothingKept(host, stage.mcpUrl);
    }
    const silent = await setSignInStage();
    silent.behaviour.metadata = { authorization_response_iss_parameter_supported: undefined };
    silent.behaviour.callback = { iss: undefined };
    expect((await act({ server: remote(silent.mcpUrl), host: await makeHost() })).outcome).toMatchObject({ ok: true });
  });

  it('MC-24: a refusal is reported with its reason, which the page escapes; one of another issuer is not even quoted', async () => {
    const stage = await setSignInStage();
    stage.behaviour.callback = {
      code: undefined,
      error: 'access_denied',
      error_description: '<script>alert(1)</script>\u001b[2J',
    };
    const { outcome, pages } = await act({ server: remote(stage.mcpUrl), host: await makeHost() });
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'the sign-in was refused: access_denied: <script>alert(1)</script>\\u{1b}[2J',
    });
    await until(() => pages.length === 1);
    expect(pages[0]?.text).toContain('access_denied: &#60;script&#62;alert(1)&#60;/script&#62;');
    expect(pages[0]?.text).not.toContain('<script');
    stage.behaviour.callback = { ...stage.behaviour.callback, iss: 'https://evil.example' };
    const other = await act({ server: remote(stage.mcpUrl), host: await makeHost() });
    expect(JSON.stringify(other.outcome)).not.toContain('access_denied');
  });

  it('MC-24: is accepted once, even while it is being exchanged', async () => {
    const stage = await setSignInStage();
    const pages: Page[] = [];
    const callback: string[] = [];
    stage.behaviour.instead = async ({ path }) => {
      if (path === '/token') pages.push(await browse(callback[0] ?? ''));
      return undefined as never;
    };
    const { outcome } = await act({
      server: remote(stage.mcpUrl),
      host: await makeHost(),
      visit: async (url) => {
        callback.push((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '');
        void browse(callback[0] ?? '');
      },
    });
    expect(outcome).toMatchObject({ ok: true });
    expect(pages).toEqual([{ status: 400, text: expect.stringContaining('already used') }]);
    expect(stage.requests('/token')).toHaveLength(1);
  });

  it('MC-24: by another name of this machine is not for us', async () => {
    const stage = await setSignInStage();
    const statuses: number[] = [];
    await act({
      server: remote(stage.mcpUrl),
      host: await makeHost(),
      visit: async (url) => {
        const redirect = url.searchParams.get('redirect_uri') ?? '';
        const { request } = await import('node:http');
        await new Promise<void>((resolve) => {
          const asked = `${redirect}?code=1&state=${url.searchParams.get('state')}`;
          request(asked, { headers: { host: 'rebound.example' } }, (response) => {
            statuses.push(response.statusCode ?? 0);
            response.resume().on('end', resolve);
          }).end();
        });
        void browse(url);
      },
    });
    expect(statuses).toEqual([404]);
  });

  it('MC-24: a wait of 10 minutes ends it', async () => {
    const stage = await setSignInStage();
    const clock = new ManualClock();
    const host = { ...(await makeHost()), clock };
    const acted = act({ server: remote(stage.mcpUrl), host, visit: async () => clock.advance(10 * 60_000) });
    expect((await acted).outcome).toMatchObject({
      ok: false,
      kind: 'failed',
      reason: expect.stringContaining('10 minutes'),
    });
  });
});

describe('the servers’ metadata', () => {
  const failing = async (change: (stage: Awaited<ReturnType<typeof setSignInStage>>) => void) => {
    const stage = await setSignInStage();
    change(stage);
    const host = await makeHost();
    const { outcome, visited } = await act({ server: remote(stage.mcpUrl), host });
    expect(visited).toEqual([]);
    expect(outcome.ok).toBe(false);
    await nothingKept(host, stage.mcpUrl);
    return { reason: outcome.ok ? '' : outcome.reason, stage };
  };

  it('MC-24: metadata of another issuer, or of another server, is refused', async () => {
    const issuer = await failing(({ behaviour }) => {
      behaviour.metadata = { issuer: 'https://evil.example' };
    });
    expect(issuer.reason).toContain('names "https://evil.example"');
    const resource = await failing(({ behaviour }) => {
      behaviour.resourceMetadata = { resource: 'https://mail.example/mcp' };
    });
    expect(resource.reason).toContain('its metadata is of another server: https://mail.example/mcp');
    expect(resource.stage.seen).toEqual([]);
  });

  it('MC-24: nothing goes to plain http elsewhere, and no browser is opened for a file', async () => {
    for (const bad of ['http://192.0.2.1/authorize', 'file:///etc/passwd', 'vscode://run']) {
      const { reason } = await failing(({ behaviour }) => {
        behaviour.metadata = { authorization_endpoint: bad };
      });
      expect(reason).toContain('is not https');
    }
    for (const name of ['token_endpoint', 'registration_endpoint', 'revocation_endpoint']) {
      const { reason } = await failing(({ behaviour }) => {
        behaviour.metadata = { [name]: 'http://192.0.2.1/x' };
      });
      expect(reason).toContain('http://192.0.2.1/x is not https');
    }
    const named = await failing(({ behaviour }) => {
      behaviour.resourceMetadata = { authorization_servers: ['http://192.0.2.1'] };
    });
    expect(named.reason).toContain('http://192.0.2.1 is not https');
  });

  it('MC-24: metadata may be on another origin, if it is of this server', async () => {
    const stage = await setSignInStage();
    const metadata = { resource: stage.mcpUrl, authorization_servers: [stage.issuer] };
    const other = await serve((_request, response) => response.end(JSON.stringify(metadata)));
    stage.behaviour.instead = ({ path, headers }: SeenRequest) =>
      path === '/mcp' && headers.authorization === undefined
        ? {
            status: 401,
            headers: { 'www-authenticate': `Basic realm="x", Bearer resource_metadata="${other.url}/about"` },
          }
        : undefined;
    expect((await act({ server: remote(stage.mcpUrl), host: await makeHost() })).outcome).toMatchObject({ ok: true });
    expect(stage.asked.map(({ path }) => path)).toEqual(['/mcp']);
  });

  it('MC-24: a server that begins a stream instead of refusing is not waited for', async () => {
    const stage = await setSignInStage();
    const open = await serve((request, response) => {
      if (request.url === '/sse') response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
      else if (request.url !== '/.well-known/oauth-protected-resource/sse') response.writeHead(404).end();
      else response.end(JSON.stringify({ resource: `${open.url}/sse`, authorization_servers: [stage.issuer] }));
    });
    const server = remote(`${open.url}/sse`, { kind: 'sse' });
    expect((await act({ server, host: await makeHost() })).outcome).toMatchObject({ ok: true });
  });

  it('MC-24: a redirect to another origin is not followed, with a code neither', async () => {
    const stage = await setSignInStage();
    const heard: string[] = [];
    const evil = await serve((request, response) => {
      heard.push(request.url ?? '');
      response.end('{}');
    });
    for (const status of [302, 307, 308]) {
      stage.behaviour.instead = ({ path }) =>
        path === '/token' ? { status, headers: { location: `${evil.url}/token` } } : undefined;
      const { outcome } = await act({ server: remote(stage.mcpUrl), host: await makeHost() });
      expect(outcome).toMatchObject({ ok: false });
      stage.behaviour.instead = ({ path }) =>
        path.startsWith('/.well-known') ? { status, headers: { location: `${evil.url}${path}` } } : undefined;
      expect((await act({ server: remote(stage.mcpUrl), host: await makeHost() })).outcome).toMatchObject({
        ok: false,
      });
    }
    expect(heard).toEqual([]);
  });

  it('MC-24: oauth.authServerMetadataUrl takes the place of discovery; its issuer has to fit, and it is https', async () => {
    const stage = await setSignInStage();
    const own = `${stage.issuer}/.well-known/oauth-authorization-server`;
    const signing = async (authServerMetadataUrl: string) =>
      (await act({ server: remote(stage.mcpUrl, { oauth: { authServerMetadataUrl } }), host: await makeHost() }))
        .outcome;
    expect(await signing(own)).toMatchObject({ ok: true, issuer: stage.issuer });
    expect(stage.asked.map(({ path }) => path)).toEqual(['/mcp']);
    expect(await signing('http://192.0.2.1/x')).toMatchObject({ reason: expect.stringContaining('is not https') });
    expect(await signing(`${stage.issuer}/nothing`)).toMatchObject({ reason: expect.stringContaining('nothing at') });
    stage.behaviour.metadata = { issuer: 'https://evil.example' };
    const begun = stage.requests('/authorize').length;
    expect(await signing(own)).toMatchObject({ ok: false, reason: expect.stringContaining('https://evil.example') });
    expect(stage.requests('/authorize')).toHaveLength(begun);
  });

  it('MC-24: a server without any metadata, or one that does not exist, is reported with what to do', async () => {
    const { reason } = await failing(({ behaviour }) => {
      behaviour.instead = ({ path }) => (path.startsWith('/.well-known') ? { status: 404 } : undefined);
    });
    expect(reason).toMatch(/has no metadata at|doesn't say how to sign in/);
    expect(reason).toContain('oauth.authServerMetadataUrl');
    const gone = await act({ server: remote('http://localhost:9/mcp'), host: await makeHost() });
    expect(gone.outcome).toMatchObject({
      ok: false,
      reason: expect.stringContaining('cannot reach http://localhost:9/mcp'),
    });
    const broken = await failing(({ behaviour }) => {
      behaviour.instead = ({ path }) => (path.startsWith('/.well-known') ? { status: 500 } : undefined);
    });
    expect(broken.reason).toContain('HTTP 500');
  });

  it('MC-24: huge and slow answers, pages instead of JSON and tokens that fit no header end with a reason', async () => {
    const reasonFor = async (answer: Answer) => {
      const stage = await setSignInStage();
      stage.behaviour.instead = ({ path }) => (path === '/token' ? answer : undefined);
      const host = await makeHost();
      const { outcome } = await act({ server: remote(stage.mcpUrl), host });
      await nothingKept(host, stage.mcpUrl);
      return outcome.ok ? 'signed in' : outcome.reason;
    };
    expect(await reasonFor({ status: 200, body: 'x'.repeat(2_000_000) })).toContain('more than 1048576 bytes');
    expect(await reasonFor({ status: 500, body: '<html>secret page' })).toMatch(
      /server_error: http:\S+\/token answered HTTP 500$/,
    );
    expect(await reasonFor({ status: 200, body: 'access_token=tok-1' })).toMatch(/its answer is not JSON$/);
    expect(await reasonFor(json(200, { access_token: 1 }))).toContain('access_token, token_type are missing or wrong');
    expect(await reasonFor(json(200, { access_token: 'a\nb', token_type: 'bearer' }))).toContain('no header may have');
    expect(await reasonFor(json(200, { access_token: 'a', token_type: 'mac' }))).toContain('type mac');

    const echo = await setSignInStage();
    echo.behaviour.instead = ({ path, params }) =>
      path === '/token' ? json(400, { error: 'invalid_grant', error_description: `${params}` }) : undefined;
    const echoed = await act({ server: remote(echo.mcpUrl), host: await makeHost() });
    const code = echo.requests('/token')[0]?.params.get('code') ?? '';
    const verifier = echo.requests('/token')[0]?.params.get('code_verifier') ?? '';
    expect(echoed.outcome).toMatchObject({ ok: false, reason: expect.stringContaining('invalid_grant') });
    for (const secret of [code, verifier]) expect(JSON.stringify(echoed.outcome)).not.toContain(secret);

    const stage = await setSignInStage();
    const clock = new ManualClock();
    stage.behaviour.instead = async ({ path }) => {
      if (path === '/token') await clock.advance(30_000);
      return path === '/token' ? new Promise<never>(() => {}) : (undefined as never);
    };
    const { outcome } = await act({ server: remote(stage.mcpUrl), host: { ...(await makeHost()), clock } });
    expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining('did not answer within 30 s') });
  });
});
