/** Creates a bare client from environment and settings: endpoint, key, proxy, certificate authorities. No retries yet. */

import type { Environment, Host } from '../../host/host.js';
import type { PlainFetch } from '../../host/network.js';
import { processEnvironment } from '../../host/programs/process-environment.js';
import type { Failure } from '../../protocol/result.js';
import type { ModelClient } from '../model-client.js';
import { type Credentials, createAnthropicClient } from './anthropic-client.js';
import { credentialSource, DEFAULT_ENDPOINT } from './credential-source.js';

export type ConnectOptions = {
  readonly host: Host;
  /** The environment of the process, overridden by the user's own settings. Never a project's. */
  readonly env: Environment;
  readonly apiKeyHelper?: string;
  readonly userAgent: string;
  /** How long a response may be silent. */
  readonly stallMs?: number;
  /** Wraps the connection, or replaces it: then no key is needed or looked up. */
  readonly traffic?:
    | { readonly kind: 'around'; wrap(fetch: PlainFetch): PlainFetch }
    | { readonly kind: 'instead'; readonly fetch: PlainFetch };
};

export type Connected =
  | { readonly ok: true; readonly client: ModelClient; readonly baseUrl: string }
  | { readonly ok: false; readonly kind: 'no-key' }
  | (Failure & { readonly kind: 'bad-endpoint' | 'bad-proxy' | 'bad-ca' });

const DEFAULT_SILENCE_MS = 180_000;

export async function connectAnthropic(options: ConnectOptions): Promise<Connected> {
  const { env, host, traffic } = options;
  if (traffic?.kind === 'instead') return { ok: true, client: replacedClient(options, traffic.fetch), baseUrl: '' };
  const credentials = findCredentials(options);
  if (credentials === undefined) return { ok: false, kind: 'no-key' };
  const baseUrl = env.ANTHROPIC_BASE_URL?.trim() || DEFAULT_ENDPOINT;
  if (!/^https?:\/\/[^/]/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    return { ok: false, kind: 'bad-endpoint', reason: `ANTHROPIC_BASE_URL is not a URL: ${baseUrl}` };
  }
  const route = await host.network.findFetch(new URL(baseUrl), env);
  if (!route.ok) return route;
  const client = createAnthropicClient({
    baseUrl,
    credentials,
    userAgent: options.userAgent,
    clock: host.clock,
    silenceMs: options.stallMs ?? DEFAULT_SILENCE_MS,
    ...(options.stallMs === undefined ? {} : { pingsMs: options.stallMs }),
    fetch: traffic === undefined ? route.fetch : traffic.wrap(route.fetch),
  });
  return { ok: true, client, baseUrl };
}

const NEVER_MS = 2 ** 31 - 1;

/** A replacement of the API may take any time to answer. */
function replacedClient({ userAgent, host }: ConnectOptions, fetch: PlainFetch): ModelClient {
  const credentials = { kind: 'key', key: 'none' } as const;
  const { clock } = host;
  return createAnthropicClient({
    baseUrl: DEFAULT_ENDPOINT,
    credentials,
    userAgent,
    clock,
    silenceMs: NEVER_MS,
    fetch,
  });
}

function findCredentials({ env, apiKeyHelper, host }: ConnectOptions): Credentials | undefined {
  const source = credentialSource(env, apiKeyHelper);
  switch (source) {
    case 'ANTHROPIC_API_KEY':
      return { kind: 'key', key: env.ANTHROPIC_API_KEY?.trim() ?? '' };
    case 'ANTHROPIC_AUTH_TOKEN':
      return { kind: 'token', token: env.ANTHROPIC_AUTH_TOKEN?.trim() ?? '' };
    case 'apiKeyHelper':
      return { kind: 'helper', getKey: keyFromHelper(apiKeyHelper ?? '', host, env) };
    case undefined:
      return undefined;
    default:
      return source satisfies never;
  }
}

function keyFromHelper(command: string, host: Host, env: Environment): (fresh: boolean) => Promise<string> {
  let known: Promise<string> | undefined;
  return (fresh) => {
    if (fresh || known === undefined) {
      known = host.processes
        .run({
          file: '/bin/sh',
          args: ['-c', command],
          cwd: host.folder,
          env: processEnvironment({ ...host, env }, 'command'),
          timeoutMs: 30_000,
          maxBytes: 64 * 1024,
        })
        .then((end) => {
          const key = end.stdout.toString('utf8').trim();
          if (end.code === 0 && key !== '') return key;
          throw new Error(
            `apiKeyHelper printed no key (exit ${end.code ?? end.signal}): ${end.stderr.toString('utf8').slice(0, 300)}`,
          );
        });
      known.catch(() => {
        known = undefined;
      });
    }
    return known;
  };
}
