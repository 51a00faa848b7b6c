/** Which servers may run at all: `deniedMcpServers` and `allowedMcpServers` (MC-13). Pure. */

import type { ServerRule, ServerSettings } from '../settings/collect-servers.js';
import type { ServerRuleSetting } from '../settings/setting-shapes.js';
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
  return matchesUrl(serverUrl, config.url, how);
}

/**
 * `*` stands for any characters within its part: one in the host never reaches into the path, or `https://*.corp.com/*`
 * would match `https://evil.com/.corp.com/`. Who denies a host without a path means all of it.
 */
export function matchesUrl(pattern: string, url: string, how: 'allowed' | 'denied' = 'allowed'): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host, pathname, search } = new URL(url);
  const [, scheme = '*', hosts = '', rest = ''] = /^(?:([^/?#]*):\/\/)?([^/?#]*)([\s\S]*)$/.exec(pattern.trim()) ?? [];
  if (!matches(scheme.toLowerCase(), protocol.slice(0, -1))) return false;
  if (!matches(hostOf(hosts, protocol), bare(host))) return false;
  if (rest === '' && hosts === '*') return true;
  if (how === 'denied' && rest === '') return true;
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const [, ofPattern = '', query = ''] = /^([^?]*)([\s\S]*)$/.exec(path) ?? [];
  // A query that nobody expects is no way around what is denied; what is allowed is allowed as it is written.
  const isQueryMeant = query !== '' || how === 'allowed';
  if (isQueryMeant)
    return matches(plain(ofPattern, how) + decoded(query, how), plain(pathname, how) + decoded(search, how));
  const texts = [plain(pathname, how), plain(pathname, how) + decoded(search, how)];
  return texts.some((text) => matches(plain(ofPattern, how), text));
}

/** `evil.com.` is `evil.com`. */
function bare(host: string): string {
  return host.toLowerCase().replace(/\.(?=:|$)/, '');
}

/** As a URL of this scheme has it (names of other scripts, short addresses, the usual port), unless it has a `*`. */
function hostOf(hosts: string, protocol: string): string {
  const [, name = '', port = ''] = /^([\s\S]*?)(:(?:\d*|\*))?$/.exec(hosts) ?? [];
  const usual = protocol === 'https:' ? ':443' : ':80';
  const ended = port === usual || port === ':' ? '' : port;
  const written = `${protocol}//${name}${ended === ':*' ? '' : ended}`;
  if (name.includes('*') || name.includes('@') || !URL.canParse(written)) {
    return bare(`${name.split('.').map(ascii).join('.')}${ended}`);
  }
  return bare(`${new URL(written).host}${ended === ':*' ? ended : ''}`);
}

/** Beside a `*` each part of a name is written for itself. */
function ascii(label: string): string {
  return /^[^*@]*\P{ASCII}[^*@]*$/u.test(label) && URL.canParse(`http://${label}`)
    ? new URL(`http://${label}`).host
    : label;
}

/** Servers take `//admin`, `/%2Fadmin` and `/admin/` for `/admin`: who denies one means the others. */
function plain(path: string, how: 'allowed' | 'denied'): string {
  const text = decoded(path, how);
  return how === 'denied' ? text.replace(/[/\\]+/g, '/').replace(/(?<=.)\/$/, '') : text;
}

/** Each part for itself: what is not valid in one must not hide another. */
function decoded(text: string, how: 'allowed' | 'denied'): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (coded) => {
    try {
      return how === 'denied' ? decodeURIComponent(coded) : decodeURI(coded);
    } catch {
      return coded;
    }
  });
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
