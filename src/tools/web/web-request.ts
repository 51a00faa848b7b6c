/** Requests one web page: redirects, size limit, character set and failure reasons. */

import { type Connections, PrivateAddressError } from '../../host/network.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { ToolContext } from '../tool.js';
import { privateReason } from './web-address.js';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 10;
const HEADERS = {
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1',
  'user-agent': 'coppice',
};

export type WebPage = {
  readonly kind: 'page';
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  /** The media type, without parameters. */
  readonly type: string;
  readonly bytes: number;
  readonly text: string;
};

export type WebAnswer =
  | WebPage
  | { readonly kind: 'elsewhere'; readonly url: string; readonly status: number; readonly statusText: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'aborted' };

/** `local`: the URL names this machine plainly, so its address may be private. */
export async function requestPage(start: URL, local: boolean, context: ToolContext): Promise<WebAnswer> {
  const { clock, network } = context.host;
  const stop = new AbortController();
  let timedOut = false;
  const cancel = clock.after(TIMEOUT_MS, () => {
    timedOut = true;
    stop.abort();
  });
  const onAbort = () => stop.abort();
  context.signal.addEventListener('abort', onAbort, { once: true });
  if (context.signal.aborted) stop.abort();
  const connections = await network.open({ publicOnly: !local });
  try {
    return await follow(start, connections, stop.signal);
  } catch (error) {
    if (context.signal.aborted) return { kind: 'aborted' };
    if (timedOut) return { kind: 'failed', reason: `no complete response within ${TIMEOUT_MS / 1000} s.` };
    return { kind: 'failed', reason: explainFailure(error) };
  } finally {
    cancel();
    context.signal.removeEventListener('abort', onAbort);
    connections.close();
  }
}

/** Handles redirects itself: another host needs another decision of the gate. */
async function follow(start: URL, connections: Connections, signal: AbortSignal): Promise<WebAnswer> {
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await connections.request(url, { headers: HEADERS, signal });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return readPage(url, response);
    await response.body?.cancel();
    if (!URL.canParse(location, url.href))
      return { kind: 'failed', reason: `it redirects to "${location.slice(0, 200)}", which is not a valid address.` };
    const next = new URL(location, url);
    if (!sameHost(start, next)) {
      return { kind: 'elsewhere', url: next.href, status: response.status, statusText: response.statusText };
    }
    url = next;
  }
  return { kind: 'failed', reason: `more than ${MAX_REDIRECTS} redirects.` };
}

function sameHost(a: URL, b: URL): boolean {
  if (a.hostname !== b.hostname || b.username !== '' || b.password !== '') return false;
  if (a.protocol === b.protocol) return a.port === b.port;
  // From http to https on the default ports: the same server.
  return a.protocol === 'http:' && b.protocol === 'https:' && a.port === '' && b.port === '';
}

async function readPage(url: URL, response: Response): Promise<WebAnswer> {
  const header = response.headers.get('content-type') ?? '';
  const type = (header.split(';')[0] ?? '').trim().toLowerCase();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) {
      return {
        kind: 'failed',
        reason: `the response is larger than ${MAX_BYTES} bytes. Download it with Bash (curl -o) if you need it.`,
      };
    }
    chunks.push(chunk);
  }
  const { status, statusText } = response;
  const text = decode(Buffer.concat(chunks), header);
  return { kind: 'page', url: url.href, status, statusText, type, bytes: size, text };
}

function decode(bytes: Buffer, header: string): string {
  const named =
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(header)?.[1] ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(bytes.toString('latin1', 0, 2048))?.[1];
  try {
    return new TextDecoder(named ?? 'utf-8').decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}

function explainFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof PrivateAddressError) return privateReason(cause.host, cause.address);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name could not be resolved.';
    case 'ECONNREFUSED':
      return 'the connection was refused; no server listens there.';
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return 'the connection was closed early.';
    default:
      return `the request failed: ${reasonOf(cause)}`;
  }
}
