/** Checks one entry of `mcpServers` and expands its variables (MC-1, MC-10). An invalid entry yields a reason. */

import * as z from 'zod';
import { isObject, mapValues } from '../../protocol/json/json-values.js';
import { once } from '../../protocol/once.js';
import type { Failure, Result } from '../../protocol/result.js';
import { replaceInShell } from '../plugins/plugin-variables.js';
import { describeIssue } from '../settings/setting-issue.js';
import { createExpansion, type Expansion, type ExpansionOptions } from './expand-variables.js';
import type { InProcessServer, RemoteConfig, ServerConfig, SkippedServer, StdioConfig } from './server-config.js';
import { readToolPolicy } from './tool-policy.js';

export type CheckedServer =
  | {
      readonly ok: true;
      readonly config: ServerConfig;
      /** Environment variables whose values it receives. */
      readonly uses: readonly string[];
      readonly warnings: readonly string[];
    }
  | (Failure & { readonly transport: SkippedServer['transport'] });

const LEAST_TIMEOUT_MS = 1_000;

export function checkServer(raw: unknown, options: ExpansionOptions): CheckedServer {
  const transport = transportOf(raw);
  const refused = (reason: string): CheckedServer => ({ ok: false, transport, reason });
  if (!isObject(raw)) return refused('its entry must be an object: {"command": "…"} or {"type": "http", "url": "…"}');
  const wrong = whyNotType(raw);
  if (wrong !== undefined) return refused(wrong);
  const expansion = createExpansion(options);
  const checked =
    transport === 'stdio' ? checkStdio(raw, expansion) : checkRemote(raw, expansion, transport, options.plugin);
  if (!checked.ok) return refused(checked.reason);
  const unset = whyNotExpanded(expansion);
  if (unset !== undefined) return refused(unset);
  const bad = checked.config.kind === 'stdio' ? whyNotStdio(checked.config) : whyNotRemote(checked.config);
  if (bad !== undefined) return refused(bad);
  const { common, warnings } = readCommon(raw);
  const config: ServerConfig = { ...checked.config, ...common };
  return {
    ok: true,
    config,
    uses: [...expansion.used].sort(),
    warnings: [...warnings, ...oddities(config, expansion)],
  };
}

/** Checks an object that is connected in this process; undefined if it is not one. */
export function checkInProcess(raw: unknown): Extract<CheckedServer, { ok: true }> | undefined {
  const server = inProcessServer(raw);
  if (server === undefined) return undefined;
  const { common, warnings } = isObject(raw) && raw !== server ? readCommon(raw) : { common: {}, warnings: [] };
  return { ok: true, config: { kind: 'in-process', server, ...common }, uses: [], warnings };
}

/** Reads the keys that entries of every kind may have. */
function readCommon(raw: Readonly<Record<string, unknown>>) {
  const { timeoutMs, warning } = timeoutOf(raw.timeout);
  const { policy, warnings } = readToolPolicy(raw.tools);
  const common: Pick<ServerConfig, 'timeoutMs' | 'alwaysLoad' | 'policy'> = {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(raw.alwaysLoad === true ? { alwaysLoad: true } : {}),
    ...(policy === undefined ? {} : { policy }),
  };
  return { common, warnings: [...(warning === undefined ? [] : [warning]), ...warnings] };
}

/** Finds a server object of the library's user, or one in the wrapper that other libraries use. */
function inProcessServer(raw: unknown): InProcessServer | undefined {
  const isServer = (value: unknown): value is InProcessServer =>
    typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function';
  if (isServer(raw)) return raw;
  return isObject(raw) && isServer(raw.instance) ? raw.instance : undefined;
}

export function transportOf(raw: unknown): SkippedServer['transport'] {
  if (!isObject(raw)) return 'unknown';
  switch (raw.type) {
    case undefined:
      return raw.url === undefined ? 'stdio' : 'unknown';
    case 'stdio':
    case 'http':
    case 'sse':
      return raw.type;
    case 'streamable-http':
      return 'http';
    default:
      return 'unknown';
  }
}

function whyNotType({ type, url }: Readonly<Record<string, unknown>>): string | undefined {
  switch (type) {
    case undefined:
      return url === undefined ? undefined : 'it has a url and no type: add "type": "http" (or "sse")';
    case 'stdio':
    case 'http':
    case 'streamable-http':
    case 'sse':
      return undefined;
    case 'ws':
    case 'websocket':
      return 'the type "ws" is not supported yet: use "http", if the server offers it';
    default:
      return `the type must be "stdio", "http" or "sse", not ${JSON.stringify(type)?.slice(0, 60)}`;
  }
}

type Checked<T> = Result<{ readonly config: T }>;

function checkStdio(raw: object, { expand }: Expansion): Checked<StdioConfig> {
  const parsed = serverSchemas().stdio.safeParse(raw);
  if (!parsed.success) return { ok: false, reason: describe(parsed.error, raw) };
  const { command, args = [], env = {} } = parsed.data;
  const config = {
    kind: 'stdio',
    command: expand(command),
    args: args.map(expand),
    env: mapValues(env, expand),
  } as const;
  return { ok: true, config };
}

