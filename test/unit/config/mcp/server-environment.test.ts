/** What a server's process finds in its environment (MC-12). */

import { expect, it } from 'vitest';
import type { ConfiguredServer, ServerConfig } from '../../../../src/config/mcp/server-config.js';
import { looksSecret, serverEnvironment } from '../../../../src/config/mcp/server-environment.js';
import { OWN_KEYS } from '../../../../src/host/programs/process-environment.js';

const server = (isForeign: boolean, config: ServerConfig): ConfiguredServer => ({
  name: 's',
  origin: { scope: 'user', file: 'f' },
  config,
  isForeign,
  projectRoot: '/p',
});
const stdio = (env: Record<string, string> = {}): ServerConfig => ({ kind: 'stdio', command: 'x', args: [], env });

const SECRETS = [
  'GITHUB_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'PGPASSWORD',
  'npm_config__authToken',
  'SSH_AUTH_SOCK',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'OPENAI_APIKEY',
  'apiKey',
  'DB_PASS',
  'MYSQL_PWD',
  'XAUTHORITY',
];
const PLAIN = ['PATH', 'HOME', 'PWD', 'KEYBOARD', 'GIT_AUTHOR_NAME', 'LANG', 'NODE_ENV', 'COMPASS'];
const all = (names: Iterable<string>) => Object.fromEntries([...names].map((name) => [name, 'v']));

it("MC-12: a user's own server inherits all but our model keys", () => {
  const { env, withheld } = serverEnvironment(server(false, stdio({ MINE: 'm' })), {
    ...all(SECRETS),
    ...all(PLAIN),
    ...all(OWN_KEYS),
    UNSET: undefined,
  });
  expect(env).toEqual({ ...all(SECRETS), ...all(PLAIN), MINE: 'm', CLAUDE_PROJECT_DIR: '/p' });
  expect(withheld).toEqual([...OWN_KEYS].sort());
  expect([...OWN_KEYS]).toEqual(expect.arrayContaining(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']));
});

it("MC-12: a project's also loses what looks secret, unless its env names it", () => {
  const given = { ...all(SECRETS), ...all(PLAIN), ...all(OWN_KEYS) };
  const { env, withheld } = serverEnvironment(server(true, stdio({ GITHUB_TOKEN: 'named' })), given);
  expect(env).toEqual({ ...all(PLAIN), GITHUB_TOKEN: 'named', CLAUDE_PROJECT_DIR: '/p' });
  expect(withheld).toEqual([...SECRETS, ...OWN_KEYS].filter((name) => name !== 'GITHUB_TOKEN').sort());
  const helper: ServerConfig = { kind: 'http', url: 'https://x', headers: {}, headersHelper: 'h' };
  expect(serverEnvironment(server(true, helper), given).env).toEqual({ ...all(PLAIN), CLAUDE_PROJECT_DIR: '/p' });
});

it('MC-12: names are judged by their parts; odd ones do no harm', () => {
  for (const name of SECRETS) expect([name, looksSecret(name)]).toEqual([name, true]);
  for (const name of PLAIN) expect([name, looksSecret(name)]).toEqual([name, false]);
  const odd = JSON.parse('{"__proto__": "p", "toString": "t"}') as Record<string, string>;
  const { env } = serverEnvironment(server(true, stdio()), odd);
  expect(Object.entries(env)).toEqual(expect.arrayContaining([['toString', 't']]));
  expect(serverEnvironment(server(false, stdio()), { Anthropic_Api_Key: 'k' }).withheld).toEqual(['Anthropic_Api_Key']);
});
