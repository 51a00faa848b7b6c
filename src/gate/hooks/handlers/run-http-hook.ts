/** An `http` hook: posts the input and reads the response like a command's output. */

import type { Environment } from '../../../host/environment.js';
import type { FoundFetch, PlainResponse } from '../../../host/network.js';
import type { HookRun } from '../hook-answer.js';
import type { HttpHandler } from '../hook-config.js';
import type { HttpLimits } from '../hooks-options.js';
import { HEADER_VARIABLE } from '../read-hook.js';
import { type LimitOptions, runLimited } from './run-limited.js';

type HttpOptions = Omit<LimitOptions, 'timeoutMs'> & {
  readonly findFetch: (url: URL) => Promise<FoundFetch>;
  /** The variables for headers. */
  readonly env: Environment;
  readonly limits: HttpLimits;
};

const MOST_BYTES = 1024 * 1024;

export async function runHttpHook(handler: HttpHandler, input: string, options: HttpOptions): Promise<HookRun> {
  const url = new URL(handler.url);
  const { allowedHttpHookUrls: allowed } = options.limits;
  if (allowed !== undefined && !allowed.some((pattern) => matchesUrl(pattern, url))) {
    return { kind: 'not started', reason: `allowedHttpHookUrls in your settings does not list ${url.origin}` };
  }
  return runLimited({ ...options, timeoutMs: handler.timeoutMs }, async (signal) => {
    const found = await options.findFetch(url);
    if (!found.ok) return { kind: 'failed', reason: found.reason };
    const response = await found.fetch(url.href, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...fillHeaders(handler, options) },
      body: Buffer.from(input),
      signal,
    });
    const { status } = response;
    const body = await readBody(response);
    if (response.ok) return { kind: 'exited', code: 0, stderr: '', ...body };
    const redirects = status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
    const shown = body.stdout.trim().slice(0, MOST_SHOWN).toWellFormed();
    return { kind: 'failed', reason: `the answer was HTTP ${status}${redirects}${shown === '' ? '' : `: ${shown}`}` };
  });
}

const MOST_SHOWN = 500;

/** Does not wait for the end of a body that is too long. */
async function readBody({ body }: PlainResponse): Promise<{ readonly stdout: string; readonly stdoutCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MOST_BYTES) break;
  }
  return {
    stdout: new TextDecoder().decode(Buffer.concat(pieces).subarray(0, MOST_BYTES)),
    stdoutCut: bytes > MOST_BYTES,
  };
}

/** Variables that are not listed or not set become empty. */
function fillHeaders(
  { headers, allowedEnvVars }: HttpHandler,
  { env, limits: { httpHookAllowedEnvVars: agreed } }: HttpOptions,
): Record<string, string> {
  const mayHave = (name: string) => allowedEnvVars.includes(name) && agreed?.includes(name) !== false;
  const filling = (name: string) => (mayHave(name) ? (env[name] ?? '') : '');
  const fill = (value: string) =>
    value.replace(HEADER_VARIABLE, (_, braced?: string, bare?: string) => filling(braced ?? bare ?? ''));
  // Lower case, so that the hook's own content type replaces ours.
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), fill(value)]));
}

/**
 * Patterns such as `https://hooks.example.com/*`, `http://localhost:*`, `https://*.example.com/in`. A `*` before the path
 * matches only within host and port, or `https://*.example.com/*` would match `https://elsewhere/.example.com/`. Without a
 * path: any path.
 */
export function matchesUrl(pattern: string, { protocol, host, pathname, search }: URL): boolean {
  if (pattern === '*') return true;
  const parts = /^([a-z]+:)\/\/([^/?#]*)(.*)$/is.exec(pattern.trim());
  if (parts === null) return false;
  const [, scheme = '', place = '', path = ''] = parts;
  if (scheme.toLowerCase() !== protocol) return false;
  if (!toExpression(place.toLowerCase(), '[^/?#@]*').test(host)) return false;
  return path === '' || toExpression(path, '.*').test(`${pathname}${search}`);
}

function toExpression(pattern: string, star: string): RegExp {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join(star)}$`, 's');
}
