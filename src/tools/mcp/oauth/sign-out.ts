/** Signs out of a remote server: notifies the authorization server, then deletes the tokens. */

import { selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { Host } from '../../../host/host.js';
import { withLock } from '../../../host/locks/with-lock.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { Result } from '../../../protocol/result.js';
import { explainFailure } from './explain-failure.js';
import { openOAuthFetch } from './oauth-fetch.js';
import { addressOf, type RemoteServer, refuseAddress } from './remote-server.js';
import { lockOf, readSignIn, removeSignIn, type StoredSignIn } from './stored-sign-in.js';

/** `notRevoked`: why the tokens are still valid at the issuer; undefined if they were revoked. */
export type SignedOut = Result<
  | { readonly kind: 'not-signed-in' }
  | { readonly kind: 'signed-out'; readonly issuer?: string; readonly notRevoked?: string }
>;

export type SignOutOptions = { readonly server: RemoteServer; readonly host: Host; readonly signal: AbortSignal };

/** Never rejects. Removes the tokens regardless of the authorization server's answer. */
export async function signOut({ server, host, signal }: SignOutOptions): Promise<SignedOut> {
  const url = addressOf(server);
  try {
    const done = await withLock(host, lockOf(host, url), () => signOutInTurn(host, url, signal));
    return done.ok ? done.value : { ok: false, reason: `the sign-in is in use: ${done.reason}` };
  } catch (error) {
    return { ok: false, reason: `the sign-in can't be removed: ${reasonOf(error)}` };
  }
}

async function signOutInTurn(host: Host, url: URL, signal: AbortSignal): Promise<SignedOut> {
  const found = await readSignIn(host, url);
  if (found.kind === 'none') return { ok: true, kind: 'not-signed-in' };
  if (found.kind === 'bad') {
    if (found.isForeign) return { ok: false, reason: found.reason };
    await removeSignIn(host, url);
    return { ok: true, kind: 'signed-out', notRevoked: found.reason };
  }
  const { signIn } = found;
  const notRevoked = await revokeAll(host, signIn, signal);
  await removeSignIn(host, url);
  const problem = notRevoked === undefined ? {} : { notRevoked };
  return { ok: true, kind: 'signed-out', issuer: signIn.issuer, ...problem };
}

/**
 * RFC 7009. Revokes the refresh token first: at most servers, that ends the access token as well. Returns the reason on
 * failure.
 */
async function revokeAll(host: Host, signIn: StoredSignIn, signal: AbortSignal): Promise<string | undefined> {
  const { revocation_endpoint } = signIn.metadata;
  if (revocation_endpoint === undefined) return 'it offers no way to revoke tokens';
  const endpoint = new URL(revocation_endpoint);
  const refused = refuseAddress(endpoint, new URL(signIn.url));
  if (refused !== undefined) return refused;
  const secrets = [signIn.access_token, signIn.refresh_token, signIn.client.client_secret];
  try {
    const fetch = await openOAuthFetch(host, { signal });
    for (const [token, hint] of [
      [signIn.refresh_token, 'refresh_token'],
      [signIn.access_token, 'access_token'],
    ] as const) {
      if (token === undefined) continue;
      const { status } = await fetch(endpoint, revocation(signIn, token, hint));
      if (status >= 300) return `it answered HTTP ${status}`;
    }
    return undefined;
  } catch (error) {
    return explainFailure(error, secrets);
  }
}

function revocation({ client, metadata }: StoredSignIn, token: string, hint: string): RequestInit {
  const { client_id, client_secret } = client;
  const body = new URLSearchParams({ token, token_type_hint: hint });
  const method = selectClientAuthMethod(client, metadata.token_endpoint_auth_methods_supported ?? []);
  const headers: Record<string, string> = { 'Content-Type': 'application/x-www-form-urlencoded' };
  if (method === 'client_secret_basic' && client_secret !== undefined) {
    headers.Authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  } else {
    body.set('client_id', client_id);
    if (method === 'client_secret_post' && client_secret !== undefined) body.set('client_secret', client_secret);
  }
  return { method: 'POST', headers, body };
}
