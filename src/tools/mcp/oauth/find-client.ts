/** Finds the OAuth client: the configured one, or one registered for this sign-in (MC-24). */

import { type AuthorizationServerMetadata, registerClient } from '@modelcontextprotocol/client';
import type { Host } from '../../../host/host.js';
import { explainFailure } from './explain-failure.js';
import { type OAuthFetch, RequestFailure } from './oauth-fetch.js';
import { addressOf, type RemoteServer, showAddress } from './remote-server.js';
import { readSignIn, type StoredSignIn } from './stored-sign-in.js';

export type Client = StoredSignIn['client'];

export type ClientQuery = {
  readonly server: RemoteServer;
  readonly host: Host;
  readonly fetch: OAuthFetch;
  readonly metadata: AuthorizationServerMetadata;
  readonly redirectUrl: string;
  readonly scope: string | undefined;
  /** Prompts without echo. Undefined: the user can't be asked; empty: there is none. */
  readonly askSecret: (question: string) => Promise<string | undefined>;
};

/** Rejects with a reason for the user. */
export async function findClient(question: ClientQuery): Promise<Client> {
  const clientId = question.server.config.oauth?.clientId;
  if (clientId === undefined) return register(question);
  const secret = await findSecret(question, clientId);
  return { client_id: clientId, ...(secret ? { client_secret: secret } : {}) };
}

async function findSecret(
  { server, host, metadata, askSecret }: ClientQuery,
  clientId: string,
): Promise<string | undefined> {
  const { isForeign = false } = server;
  const given = host.env.MCP_CLIENT_SECRET;
  // The author of the entry chose where the sign-in leads: another client's secret must not go there.
  if (given && !isForeign) return given;
  const known = await readSignIn(host, addressOf(server));
  if (known.kind === 'read' && known.signIn.issuer === metadata.issuer && known.signIn.client.client_id === clientId) {
    if (known.signIn.client.client_secret !== undefined) return known.signIn.client.client_secret;
  }
  const isRequested = wantsSecret(metadata);
  if (!isRequested && !given) return undefined;
  const issuer = showAddress(new URL(metadata.issuer));
  const where = isForeign ? `, which is sent to ${issuer}` : '';
  const typed = await askSecret(`Client secret of ${clientId}${where} (empty: it has none): `);
  if (typed !== undefined) return typed.trim();
  if (!isRequested) return undefined;
  const how = isForeign
    ? 'MCP_CLIENT_SECRET is not sent for a server that a project or plugin brings. Run this in a terminal to be asked for it, or add the server to your own settings (coppice mcp add-json -s user)'
    : 'set MCP_CLIENT_SECRET, or run this in a terminal to be asked for it';
  throw new RequestFailure(`${issuer} wants a client secret: ${how}`);
}

/** True if the server lists authentication methods and does not allow clients without one. */
function wantsSecret({ token_endpoint_auth_methods_supported: methods }: AuthorizationServerMetadata): boolean {
  return methods !== undefined && methods.length > 0 && !methods.includes('none');
}

async function register({ server, fetch, metadata, redirectUrl, scope }: ClientQuery): Promise<Client> {
  const where = showAddress(new URL(metadata.issuer));
  if (metadata.registration_endpoint === undefined) {
    throw new RequestFailure(
      `${where} registers no clients by itself. Register one there, with the redirect URL http://localhost:PORT/callback and a port of your choice, and set oauth.clientId and oauth.callbackPort of ${server.name}`,
    );
  }
  const clientMetadata = {
    client_name: 'Coppice',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    token_endpoint_auth_method: wantsSecret(metadata) ? secretMethod(metadata) : 'none',
  };
  try {
    const options = { metadata, clientMetadata, fetchFn: fetch, ...(scope === undefined ? {} : { scope }) };
    const { client_id, client_secret, token_endpoint_auth_method } = await registerClient(metadata.issuer, options);
    return {
      client_id,
      ...(client_secret ? { client_secret } : {}),
      ...(token_endpoint_auth_method ? { token_endpoint_auth_method } : {}),
    };
  } catch (error) {
    throw new RequestFailure(`${where}: ${explainFailure(error)}`);
  }
}

function secretMethod({ token_endpoint_auth_methods_supported: methods = [] }: AuthorizationServerMetadata): string {
  return methods.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post';
}
