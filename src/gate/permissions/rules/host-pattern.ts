/**
 * `WebFetch(domain:x)` matches the host, `domain:*.x` the host and its subdomains. Allow rules accept the host only in
 * its plain spelling; deny and ask rules see through other spellings and cover subdomains too.
 */

export type HostPattern = { readonly host: string; readonly below: boolean; readonly every: boolean };

export function readHostPattern(specifier: string): HostPattern | { readonly warning: string } {
  const given = /^domain:\s*(\S+)$/.exec(specifier.trim())?.[1];
  if (given === undefined) return { warning: 'write domain:host, for example WebFetch(domain:example.com)' };
  if (given === '*') return { host: '*', below: true, every: true };
  const below = given.startsWith('*.');
  const host = normalHost(below ? given.slice(2) : given);
  if (host === undefined) return { warning: `${given} is not a host name` };
  return { host, below, every: false };
}

/** For allow rules. */
export function isHostExactly(pattern: HostPattern, url: string): boolean {
  const written = /^https?:\/\/([^/?#\\]*)/i.exec(url)?.[1];
  const parsed = parseUrl(url);
  if (written === undefined || parsed === undefined) return false;
  // A user name, a port, a trailing dot or another spelling of the host is not what the rule's author meant.
  if (written.toLowerCase() !== parsed.hostname || parsed.hostname.endsWith('.')) return false;
  if (pattern.every || parsed.hostname === pattern.host) return true;
  return pattern.below && parsed.hostname.endsWith(`.${pattern.host}`);
}

/** For deny and ask rules. */
export function isHostWidely(pattern: HostPattern, url: string): boolean {
  if (pattern.every) return true;
  const parsed = parseUrl(url);
  if (parsed === undefined) return false;
  const host = parsed.hostname.replace(/\.$/, '');
  return host === pattern.host || host.endsWith(`.${pattern.host}`);
}

function parseUrl(url: string): URL | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the URL parser drops these in silence.
  if (/[\u0000-\u0020\u007f\\]/.test(url)) return undefined;
  try {
    const parsed = new URL(url);
    return parsed.protocol === 'http:' || parsed.protocol === 'https:' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function normalHost(given: string): string | undefined {
  if (/[/?#@\\:]/.test(given) && !/^\[[0-9a-f:.]+\]$/i.test(given)) return undefined;
  const host = parseUrl(`http://${given}/`)?.hostname.replace(/\.$/, '');
  return host === '' ? undefined : host;
}
