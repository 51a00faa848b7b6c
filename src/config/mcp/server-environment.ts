/** The environment of a server's process, and of the command that prints its headers (MC-12). Pure. */

import type { Environment } from '../../host/host.js';
import { isOwnKey } from '../../host/programs/process-environment.js';
import type { ConfiguredServer } from './server-config.js';

export type ServerEnvironment = {
  readonly env: Readonly<Record<string, string>>;
  /** Names that were left out, to explain why a server can't start. Sorted. */
  readonly withheld: readonly string[];
};

/**
 * Variables in the entry's own `env` are always included: they were visible when it was approved. `clean`: the
 * environment of a process we start; of `env`, only what is there reaches a server.
 */
export function serverEnvironment(server: ConfiguredServer, env: Environment, clean = env): ServerEnvironment {
  const own = server.config.kind === 'stdio' ? server.config.env : {};
  const passed: Record<string, string> = Object.create(null);
  const withheld: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    const given = clean[name];
    if (value === undefined || Object.hasOwn(own, name)) continue;
    if (isOwnKey(name) || (server.isForeign && looksSecret(name))) withheld.push(name);
    else if (given !== undefined) passed[name] = given;
  }
  if (server.projectRoot !== undefined) passed.CLAUDE_PROJECT_DIR = server.projectRoot;
  return { env: { ...passed, ...server.variables, ...own }, withheld: withheld.sort() };
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
