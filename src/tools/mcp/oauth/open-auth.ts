/** Signs the requests to a remote server with the token on disk, and renews it (MC-25). Never prompts. */

import { UnauthorizedError } from '@modelcontextprotocol/client';
import type { Host } from '../../../host/host.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { ServerAuth } from '../connect/connection.js';
import { isIssuerConfigured } from './configured-issuer.js';
import { type Refreshed, refreshSignIn } from './refresh.js';
import {
  addressOf,
  hasFixedAuthorization,
  loginCommand,
  type RemoteServer,
  refuseAddress,
  showAddress,
} from './remote-server.js';
import { readSignIn, type StoredSignIn } from './stored-sign-in.js';

export type AuthOptions = { readonly server: RemoteServer; readonly host: Host };

export function openAuth({ server, host }: AuthOptions): ServerAuth {
  const url = addressOf(server);
  const isOff = hasFixedAuthorization(server) || refuseAddress(url, url) !== undefined;
  const given = new Set<string>();
  const refusals = new WeakMap<Response, string>();
  let latest: string | undefined;

  const give = (token: string) => {
    given.add(token);
    latest = token;
    return token;
  };

  return {
    token: async () => {
      if (isOff) return undefined;
      const signIn = await load(host, server, url);
      if (signIn === undefined) return undefined;
      if (!isDue(signIn, host.clock.now())) return give(signIn.access_token);
      const renewed = await refreshSignIn(host, url, signIn.access_token);
      // It may still be valid for a moment.
      if (renewed.kind === 'failed' && !isOver(signIn, host.clock.now())) return give(signIn.access_token);
      return give(tokenOf(server, renewed));
    },
    onUnauthorized: async ({ response }) => {
      if (isOff) throw new Error(`${escapeToLine(server.name)} refuses the request (401)`);
      const refused = refusals.get(response) ?? latest;
      const signIn = await load(host, server, url);
      if (signIn === undefined) throw needsSignIn(server);
      tokenOf(server, await refreshSignIn(host, url, refused));
    },
    watch: (fetch) => async (address, request) => {
      const token = bearerOf(request);
      if (token !== undefined && given.has(token) && new URL(address).origin !== url.origin) {
        throw new Error(`the token of ${showAddress(url)} is not sent to ${new URL(address).origin}`);
      }
      const response = await fetch(address, request);
      if (response.status === 401 && token !== undefined) refusals.set(response, token);
      return response;
    },
  };
}

async function load(host: Host, server: RemoteServer, url: URL): Promise<StoredSignIn | undefined> {
  const found = await readSignIn(host, url);
  if (found.kind === 'none') return undefined;
  if (found.kind === 'bad') throw needsSignIn(server, found.reason);
  return isIssuerConfigured(server, found.signIn.issuer) ? found.signIn : undefined;
}

function isDue({ renewAt, refresh_token }: StoredSignIn, now: number): boolean {
  return renewAt !== undefined && refresh_token !== undefined && now >= renewAt;
}

function isOver({ expiresAt }: StoredSignIn, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

function tokenOf(server: RemoteServer, refreshed: Refreshed): string {
  switch (refreshed.kind) {
    case 'token':
      return refreshed.token;
    case 'sign-in':
      throw needsSignIn(server, refreshed.reason);
    case 'failed':
      throw new Error(`${escapeToLine(server.name)}: ${refreshed.reason}`);
  }
}

function needsSignIn({ name }: RemoteServer, reason?: string): UnauthorizedError {
  const why = reason === undefined ? '' : `: ${reason}`;
  return new UnauthorizedError(`${escapeToLine(name)} needs you to sign in${why}. Run: ${loginCommand(name)}`);
}

function bearerOf(request: RequestInit | undefined): string | undefined {
  return /^Bearer (.+)$/.exec(new Headers(request?.headers).get('authorization') ?? '')?.[1];
}
