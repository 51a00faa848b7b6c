/**
 * `WebFetch(domain:x)` matches the host, `domain:*.x` the host and its subdomains. Allow rules accept the host only in
 * its plain spelling; deny and ask rules see through other spellings, cover subdomains too, and take `*` anywhere.
 */

import type { RuleBehavior } from '../../../protocol/permission.js';
import { matchStars } from './command-pattern.js';

/** `host` may contain `*` in deny and ask rules; `*` alone is every host. */
export type HostPattern = { readonly host: string; readonly below: boolean };

export function readHostPattern(specifier: string, behavior: RuleBehavior): HostPattern | { readonly warning: string } {
  const meant = readWidely(specifier);
  if (behavior !== 'allow') return meant ?? { warning: NO_HOST };
  const given = /^domain:\s*(\S+)$/.exec(specifier.trim())?.[1]?.toLowerCase();
  if (given === '*') return { host: '*', below: true };
  const below = given?.startsWith('*.') === true;
  const host = given === undefined ? undefined : normalHost(below ? given.slice(2) : given);
  if (host !== undefined) return { host, below };
  if (meant === undefined || meant.host.includes('*')) return { warning: NO_HOST };
  const spelling = `WebFetch(domain:${meant.below ? '*.' : ''}${meant.host})`;
  return { warning: `write domain:host, without anything else: ${spelling}` };
}

const NO_HOST = 'it names no host: write domain:host, for example WebFetch(domain:example.com), one rule for each host';

/** The host that someone may mean by a URL, a port, a path or a leading dot. */
function readWidely(specifier: string): HostPattern | undefined {
  const given = specifier.trim().replace(/^(?:domain|(?:host|url)(?!:\d)):\s*/i, '');
  // A range of addresses is more than the host in it.
  if (/^[\d.]+\/\d+$/.test(given)) return undefined;
  const host = given
    .replace(/^(?:[a-z*][a-z0-9+.*-]*:)?\/\//i, '')
    .replace(/[/?#\\].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:(?:\d*|\*)$/, '')
    .replace(/\*+/g, '*');
  if (host === '*') return { host, below: true };
  const bare = host.replace(/^(?:\*?\.)+/, '').replace(/(?<!\*)\.$/, '');
  const whole = bare.includes('*') ? normalLabels(bare) : normalHost(bare);
  return whole === undefined ? undefined : { host: whole, below: bare !== host.replace(/\.$/, '') };
}

/** For allow rules. */
export function isHostExactly(pattern: HostPattern, url: string): boolean {
  const written = /^https?:\/\/([^/?#\\]*)/i.exec(url)?.[1];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the URL parser drops these in silence.
  const parsed = /[\u0000-\u0020\u007f\\]/.test(url) ? undefined : parseUrl(url);
  if (written === undefined || parsed === undefined) return false;
  // A user name, a port, a trailing dot or another spelling of the host is not what the rule's author meant.
  if (written.toLowerCase() !== parsed.hostname || parsed.hostname.endsWith('.')) return false;
  if (pattern.host === '*' || parsed.hostname === pattern.host) return true;
  return pattern.below && parsed.hostname.endsWith(`.${pattern.host}`);
}

/** For deny and ask rules. */
export function isHostWidely(pattern: HostPattern, url: string): boolean {
  if (pattern.host === '*') return true;
  const host = parseUrl(url)?.hostname.replace(/\.+$/, '');
  if (host === undefined) return false;
  return matchStars(pattern.host, host) || matchStars(`*.${pattern.host}`, host);
}

function parseUrl(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

const PLAIN_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;

/** As a URL has it: lower case, other letters encoded, an address in one form. Undefined if it is not one host. */
function normalHost(given: string): string | undefined {
  if (/[/?#@\\]/.test(given) || (given.includes(':') && !/^\[.*\]$/.test(given))) return undefined;
  const host = parseUrl(`http://${given}/`)?.hostname.replace(/\.$/, '');
  return host !== undefined && PLAIN_HOST.test(host) ? host : undefined;
}

/** Label by label, because a URL can't contain a `*`. */
function normalLabels(given: string): string | undefined {
  const labels = given.split('.').map((label) => {
    if (/^[a-z0-9_*-]+$/i.test(label)) return label.toLowerCase();
    return label.includes('*') ? undefined : normalHost(label);
  });
  return labels.includes(undefined) ? undefined : labels.join('.');
}
