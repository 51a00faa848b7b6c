/** From environment and settings to a client: endpoint, key, proxy, certificate authorities. */

import type { Environment, Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { withBodyBudget } from '../body-budget.js';
import { createLimiter } from '../limiter.js';
import type { ModelClient } from '../model-client.js';
import { withRetry } from '../retry.js';
import { type Credentials, createAnthropicClient } from './anthropic-client.js';

export type ConnectOptions = {
  readonly host: Host;
  /** The process's environment with the person's own settings laid over it. Never a project's. */
  readonly env: Environment;
  readonly apiKeyHelper?: string;
  readonly userAgent: string;
  readonly maxRetries?: number;
  readonly silenceMs?: number;
};

export type Connected =
  | { readonly ok: true; readonly client: ModelClient; readonly baseUrl: string }
  | { readonly ok: false; readonly kind: 'no-key' }
  | { readonly ok: false; readonly kind: 'bad-endpoint' | 'bad-proxy' | 'bad-ca'; readonly reason: string };

const DEFAULT_ENDPOINT = 'https://api.anthropic.com';
const DEFAULT_MAX_RETRIES = 8;
const DEFAULT_SILENCE_MS = 180_000;

export async function connectAnthropic(options: ConnectOptions): Promise<Connected> {
  const { env, host } = options;
  const credentials = findCredentials(options);
  if (credentials === undefined) return { ok: false, kind: 'no-key' };
  const baseUrl = env.ANTHROPIC_BASE_URL?.trim() || DEFAULT_ENDPOINT;
  if (!/^https?:\/\/[^/]/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    return { ok: false, kind: 'bad-endpoint', reason: `ANTHROPIC_BASE_URL is not a URL: ${baseUrl}` };
  }
  const route = await findRoute(baseUrl, env, host);
  if ('kind' in route) return { ok: false, ...route };
  const client = createAnthropicClient({
    baseUrl,
    credentials,
    userAgent: options.userAgent,
    clock: host.clock,
    silenceMs: options.silenceMs ?? DEFAULT_SILENCE_MS,
    ...route,
  });
  const retrying = withRetry(withBodyBudget(client), {
    clock: host.clock,
    limiter: createLimiter(host.clock),
    random: () => host.random(),
    maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
  });
  return { ok: true, client: retrying, baseUrl };
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
            `apiKeyHelper gave no key (exit ${end.code ?? end.signal}): ${end.stderr.toString('utf8').slice(0, 300)}`,
          );
        });
      known.catch(() => {
        known = undefined;
      });
    }
    return known;
  };
}

type Route = { readonly fetch?: typeof fetch } | { readonly kind: 'bad-proxy' | 'bad-ca'; readonly reason: string };

/** Node's own fetch knows neither proxies nor certificates that settings name; undici is loaded only where they are. */
async function findRoute(baseUrl: string, env: Environment, host: Host): Promise<Route> {
  const proxy = proxyFor(new URL(baseUrl), env);
  const caFile = env.NODE_EXTRA_CA_CERTS;
  // If the process itself was started with this file, Node has it already. `host.env` has the settings laid over it.
  const extraCa = caFile !== undefined && caFile !== '' && caFile !== process.env.NODE_EXTRA_CA_CERTS;
  if (proxy === undefined && !extraCa) return {};
  if (proxy !== undefined && !URL.canParse(proxy)) {
    return { kind: 'bad-proxy', reason: `the proxy is not a URL: ${proxy}` };
  }
  let ca: string[] | undefined;
  if (extraCa) {
    try {
      const { rootCertificates } = await import('node:tls');
      ca = [...rootCertificates, (await host.files.read(caFile)).toString('utf8')];
    } catch (error) {
      const reason = reasonOf(error);
      return { kind: 'bad-ca', reason: `NODE_EXTRA_CA_CERTS can't be read: ${reason}` };
    }
  }
  const { Agent, fetch: undiciFetch, ProxyAgent } = await import('undici');
  const tls = ca ? { ca } : {};
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  const dispatcher = proxy
    ? new ProxyAgent({ uri: proxy, requestTls: tls, proxyTls: tls, ...timeouts })
    : new Agent({ connect: tls, ...timeouts });
  return {
    fetch: ((input: string, init: object) => undiciFetch(input, { ...init, dispatcher })) as unknown as typeof fetch,
  };
}

/** The proxy this URL goes through, by the variables everybody knows; lower case first, as curl does. */
export function proxyFor(url: URL, env: Environment): string | undefined {
  const pick = (name: string) => env[name] || env[name.toUpperCase()] || undefined;
  const proxy = (url.protocol === 'https:' ? pick('https_proxy') : pick('http_proxy')) ?? pick('all_proxy');
  if (proxy === undefined) return undefined;
  const exempt = (pick('no_proxy') ?? '').split(/[\s,]+/).filter(Boolean);
  return exempt.some((rule) => isExempt(url, rule)) ? undefined : proxy;
}

function isExempt(url: URL, rule: string): boolean {
  if (rule === '*') return true;
  const [name = '', port] = rule.toLowerCase().split(/:(?=\d+$)/);
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  const bare = name.replace(/^\*?\./, '');
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return host === bare || host.endsWith(`.${bare}`);
}
