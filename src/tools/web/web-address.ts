/** Which addresses may be asked: the public web, and this machine when it is named plainly. */

import { BlockList, isIP } from 'node:net';
import { once } from '../../protocol/once.js';

export type CheckedUrl = { readonly url: URL; readonly local: boolean } | { readonly reason: string };

const MAX_CHARS = 4_000;
/** As a person would write it. `2130706433`, `0x7f.1` and `localhost.` are other spellings that only hide it. */
const PLAINLY_LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?#]|$)/i;

export function checkUrl(given: string): CheckedUrl {
  if (given.length > MAX_CHARS)
    return { reason: `The address has ${given.length} characters; at most ${MAX_CHARS} are taken.` };
  if (!URL.canParse(given))
    return { reason: `"${given}" is not a web address. Write it whole: https://example.com/page` };
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { reason: `${url.protocol}// can't be fetched, only http:// and https://. For a file use Read.` };
  }
  if (url.username !== '' || url.password !== '') {
    return { reason: 'The address holds a user name or password; that is not sent. Leave it out.' };
  }
  const local = PLAINLY_LOCAL.test(given.trim());
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!local && isIP(host) !== 0 && isPrivateAddress(host)) return { reason: privateReason(url.hostname, host) };
  return { url, local };
}

/** Also what a name led to, when the connection is made. */
export function privateReason(name: string, address: string): string {
  const what = name === address ? address : `${name} is ${address}, which`;
  return `${what} belongs to this machine or the local network and is not fetched. For a local server write localhost or 127.0.0.1.`;
}

export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  // What is no address can't be shown to be public.
  if (family === 0) return true;
  return notPublic().check(address, family === 4 ? 'ipv4' : 'ipv6');
}

const notPublic = once((): BlockList => {
  const list = new BlockList();
  const v4: readonly [string, number][] = [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ];
  for (const [net, bits] of v4) {
    list.addSubnet(net, bits, 'ipv4');
    // The same behind a gateway from IPv6, and written as IPv6.
    list.addSubnet(`64:ff9b::${net}`, 96 + bits, 'ipv6');
    list.addSubnet(`::ffff:${net}`, 96 + bits, 'ipv6');
    list.addSubnet(`::${net}`, 96 + bits, 'ipv6');
  }
  for (const [net, bits] of [
    ['::', 127],
    ['fc00::', 7],
    ['fe80::', 10],
    ['fec0::', 10],
    ['ff00::', 8],
  ] as const) {
    list.addSubnet(net, bits, 'ipv6');
  }
  return list;
});
