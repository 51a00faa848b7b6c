/** An authorization server and an MCP server that wants its tokens: real HTTP, each on an origin of its own. */

import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../plain-server.js';

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Of the query, or of a form. */
  readonly params: URLSearchParams;
};

export type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

/** What a test changes, at any time. */
export type Behaviour = {
  /** Over the metadata of the authorization server; undefined values are left out. */
  metadata: Record<string, unknown>;
  resourceMetadata: Record<string, unknown>;
  /** Added to the challenge, such as `scope="a b"`. */
  challenge: string;
  /** In seconds. */
  expiresIn: number | undefined;
  /** Whether a refresh token is good for one use, and its repeated use ends all. */
  rotates: boolean;
  refreshes: boolean;
  /** Over what the browser is sent back with; undefined values are left out. */
  callback: Record<string, string | undefined>;
  /** Answers instead, at either server. */
  instead: (request: SeenRequest) => Answer | Promise<Answer> | undefined;
  /** Nothing is good enough. */
  refusesAll: boolean;
};

export type SignInStage = {
  readonly issuer: string;
  readonly mcpUrl: string;
  readonly behaviour: Behaviour;
  /** At the authorization server, in order. */
  readonly seen: SeenRequest[];
  /** At the MCP server. */
  readonly asked: SeenRequest[];
  /** Valid access tokens. */
  readonly valid: Set<string>;
  readonly revoked: string[];
  requests(path: string): readonly SeenRequest[];
  /** Ends the access tokens; refresh tokens stay good. */
  expireAll(): void;
  endGrants(): void;
};

export async function setSignInStage(): Promise<SignInStage> {
  const behaviour: Behaviour = {
    metadata: {},
    resourceMetadata: {},
    challenge: '',
    expiresIn: 3600,
    rotates: true,
    refreshes: true,
    callback: {},
    instead: () => undefined,
    refusesAll: false,
  };
  const seen: SeenRequest[] = [];
  const asked: SeenRequest[] = [];
  const valid = new Set<string>();
  const revoked: string[] = [];
  const codes = new Map<string, URLSearchParams>();
  const grants = new Set<string>();

  const issue = (): Answer => {
    const access_token = `access-${randomUUID()}`;
    const refresh_token = `refresh-${randomUUID()}`;
    valid.add(access_token);
    if (behaviour.refreshes) grants.add(refresh_token);
    return json(200, {
      access_token,
      token_type: 'Bearer',
      ...(behaviour.expiresIn === undefined ? {} : { expires_in: behaviour.expiresIn }),
      ...(behaviour.refreshes ? { refresh_token } : {}),
    });
  };

  const exchange = (params: URLSearchParams): Answer => {
    const begun = codes.get(params.get('code') ?? '');
    codes.delete(params.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(params.get('code_verifier') ?? '')
      .digest('base64url');
    const fits = begun?.get('code_challenge') === verifier && begun.get('redirect_uri') === params.get('redirect_uri');
    if (!fits) return json(400, { error: 'invalid_grant', error_description: 'wrong code or verifier' });
    return begun.get('resource') === params.get('resource') ? issue() : json(400, { error: 'invalid_target' });
  };

  const refresh = (params: URLSearchParams): Answer => {
    const token = params.get('refresh_token') ?? '';
    if (!grants.has(token)) {
      // A token that comes twice was stolen, or kept by a client that lost the new one.
      grants.clear();
      valid.clear();
      return json(400, { error: 'invalid_grant', error_description: `unknown token ${token}` });
    }
    if (behaviour.rotates) grants.delete(token);
    return issue();
  };

  const authorize = ({ params }: SeenRequest): Answer => {
    const code = randomUUID();
    codes.set(code, params);
    const back = new URL(params.get('redirect_uri') ?? '');
    const answer = { code, state: params.get('state') ?? undefined, iss: as.url, ...behaviour.callback };
    for (const [name, value] of Object.entries(answer)) if (value !== undefined) back.searchParams.set(name, value);
    return { status: 302, headers: { location: back.href } };
  };

  const atIssuer = (request: SeenRequest): Answer => {
    switch (request.path) {
      case '/.well-known/oauth-authorization-server':
        return json(200, {
          issuer: as.url,
          authorization_endpoint: `${as.url}/authorize`,
          token_endpoint: `${as.url}/token`,
          registration_endpoint: `${as.url}/register`,
          revocation_endpoint: `${as.url}/revoke`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
          authorization_response_iss_parameter_supported: true,
          ...behaviour.metadata,
        });
      case '/register':
        return json(201, { ...JSON.parse(request.body), client_id: `client-${randomUUID()}` });
      case '/authorize':
        return authorize(request);
      case '/token':
        return request.params.get('grant_type') === 'refresh_token'
          ? refresh(request.params)
          : exchange(request.params);
      case '/revoke':
        revoked.push(request.params.get('token') ?? '');
        return { status: 200 };
      default:
        return { status: 404, body: 'not here' };
    }
  };

  const atServer = (request: SeenRequest): Answer => {
    if (request.path === '/.well-known/oauth-protected-resource/mcp') {
      return json(200, { resource: mcpUrl(), authorization_servers: [as.url], ...behaviour.resourceMetadata });
    }
    if (request.path !== '/mcp') return { status: 404, body: 'not here' };
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (behaviour.refusesAll || !valid.has(token)) {
      const where = `${mcp.url}/.well-known/oauth-protected-resource/mcp`;
      const challenge = [`Bearer resource_metadata="${where}"`, behaviour.challenge].filter(Boolean).join(', ');
      return { status: 401, headers: { 'www-authenticate': challenge }, body: 'who are you?' };
    }
    return answerMcp(request);
  };

  const mcpUrl = () => `${mcp.url}/mcp`;
  const as = await serve(listener(seen, behaviour, atIssuer));
  const mcp = await serve(listener(asked, behaviour, atServer));
  return {
    issuer: as.url,
    mcpUrl: mcpUrl(),
    behaviour,
    seen,
    asked,
    valid,
    revoked,
    requests: (path) => seen.filter((one) => one.path === path),
    expireAll: () => valid.clear(),
    endGrants: () => grants.clear(),
  };
}

/** What an SDK's client needs to connect, list and call. */
function answerMcp({ method, body }: SeenRequest): Answer {
  if (method !== 'POST') return { status: 405 };
  const { id, method: what, params } = JSON.parse(body);
  if (id === undefined) return { status: 202 };
  switch (what) {
    case 'initialize': {
      const serverInfo = { name: 'guarded', version: '1' };
      const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
      return json(200, { jsonrpc: '2.0', id, result });
    }
    case 'tools/list':
      return json(200, {
        jsonrpc: '2.0',
        id,
        result: { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] },
      });
    default:
      return json(200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } });
  }
}

export function json(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function listener(seen: SeenRequest[], behaviour: Behaviour, answer: (request: SeenRequest) => Answer) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const url = new URL(request.url ?? '', 'http://localhost');
    const params = request.method === 'POST' ? new URLSearchParams(body) : url.searchParams;
    const one = { method: request.method ?? '', path: url.pathname, headers: request.headers, body, params };
    seen.push(one);
    const { status, headers = {}, body: text } = (await behaviour.instead(one)) ?? answer(one);
    response.writeHead(status, headers).end(text);
  };
}
