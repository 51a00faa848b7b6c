/**
 * Renews a token exactly once, even if several processes need it at the same time. A refresh token may be valid for
 * only one use: a token renewed by another process is read from disk, never renewed again.
 */

import { OAuthError, refreshAuthorization } from '@modelcontextprotocol/client';
import type { Host } from '../../../host/host.js';
import { withLock } from '../../../host/locks/with-lock.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { explainFailure } from './explain-failure.js';
import { checkTokens } from './issued-tokens.js';
import { openOAuthFetch } from './oauth-fetch.js';
import { lockOf, readSignIn, removeSignIn, type StoredSignIn, writeSignIn } from './stored-sign-in.js';

export type Refreshed =
  /** Stored on disk. */
  | { readonly kind: 'token'; readonly token: string }
  /** The user has to sign in. */
  | { readonly kind: 'sign-in'; readonly reason: string }
  /** The token is kept; it may work later. */
  | { readonly kind: 'failed'; readonly reason: string };

/** `refused`: the token that is no longer accepted; undefined if none was sent. Never rejects. */
export async function refreshSignIn(host: Host, url: URL, refused: string | undefined): Promise<Refreshed> {
  try {
    const done = await withLock(host, lockOf(host, url), () => refreshInTurn(host, url, refused));
    return done.ok ? done.value : { kind: 'failed', reason: `the sign-in is in use: ${done.reason}` };
  } catch (error) {
    return { kind: 'failed', reason: `the sign-in can't be renewed: ${reasonOf(error)}` };
  }
}

async function refreshInTurn(host: Host, url: URL, refused: string | undefined): Promise<Refreshed> {
  // Read again under the lock.
  const found = await readSignIn(host, url);
  if (found.kind === 'none') return { kind: 'sign-in', reason: 'it was signed out' };
  if (found.kind === 'bad') return { kind: 'sign-in', reason: found.reason };
  const { signIn } = found;
  if (signIn.access_token !== refused) return { kind: 'token', token: signIn.access_token };
  const { refresh_token } = signIn;
  if (refresh_token === undefined) return { kind: 'sign-in', reason: 'the sign-in has expired' };
  try {
    return await renew(host, url, signIn, refresh_token);
  } catch (error) {
    return explainRefusal(host, url, signIn, error);
  }
}

async function renew(host: Host, url: URL, signIn: StoredSignIn, refreshToken: string): Promise<Refreshed> {
  const issued = await refreshAuthorization(signIn.issuer, {
    metadata: signIn.metadata,
    clientInformation: signIn.client,
    refreshToken,
    resource: signIn.resource,
    fetchFn: await openOAuthFetch(host),
  });
  const checked = checkTokens(issued, host.clock.now());
  if (!checked.ok) return { kind: 'failed', reason: `the sign-in can't be renewed: ${checked.reason}` };
  const { expiresAt: _, renewAt: __, ...kept } = signIn;
  const renewed = { ...kept, ...checked.tokens };
  await writeSignIn(host, url, renewed);
  return { kind: 'token', token: renewed.access_token };
}

/** Only if the server reports that the grant is over is the token useless. */
async function explainRefusal(host: Host, url: URL, signIn: StoredSignIn, error: unknown): Promise<Refreshed> {
  const reason = explainFailure(error, [signIn.refresh_token, signIn.access_token, signIn.client.client_secret]);
  const code = error instanceof OAuthError ? error.code : '';
  if (code === 'invalid_grant') {
    await removeSignIn(host, url);
    return { kind: 'sign-in', reason: `the sign-in has ended (${reason})` };
  }
  if (code === 'invalid_client' || code === 'unauthorized_client') {
    return { kind: 'sign-in', reason: `the sign-in can't be renewed (${reason})` };
  }
  return { kind: 'failed', reason: `the sign-in can't be renewed now: ${reason}. It is kept; try again later` };
}
