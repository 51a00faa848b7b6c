/** Sends a request without a token to learn what a sign-in requires: metadata and scopes (RFC 9728, RFC 6750). */

import { extractWWWAuthenticateParams, LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/client';
import { VERSION } from '../../../config/version.js';
import type { OAuthFetch } from './oauth-fetch.js';
import { addressOf, type RemoteServer } from './remote-server.js';

export type Challenge = { readonly resourceMetadataUrl?: URL | undefined; readonly scope?: string | undefined };

/**
 * Empty if nothing is required: a sign-in may be required later. `fetch` must not read bodies, since an event stream
 * has no end.
 */
export async function readChallenge(server: RemoteServer, fetch: OAuthFetch): Promise<Challenge> {
  const { config } = server;
  const response = await fetch(
    addressOf(server),
    config.kind === 'sse' ? openStream(config.headers) : initialize(config.headers),
  );
  const header = response.headers.get('www-authenticate');
  if (response.status !== 401 || header === null) return {};
  // The SDK reads only the first challenge.
  const bearer = /(?:^|,\s*)(Bearer\s.*)$/i.exec(header)?.[1];
  if (bearer === undefined) return {};
  return extractWWWAuthenticateParams(new Response(null, { headers: { 'www-authenticate': bearer } }));
}

type FixedHeaders = Readonly<Record<string, string>>;

function openStream(headers: FixedHeaders): RequestInit {
  return { headers: { ...headers, Accept: 'text/event-stream' } };
}

function initialize(headers: FixedHeaders): RequestInit {
  const clientInfo = { name: 'coppice', version: VERSION };
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };
  return {
    method: 'POST',
    headers: { ...headers, Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  };
}
