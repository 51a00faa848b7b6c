/** Finds keys of an entry that have no effect here, because their author may rely on them. Pure. */

import { isObject } from '../../protocol/json/json-values.js';
import { transportOf } from './check-server.js';

const SHARED = ['type', 'timeout', 'alwaysLoad', 'tools'];
const STDIO: ReadonlySet<string> = new Set([...SHARED, 'command', 'args', 'env']);
const REMOTE: ReadonlySet<string> = new Set([...SHARED, 'url', 'headers', 'headersHelper', 'oauth']);
const OAUTH: ReadonlySet<string> = new Set(['clientId', 'scopes', 'callbackPort', 'authServerMetadataUrl']);

const INSTEAD: Readonly<Record<string, string>> = {
  cwd: 'a server runs in the folder that coppice is started in',
  disabled: 'name the server in disabledMcpjsonServers of your settings, or remove it',
};

const MOST = 10;

/** Messages for you. Comments are ignored. */
export function describeUnusedKeys(raw: unknown): readonly string[] {
  const transport = transportOf(raw);
  if (!isObject(raw) || transport === 'unknown') return [];
  const known = transport === 'stdio' ? STDIO : REMOTE;
  const isUnused = (key: string) => !known.has(key) && !/^(?:[_$#/]|comment|description$)/.test(key);
  const unused = Object.keys(raw).filter(isUnused);
  const oauth = known === REMOTE && isObject(raw.oauth) ? Object.keys(raw.oauth) : [];
  const all = [...unused, ...oauth.filter((key) => !OAUTH.has(key)).map((key) => `oauth.${key}`)];
  return all.slice(0, MOST).map((key) => {
    const instead = Object.hasOwn(INSTEAD, key) ? `: ${INSTEAD[key]}` : '';
    return `its ${JSON.stringify(key).slice(0, 80)} has no effect here${instead}`;
  });
}
