/** The issuer, if the configuration names the authorization server. */

import { buildDiscoveryUrls } from '@modelcontextprotocol/client';
import type { RemoteServer } from './remote-server.js';

/** Tokens belong to their issuer: those of an issuer other than the configured one are not used. */
export function isIssuerConfigured({ config }: RemoteServer, issuer: string): boolean {
  const configured = config.oauth?.authServerMetadataUrl;
  return configured === undefined || !isWellKnown(configured) || isMetadataOf(configured, issuer);
}

/** True if the URL's form identifies the issuer. */
export function isWellKnown(metadataUrl: string): boolean {
  return /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?:\/|$)/.test(
    new URL(metadataUrl).pathname,
  );
}

export function isMetadataOf(metadataUrl: string, issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  // Many servers put it below the issuer's path; RFC 8414 puts it before.
  const below = `${issuer.replace(/\/$/, '')}/.well-known/oauth-authorization-server`;
  const places = [...buildDiscoveryUrls(issuer).map(({ url }) => url.href), below];
  return places.includes(new URL(metadataUrl).href);
}
