/** Checks the tokens that an authorization server issued and prepares them for storage. */

import type { OAuthTokens } from '@modelcontextprotocol/client';
import type { Result } from '../../../protocol/result.js';
import { clean } from './explain-failure.js';
import { isUsableToken, type StoredSignIn } from './stored-sign-in.js';

type KeptTokens = Pick<StoredSignIn, 'access_token' | 'refresh_token' | 'scope' | 'expiresAt' | 'renewAt'>;

export type CheckedTokens = Result<{ readonly tokens: KeptTokens }>;

const LONGEST_LEAD_MS = 60_000;

export function checkTokens(issued: OAuthTokens, now: number): CheckedTokens {
  const { access_token, refresh_token, token_type, expires_in = 0, scope } = issued;
  if (token_type.toLowerCase() !== 'bearer') {
    return { ok: false, reason: `it issued a token of the type ${clean(token_type)}; only Bearer can be used` };
  }
  if (!isUsableToken(access_token))
    return { ok: false, reason: 'it issued a token with characters that no header may have' };
  const times = expires_in > 0 ? timesOf(now, expires_in * 1000) : {};
  return {
    ok: true,
    tokens: {
      access_token,
      ...(refresh_token ? { refresh_token } : {}),
      ...(scope ? { scope } : {}),
      ...times,
    },
  };
}

/** Renew a token slightly before it expires, so that no request arrives late; but a short-lived one not at once. */
function timesOf(now: number, life: number): { readonly expiresAt: number; readonly renewAt: number } {
  return { expiresAt: now + life, renewAt: now + life - Math.min(LONGEST_LEAD_MS, life / 10) };
}
