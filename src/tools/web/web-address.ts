/** Decides which URLs may be fetched: the public web, and this machine if it is named plainly. */

import { isAddress, isPrivateAddress } from '../../host/private-address.js';

export type CheckedUrl = { readonly url: URL; readonly local: boolean } | { readonly reason: string };

const MAX_CHARS = 4_000;
/** The plain spellings. `2130706433`, `0x7f.1` and `localhost.` are spellings that hide the address. */
const PLAINLY_LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?#]|$)/i;

export function checkUrl(given: string): CheckedUrl {
  if (given.length > MAX_CHARS)
    return { reason: `The address has ${given.length} characters; at most ${MAX_CHARS} are allowed.` };
  if (!URL.canParse(given))
    return { reason: `"${given}" is not a web address. Write the full URL: https://example.com/page` };
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { reason: `${url.protocol}// can't be fetched, only http:// and https://. For a file use Read.` };
  }
  if (url.username !== '' || url.password !== '') {
    return { reason: 'The address contains a user name or password, which is not sent. Remove it.' };
  }
  const local = PLAINLY_LOCAL.test(given.trim());
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!local && isAddress(host) && isPrivateAddress(host)) return { reason: privateReason(url.hostname, host) };
  return { url, local };
}

/** Also used for the address that a name resolves to when the connection is made. */
export function privateReason(name: string, address: string): string {
  const what = name === address ? address : `${name} is ${address}, which`;
  return `${what} belongs to this machine or the local network and is not fetched. For a local server write localhost or 127.0.0.1.`;
}
