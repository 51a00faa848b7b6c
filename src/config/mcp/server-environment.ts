/** The environment of a server's process, and of the command that prints its headers (MC-12). Pure. */

import type { Environment } from '../../host/host.js';
import type { ConfiguredServer } from './server-config.js';

/** Our own credentials for models. No server receives them, and no entry of somebody else can refer to them. */
export const OWN_KEYS: ReadonlySet<string> = new Set([
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_OAUTH_TOKEN',
]);

export type ServerEnvironment = {
  readonly env: Readonly<Record<string, string>>;
  /** Names that were left out, to explain why a server can't start. Sorted. */
  readonly withheld: readonly string[];
};

/** Variables in the entry's own `env` are always included: they were visible when it was approved. */
export function serverEnvironment(server: ConfiguredServer, env: Environment): ServerEnvironment {
  const own = server.config.kind === 'stdio' ? server.config.env : {};
  const passed: Record<string, string> = Object.create(null);
  const withheld: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || Object.hasOwn(own, name)) continue;
    if (isOwnKey(name) || (server.isForeign && looksSecret(name))) withheld.push(name);
    else passed[name] = value;
  }
  if (server.projectRoot !== undefined) passed.CLAUDE_PROJECT_DIR = server.projectRoot;
  return { env: { ...passed, ...server.variables, ...own }, withheld: withheld.sort() };
}

/** Some systems ignore case in names. */
export function isOwnKey(name: string): boolean {
  return OWN_KEYS.has(name.toUpperCase());
}

/** `GITHUB_TOKEN`, `PGPASSWORD`, `SSH_AUTH_SOCK`, `apiKey`; not `KEYBOARD`, `GIT_AUTHOR_NAME`, `PWD`. */
export function looksSecret(name: string): boolean {
  const parts = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z\d]+/);
  return parts.some((part) => SECRET_PART.test(part)) || /_(?:PASS|PWD)$/.test(name.toUpperCase());
}

const SECRET_PART =
  /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|KEYS?\d*$|^KEY(?:FILE|STORE|RING|CHAIN)|AUTH(?!OR(?!I))/;
