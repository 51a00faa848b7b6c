/** Creates a bare client from environment and settings: endpoint, key, proxy, certificate authorities. No retries yet. */

import type { Environment, Host } from '../../host/host.js';
import type { ModelClient } from '../model-client.js';
import { type Credentials, createAnthropicClient } from './anthropic-client.js';

export type ConnectOptions = {
  readonly host: Host;
  /** The environment of the process, overridden by the user's own settings. Never a project's. */
  readonly env: Environment;
  readonly apiKeyHelper?: string;
  readonly userAgent: string;
  /** How long a response may say nothing. */
  readonly stallMs?: number;
};

export type Connected =
  | { readonly ok: true; readonly client: ModelClient; readonly baseUrl: string }
  | { readonly ok: false; readonly kind: 'no-key' }
  | { readonly ok: false; readonly kind: 'bad-endpoint' | 'bad-proxy' | 'bad-ca'; readonly reason: string };

const DEFAULT_ENDPOINT = 'https://api.anthropic.com';
const DEFAULT_SILENCE_MS = 180_000;

export async function connectAnthropic(options: ConnectOptions): Promise<Connected> {
  const { env, host } = options;
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
    fetch: route.fetch,
  });
  return { ok: true, client, baseUrl };
}

function findCredentials({ env, apiKeyHelper, host }: ConnectOptions): Credentials | undefined {
  const key = env.ANTHROPIC_API_KEY?.trim();
  if (key) return { kind: 'key', key };
  const token = env.ANTHROPIC_AUTH_TOKEN?.trim();
  if (token) return { kind: 'token', token };
  return apiKeyHelper ? { kind: 'helper', getKey: keyFromHelper(apiKeyHelper, host, env) } : undefined;
}

function keyFromHelper(command: string, host: Host, env: Environment): (fresh: boolean) => Promise<string> {
  let known: Promise<string> | undefined;
  return (fresh) => {
    if (fresh || known === undefined) {
      known = host.processes
        .run({ file: '/bin/sh', args: ['-c', command], cwd: host.folder, env, timeoutMs: 30_000, maxBytes: 64 * 1024 })
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
