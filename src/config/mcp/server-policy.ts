/** Which servers may run at all: `deniedMcpServers` and `allowedMcpServers` (MC-13). Pure. */

import type { ServerRule, ServerSettings } from '../settings/collect-servers.js';
import type { ServerRuleSetting } from '../settings/settings-schema.js';
import type { ServerConfig } from './server-config.js';

/** Why it must not run, with what says so. Undefined: it may. `config` is expanded. */
export function whyBlocked(
  name: string,
  config: ServerConfig,
  { allowed, denied, noneAllowedBy }: Pick<ServerSettings, 'allowed' | 'denied' | 'noneAllowedBy'>,
): string | undefined {
  const against = denied.find(({ rule }) => isMeant(rule, name, config, 'denied'));
  if (against !== undefined) return `deniedMcpServers ${describe(against)} forbids it`;
  if (allowed === undefined) return undefined;
  if (noneAllowedBy !== undefined) return `allowedMcpServers (${noneAllowedBy.file}) is empty: no server may run`;
  const counting = rulesFor(config, allowed);
  if (counting.some(({ rule }) => isMeant(rule, name, config, 'allowed'))) return undefined;
  const files = [...new Set(allowed.map(({ origin }) => origin.file))];
  return `allowedMcpServers (${files.join(', ')}) has no entry for ${needed(config, counting)}`;
}

/** A name is only a label: where URLs (commands) are listed, they decide about remote (local) servers. */
function rulesFor(config: ServerConfig, allowed: readonly ServerRule[]): readonly ServerRule[] {
  const key = config.kind === 'stdio' ? 'serverCommand' : 'serverUrl';
  const exact = config.kind === 'in-process' ? [] : allowed.filter(({ rule }) => rule[key] !== undefined);
  return exact.length > 0 ? exact : allowed.filter(({ rule }) => rule.serverName !== undefined);
}

function needed(config: ServerConfig, counting: readonly ServerRule[]): string {
  const byName = counting.every(({ rule }) => rule.serverName !== undefined);
  if (byName) return 'its name';
  return config.kind === 'stdio' ? 'its command with these arguments' : 'its URL';
}

function isMeant(rule: ServerRuleSetting, name: string, config: ServerConfig, how: 'allowed' | 'denied'): boolean {
  const { serverName, serverCommand, serverUrl } = rule;
  if (serverName !== undefined) {
    // Who denies a name means it however it is written.
    return how === 'allowed' ? serverName === name : serverName.trim().toLowerCase() === name.trim().toLowerCase();
  }
  if (serverCommand !== undefined) {
    if (config.kind !== 'stdio') return false;
    const own = [config.command, ...config.args];
    return own.length === serverCommand.length && own.every((word, index) => word === serverCommand[index]);
  }
  if (serverUrl === undefined || (config.kind !== 'http' && config.kind !== 'sse')) return false;
  return matchesUrl(serverUrl, config.url);
}

/**
 * `*` stands for any characters within its part: one in the host never reaches into the path, or `https://*.corp.com/*`
 * would match `https://evil.com/.corp.com/`.
 */
export function matchesUrl(pattern: string, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host, pathname, search } = new URL(url);
  const [, scheme = '*', hosts = '', rest = ''] = /^(?:([^/?#]*):\/\/)?([^/?#]*)([\s\S]*)$/.exec(pattern.trim()) ?? [];
  const path = rest === '' && hosts !== '*' ? '/' : rest.startsWith('/') || rest === '' ? rest : `/${rest}`;
  return (
    matches(scheme.toLowerCase(), protocol.slice(0, -1)) &&
    matches(withoutPort(hosts.toLowerCase(), scheme), bare(host)) &&
    ((rest === '' && hosts === '*') || matches(decoded(path), decoded(pathname + search)))
  );
}

/** `evil.com.` is `evil.com`. */
function bare(host: string): string {
  return host.toLowerCase().replace(/\.(?=:|$)/, '');
}

function withoutPort(host: string, scheme: string): string {
  const usual = scheme.toLowerCase() === 'https' ? ':443' : scheme.toLowerCase() === 'http' ? ':80' : undefined;
  return bare(usual !== undefined && host.endsWith(usual) ? host.slice(0, -usual.length) : host);
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Takes time in proportion to both lengths at most: a pattern of stars must not keep us. */
function matches(pattern: string, text: string): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let retry = 0;
  while (at < text.length) {
    if (pattern[from] === '*') {
      star = from++;
      retry = at;
    } else if (from < pattern.length && pattern[from] === text[at]) {
      from++;
      at++;
    } else if (star >= 0) {
      from = star + 1;
      at = ++retry;
    } else return false;
  }
  while (pattern[from] === '*') from++;
  return from === pattern.length;
}

function describe({ rule: { serverName, serverCommand, serverUrl }, origin }: ServerRule): string {
  return `${JSON.stringify({ serverName, serverCommand, serverUrl }).slice(0, 200)} (${origin.file})`;
}
