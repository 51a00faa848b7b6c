/** The remote server to sign in to, and the addresses that a sign-in may use. */

import type { ConfiguredServer, RemoteConfig } from '../../../config/mcp/server-config.js';
import { shellWord } from '../../../config/shell-word.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';

export type RemoteServer = Pick<ConfiguredServer, 'name'> &
  Partial<Pick<ConfiguredServer, 'isForeign'>> & { readonly config: RemoteConfig };

export function isRemote(server: ConfiguredServer): server is ConfiguredServer & { readonly config: RemoteConfig } {
  return server.config.kind === 'http' || server.config.kind === 'sse';
}

/** The normalised address that tokens belong to: the same for every entry with this URL. */
export function addressOf({ config }: RemoteServer): URL {
  const url = new URL(config.url);
  url.hash = '';
  return url;
}

/** True if a fixed `Authorization` header replaces the sign-in. */
export function hasFixedAuthorization({ config }: RemoteServer): boolean {
  return Object.keys(config.headers).some((name) => name.toLowerCase() === 'authorization');
}

/**
 * Why nothing of a sign-in may be sent to `url`, if so. Plain http is allowed only on this machine, and only if
 * `requester`, which named the address, is on this machine too: a remote server must not send us to local programs.
 */
export function refuseAddress(url: URL, requester: URL): string | undefined {
  if (url.username !== '' || url.password !== '') return `${showAddress(url)} must not contain a name or a password`;
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:' && isThisMachine(url) && isThisMachine(requester)) return undefined;
  return `${showAddress(url)} is not https`;
}

function isThisMachine({ hostname }: URL): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Omits the parts that may be secret. */
export function showAddress(url: URL): string {
  const { protocol, host, pathname } = url;
  return escapeToLine(`${protocol}//${host}${pathname === '/' ? '' : pathname}`).slice(0, 300);
}

/** The command for the user to run. */
export function loginCommand(name: string): string {
  return `coppice mcp login ${shellWord(name)}`;
}
