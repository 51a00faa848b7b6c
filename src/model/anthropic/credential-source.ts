/** Determines the source of the API key or token, and the server it is sent to. */

import type { Environment } from '../../host/host.js';
import type { CredentialSource } from '../provider.js';

export const DEFAULT_ENDPOINT = 'https://api.anthropic.com';

/** Undefined if there is none. */
export function credentialSource(env: Environment, apiKeyHelper: string | undefined): CredentialSource | undefined {
  if (env.ANTHROPIC_API_KEY?.trim()) return 'ANTHROPIC_API_KEY';
  if (env.ANTHROPIC_AUTH_TOKEN?.trim()) return 'ANTHROPIC_AUTH_TOKEN';
  return apiKeyHelper ? 'apiKeyHelper' : undefined;
}

/** Returns the endpoint to show, without user name and password. */
export function endpointOf(env: Environment): string {
  const url = env.ANTHROPIC_BASE_URL?.trim() || DEFAULT_ENDPOINT;
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return pathname === '/' ? origin : `${origin}${pathname}`;
}
