/** Discovers the authorization server of a server: RFC 9728, then RFC 8414, or as configured (MC-24). */

import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  LATEST_PROTOCOL_VERSION,
} from '@modelcontextprotocol/client';
import { VERSION } from '../../../config/version.js';
import type { Host } from '../../../host/host.js';
import { isMetadataOf, isWellKnown } from './configured-issuer.js';
import { explainFailure } from './explain-failure.js';
import { type OAuthFetch, openOAuthFetch, RequestFailure } from './oauth-fetch.js';
import { addressOf, type RemoteServer, refuseAddress, showAddress } from './remote-server.js';

export type Discovered = {
  readonly metadata: AuthorizationServerMetadata;
  /** Its own identifier, or its URL (RFC 8707). */
  readonly resource: string;
  /** The scope that the server asked for. */
  readonly scope?: string;
};

/** Rejects with a reason for the user. */
export async function discover(server: RemoteServer, host: Host, signal: AbortSignal): Promise<Discovered> {
  const url = addressOf(server);
  const fetch = await openOAuthFetch(host, { signal });
  const { scope, resourceMetadataUrl } = await readChallenge(
    server,
    await openOAuthFetch(host, { signal, headersOnly: true }),
  );
  const requested = scope === undefined ? {} : { scope };
  const configured = server.config.oauth?.authServerMetadataUrl;
  if (configured !== undefined) {
    return { metadata: await readConfigured(new URL(configured), fetch), resource: url.href, ...requested };
  }
  const found = await readResource(url, resourceMetadataUrl, fetch);
  const issuer = found?.issuer ?? new URL('/', url).href;
  const refused = refuseAddress(new URL(issuer), url);
  if (refused !== undefined)
    throw new RequestFailure(`the authorization server that the server names can't be used: ${refused}`);
  const metadata = await readMetadata(issuer, fetch);
  if (metadata === undefined) throw new RequestFailure(noMetadata(url, found?.issuer));
  checkEndpoints(metadata, url);
  return { metadata, resource: found?.resource ?? url.href, ...requested };
}

function noMetadata(url: URL, issuer: string | undefined): string {
  const hint = 'If you know its authorization server, set oauth.authServerMetadataUrl to the URL of its metadata';
  return issuer === undefined
    ? `${showAddress(url)} doesn't say how to sign in (no OAuth metadata at its address). It may need no sign-in, or an Authorization header. ${hint}`
    : `the authorization server ${showAddress(new URL(issuer))} has no metadata at its well-known addresses. ${hint}`;
}

type Resource = { readonly issuer: string | undefined; readonly resource: string };

/** Undefined: the server has none. */
async function readResource(url: URL, named: URL | undefined, fetch: OAuthFetch): Promise<Resource | undefined> {
  const refused = named === undefined ? undefined : refuseAddress(named, url);
  if (refused !== undefined) throw new RequestFailure(`the server names metadata that can't be used: ${refused}`);
  let status = 0;
  const noting: OAuthFetch = async (address, request) => {
    const response = await fetch(address, request);
    status = response.status;
    return response;
  };
  try {
    const options = named === undefined ? {} : { resourceMetadataUrl: named };
    const { resource, authorization_servers } = await discoverOAuthProtectedResourceMetadata(url, options, noting);
    // RFC 9728, 3.3: otherwise it is the metadata of another server, whose token would be sent to this one.
    if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource })) {
      throw new RequestFailure(`its metadata is of another server: ${showAddress(new URL(resource))}`);
    }
    return { issuer: authorization_servers?.[0], resource };
  } catch (error) {
    if (error instanceof RequestFailure) throw error;
    // Some servers name an address that does not exist: treat it as if they had named none.
    if (status >= 400 && status < 500) return named && readResource(url, undefined, fetch);
    const where = showAddress(named ?? url);
    const why = status >= 300 ? `HTTP ${status}` : explainFailure(error);
    throw new RequestFailure(`the metadata of ${where} for signing in can't be read: ${why}`);
  }
}

async function readMetadata(issuer: string, fetch: OAuthFetch): Promise<AuthorizationServerMetadata | undefined> {
  try {
    return await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  } catch (error) {
    if (error instanceof RequestFailure) throw error;
    throw new RequestFailure(`the authorization server ${showAddress(new URL(issuer))}: ${explainFailure(error)}`);
  }
}

/** The user names the document, so its address is the proof; if its form also identifies an issuer, that must match. */
async function readConfigured(url: URL, fetch: OAuthFetch): Promise<AuthorizationServerMetadata> {
  const refused = refuseAddress(url, url);
  if (refused !== undefined) throw new RequestFailure(`oauth.authServerMetadataUrl: ${refused}`);
  const instead: OAuthFetch = (_, request) => fetch(url, request);
  const metadata = await discoverAuthorizationServerMetadata(url.origin, {
    fetchFn: instead,
    skipIssuerValidation: true,
  }).catch((error) => {
    throw new RequestFailure(`oauth.authServerMetadataUrl: ${showAddress(url)}: ${explainFailure(error)}`);
  });
  if (metadata === undefined)
    throw new RequestFailure(`oauth.authServerMetadataUrl: there is nothing at ${showAddress(url)}`);
  if (isWellKnown(url.href) && !isMetadataOf(url.href, metadata.issuer)) {
    const mismatch = new IssuerMismatchError('metadata', url.href, metadata.issuer);
    throw new RequestFailure(`oauth.authServerMetadataUrl: ${explainFailure(mismatch)}`);
  }
  checkEndpoints(metadata, url);
  return metadata;
}

/** The SDK rejects only scripts: a browser would also be opened for a file or an application's own scheme. */
function checkEndpoints(metadata: AuthorizationServerMetadata, requester: URL): void {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  const revocation = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  for (const endpoint of [authorization_endpoint, token_endpoint, registration_endpoint, revocation]) {
    if (typeof endpoint !== 'string') continue;
    const refused = refuseAddress(new URL(endpoint), requester);
    if (refused !== undefined)
      throw new RequestFailure(`the authorization server names an address that can't be used: ${refused}`);
  }
}

type Challenge = { readonly resourceMetadataUrl?: URL | undefined; readonly scope?: string | undefined };

/**
 * Empty if nothing is required: a sign-in may be required later. `fetch` must not read bodies, since an event stream
 * has no end.
 */
async function readChallenge(server: RemoteServer, fetch: OAuthFetch): Promise<Challenge> {
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
