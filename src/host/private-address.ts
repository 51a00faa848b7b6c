/** Recognises IP addresses of this machine and the local network. */

import { BlockList, isIP } from 'node:net';
import { once } from '../protocol/once.js';

/** True for an IP address, false for a host name. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** Text that is not an address is treated as private. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
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
    // The same range through an IPv6 gateway (NAT64), and as IPv4-mapped IPv6.
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