function checkRemote(
  raw: object,
  { expand }: Expansion,
  kind: SkippedServer['transport'],
  plugin: ExpansionOptions['plugin'],
): Checked<RemoteConfig> {
  const parsed = serverSchemas().remote.safeParse(raw);
  if (!parsed.success) return { ok: false, reason: describe(parsed.error, raw) };
  const { url, headers = {}, headersHelper, oauth } = parsed.data;
  const config: RemoteConfig = {
    kind: kind === 'sse' ? 'sse' : 'http',
    url: expand(url),
    headers: mapValues(headers, expand),
    ...(headersHelper === undefined ? {} : { headersHelper: helperOf(headersHelper, plugin) }),
    ...(oauth === undefined ? {} : { oauth: withoutUndefined(oauth) }),
  };
  return { ok: true, config };
}

/** The command is run by a shell. */
function helperOf(command: string, plugin: ExpansionOptions['plugin']): string {
  return plugin === undefined ? command : replaceInShell(command, plugin.variables);
}

function describe(error: z.ZodError, raw: object): string {
  const [first] = error.issues;
  const more = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : '';
  return first === undefined ? 'its entry is not valid' : `${describeIssue(first, raw).message}${more}`;
}

function whyNotExpanded({ missing, refused }: Expansion): string | undefined {
  if (refused.size > 0) return `it asks for ${list(refused)}: a project's servers don't get coppice's own keys`;
  if (missing.size === 0) return undefined;
  if ([...missing].some((name) => name.startsWith('user_config.')))
    return `${list(missing)}: not set: add it to pluginConfigs in your settings, {"plugin": {"options": {…}}}`;
  return `${list(missing)} ${missing.size === 1 ? 'is' : 'are'} not set: set it, or write a default as in \${NAME:-default}`;
}

function whyNotStdio({ command }: StdioConfig): string | undefined {
  return command.trim() === '' ? 'its command is empty' : undefined;
}

/** Checks the expanded values. They may be secret, so the reasons don't repeat them. */
function whyNotRemote({ url, headers }: RemoteConfig): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return 'its url is not a valid URL';
  if (!/^https?:$/.test(parsed.protocol)) return `its url must begin with https:// or http://, not ${parsed.protocol}`;
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name))
      return `${JSON.stringify(name).slice(0, 80)} can't be the name of a header`;
    if (/[\r\n\0]/.test(value.trim())) return `the header ${name} has a line break in its value`;
  }
  return undefined;
}

function timeoutOf(timeout: unknown): { readonly timeoutMs?: number; readonly warning?: string } {
  if (timeout === undefined) return {};
  if (typeof timeout === 'number' && timeout >= LEAST_TIMEOUT_MS) return { timeoutMs: Math.min(timeout, 2 ** 31 - 1) };
  return { warning: `its timeout is ignored: it must be at least ${LEAST_TIMEOUT_MS} milliseconds` };
}

function oddities(config: ServerConfig, { odd }: Expansion): readonly string[] {
  const spaced = valuesOf(config).filter(([, value]) => value !== value.trim() && value.trim() !== '');
  return [
    ...spaced.map(([place]) => `${place} begins or ends with a space, which is used as written`),
    ...[...odd].map((text) => `${text.slice(0, 80)} is not a variable, and is used as written`),
  ];
}

/** Every value in which variables are expanded, with its path in the entry. */
function valuesOf(config: ServerConfig): readonly (readonly [place: string, value: string])[] {
  const of = (key: string, record: Readonly<Record<string, string>>) =>
    Object.entries(record).map(([name, value]) => [`${key}.${name}`, value] as const);
  switch (config.kind) {
    case 'stdio':
      return [
        ['command', config.command],
        ...config.args.map((value, index) => [`args[${index}]`, value] as const),
        ...of('env', config.env),
      ];
    case 'http':
    case 'sse':
      return [['url', config.url], ...of('headers', config.headers)];
    case 'in-process':
      return [];
    default:
      return config satisfies never;
  }
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

function list(names: ReadonlySet<string>): string {
  return [...names].sort().join(', ');
}

/** Built on first use. */
const serverSchemas = once(() => {
  const line = z.string().refine((value) => !value.includes('\0'), 'a string without NUL characters');
  const filled = line.refine((value) => value.trim() !== '', 'a string that is not empty');
  const value = z
    .unknown()
    .refine((one) => ['string', 'number', 'boolean'].includes(typeof one) && !String(one).includes('\0'), 'a string')
    .transform(String);
  const oauth = z.object({
    clientId: filled.optional(),
    scopes: z.union([line, z.array(line).transform((scopes) => scopes.join(' '))]).optional(),
    callbackPort: z.int().min(1).max(65_535).optional(),
    authServerMetadataUrl: filled
      .refine((url) => URL.canParse(url) && new URL(url).protocol === 'https:', 'a URL that begins with https://')
      .optional(),
  });
  const variable = z.string().regex(/^[^=\0]+$/, 'a name without "="');
  return {
    stdio: z.object({
      command: filled,
      args: z.array(line).optional(),
      env: z.record(variable, value).optional(),
    }),
    remote: z.object({
      url: filled,
      headers: z.record(z.string(), value).optional(),
      headersHelper: filled.optional(),
      oauth: oauth.optional(),
    }),
  };
});
