/** Decides which servers may run at all: `deniedMcpServers` and `allowedMcpServers` (MC-13). Pure. */

import type { ServerRule, ServerSettings } from '../settings/collect-servers.js';
import type { ServerRuleSetting } from '../settings/setting-shapes.js';
import type { ServerConfig } from './server-config.js';

/** The reason why it must not run, with its source. Undefined: it may. `config` is expanded. */
export function whyBlocked(
  name: string,
  config: ServerConfig,
  { allowed, denied, noneAllowedBy }: Pick<ServerSettings, 'allowed' | 'denied' | 'noneAllowedBy'>,
): string | undefined {
  const against = denied.find(({ rule }) => matchesRule(rule, name, config, 'denied'));
  if (against !== undefined) return `deniedMcpServers ${describe(against)} forbids it`;
  if (allowed === undefined) return undefined;
  if (noneAllowedBy !== undefined) return `allowedMcpServers (${noneAllowedBy.file}) is empty: no server may run`;
  const applicable = rulesFor(config, allowed);
  if (applicable.some(({ rule }) => matchesRule(rule, name, config, 'allowed'))) return undefined;
  const files = [...new Set(allowed.map(({ origin }) => origin.file))];
  return `allowedMcpServers (${files.join(', ')}) has no entry for ${needed(config, applicable)}`;
}

/** Names are only labels: if URLs are listed, they decide about remote servers, and commands about local ones. */
function rulesFor(config: ServerConfig, allowed: readonly ServerRule[]): readonly ServerRule[] {
  const key = config.kind === 'stdio' ? 'serverCommand' : 'serverUrl';
  const exact = config.kind === 'in-process' ? [] : allowed.filter(({ rule }) => rule[key] !== undefined);
  return exact.length > 0 ? exact : allowed.filter(({ rule }) => rule.serverName !== undefined);
}

function needed(config: ServerConfig, applicable: readonly ServerRule[]): string {
  const byName = applicable.every(({ rule }) => rule.serverName !== undefined);
  if (byName) return 'its name';
  return config.kind === 'stdio' ? 'its command with these arguments' : 'its URL';
}

function matchesRule(rule: ServerRuleSetting, name: string, config: ServerConfig, how: 'allowed' | 'denied'): boolean {
  const { serverName, serverCommand, serverUrl } = rule;
  if (serverName !== undefined) {
    // A denied name applies in any spelling.
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
 * `*` matches any characters within its part of the URL: one in the host never extends into the path, or
 * `https://*.corp.com/*` would match `https://evil.com/.corp.com/`. A denied host without a path covers all paths.
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
  // An unexpected query must not bypass a denial; an allowed URL is allowed only as written.
  const includesQuery = query !== '' || how === 'allowed';
  if (includesQuery)
    return matches(plain(ofPattern, how) + decoded(query, how), plain(pathname, how) + decoded(search, how));
  const texts = [plain(pathname, how), plain(pathname, how) + decoded(search, how)];
  return texts.some((text) => matches(plain(ofPattern, how), text));
}

/** `evil.com.` is `evil.com`. */
function bare(host: string): string {
  return host.toLowerCase().replace(/\.(?=:|$)/, '');
}

/** Normalises a host like a URL of this scheme does (other scripts, short addresses, default port), unless it has a `*`. */
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

/** Next to a `*`, each label of a name is converted separately. */
function ascii(label: string): string {
  return /^[^*@]*\P{ASCII}[^*@]*$/u.test(label) && URL.canParse(`http://${label}`)
    ? new URL(`http://${label}`).host
    : label;
}

/** Servers treat `//admin`, `/%2Fadmin` and `/admin/` as `/admin`, so denying one denies the others. */
function plain(path: string, how: 'allowed' | 'denied'): string {
  const text = decoded(path, how);
  return how === 'denied' ? text.replace(/[/\\]+/g, '/').replace(/(?<=.)\/$/, '') : text;
}

/** Decodes each part separately, so that an invalid one does not hide another. */
function decoded(text: string, how: 'allowed' | 'denied'): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (coded) => {
    try {
      return how === 'denied' ? decodeURIComponent(coded) : decodeURI(coded);
    } catch {
      return coded;
    }
  });
}

/** Runs in time proportional to the product of both lengths, so that a pattern of stars can't stall us. */
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
