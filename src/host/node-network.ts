/** Implements `Network` with our small `fetch`, and with undici, loaded on first use, for proxies and the web. */

import type { LookupFunction } from 'node:net';
import { reasonOf } from '../protocol/reason-of.js';
import { openDirectFetch } from './direct-fetch.js';
import type { Environment } from './environment.js';
import {
  type Connections,
  type FoundFetch,
  type Network,
  type PlainFetch,
  type PlainResponse,
  PrivateAddressError,
  type WebFetch,
} from './network.js';
import { nodeFiles } from './node-files.js';
import { isAddress, isPrivateAddress } from './private-address.js';

export const nodeNetwork: Network = { open, findFetch, webFetch };

async function open({ publicOnly }: { readonly publicOnly: boolean }): Promise<Connections> {
  const [{ Agent, fetch }, { lookup }] = await Promise.all([import('undici'), import('node:dns')]);
  const dispatcher = new Agent(publicOnly ? { connect: { lookup: lookUpPublic(lookup) } } : {});
  return {
    request: async (url, options) => {
      // An IP address: `lookup` is not called for it, so check it here.
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (publicOnly && isAddress(host) && isPrivateAddress(host)) throw new PrivateAddressError(url.hostname, host);
      return (await fetch(url, { ...options, redirect: 'manual', dispatcher })) as unknown as Response;
    },
    close: () => void dispatcher.destroy().catch(() => {}),
  };
}

const lookUpPublic =
  (lookup: typeof import('node:dns').lookup): LookupFunction =>
  (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '', 4);
      const bad = addresses.find(({ address }) => isPrivateAddress(address));
      if (bad !== undefined) return done(new PrivateAddressError(name, bad.address), '', 4);
      if (options.all === true) return done(null, addresses);
      const first = addresses[0];
      return first === undefined
        ? done(new Error(`${name} has no address`), '', 4)
        : done(null, first.address, first.family);
    });
  };

async function findFetch(url: URL, env: Environment): Promise<FoundFetch> {
  const proxy = proxyFor(url, env);
  if (proxy !== undefined && !URL.canParse(proxy)) {
    return { ok: false, kind: 'bad-proxy', reason: `the proxy is not a valid URL: ${proxy}` };
  }
  const caFile = extraCaFile(env);
  if (proxy === undefined && caFile === undefined) {
    return { ok: true, fetch: await openDirectFetch(url.protocol === 'https:') };
  }
  try {
    const authorities = caFile === undefined ? undefined : await readAuthorities(caFile);
    return { ok: true, fetch: await routedFetch(proxy, authorities) };
  } catch (error) {
    return { ok: false, kind: 'bad-ca', reason: `cannot read the file in NODE_EXTRA_CA_CERTS: ${reasonOf(error)}` };
  }
}

/** If this process was started with the same file, Node has already loaded it. */
function extraCaFile(env: Environment): string | undefined {
  const file = env.NODE_EXTRA_CA_CERTS;
  return file === undefined || file === '' || file === process.env.NODE_EXTRA_CA_CERTS ? undefined : file;
}

async function readAuthorities(file: string): Promise<string[]> {
  const { rootCertificates } = await import('node:tls');
  return [...rootCertificates, (await nodeFiles.read(file)).toString('utf8')];
}

async function webFetch(env: Environment): Promise<WebFetch> {
  const { fetch } = await import('undici');
  const caFile = extraCaFile(env);
  let authorities: Promise<string[]> | undefined;
  const routes = new Map<string | undefined, ReturnType<typeof openRoute>>();
  const routeFor = async (url: URL) => {
    const proxy = proxyFor(url, env);
    if (proxy !== undefined && !URL.canParse(proxy)) throw new Error(`the proxy is not a valid URL: ${proxy}`);
    if (caFile !== undefined) authorities ??= readAuthorities(caFile);
    const known = routes.get(proxy) ?? openRoute(proxy, await authorities);
    routes.set(proxy, known);
    return known;
  };
  const send = fetch as unknown as (url: string | URL, request: object) => Promise<Response>;
  return async (url, request) =>
    send(url, { redirect: 'manual', ...request, dispatcher: await routeFor(new URL(url)) });
}

async function routedFetch(proxy: string | undefined, ca: string[] | undefined): Promise<PlainFetch> {
  const { fetch } = await import('undici');
  const dispatcher = await openRoute(proxy, ca);
  return async (url, request) =>
    (await fetch(url, { ...request, redirect: 'manual', dispatcher })) as unknown as PlainResponse;
}

/** Has no timeouts: the caller decides how long to wait. */
async function openRoute(proxy: string | undefined, ca: string[] | undefined) {
  const { Agent, ProxyAgent } = await import('undici');
  const tls = ca === undefined ? {} : { ca };
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  return proxy === undefined
    ? new Agent({ connect: tls, ...limits })
    : new ProxyAgent({ uri: proxy, requestTls: tls, proxyTls: tls, ...limits });
}

/** Lower-case variables win, as in curl. Undefined: no proxy, or NO_PROXY matches the URL. */
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
