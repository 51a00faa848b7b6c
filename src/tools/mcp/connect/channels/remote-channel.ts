/** The channel to a server over HTTP: streamable, or the older server-sent events. */

import type { Transport } from '@modelcontextprotocol/client';
import type { RemoteConfig } from '../../../../config/mcp/server-config.js';
import { reasonOf } from '../../../../protocol/reason-of.js';
import type { Channel, ChannelListener, ChannelSetup, OpenedChannel } from './channel.js';
import { type FoundHeaders, runHeadersHelper } from './headers-helper.js';
import { mergeHeaders, RECONNECT_MS, signFetch } from './signed-fetch.js';

/** How long a server may take to end the session. */
const LEAVE_MS = 1_000;

export async function openRemoteChannel(setup: ChannelSetup, config: RemoteConfig): Promise<OpenedChannel> {
  const { sdk, request } = setup;
  const { host } = request;
  const renew = config.headersHelper === undefined ? undefined : () => findHeaders(setup, config);
  const found = await renew?.();
  if (found?.ok === false) return { ok: false, kind: found.isRefused ? 'refused' : 'failed', reason: found.reason };
  const headers = startHeaders(config);
  if (headers === undefined) {
    return { ok: false, kind: 'refused', reason: 'a header of its entry has characters that no header can have' };
  }
  const own = mergeHeaders(headers, found?.headers ?? {});
  const secrets = new SentSecrets(own.values());
  const url = new URL(config.url);
  const state: State = { isConnected: false, isListening: false, listener: undefined, told: undefined };
  const gone: Gone = (reason, kind) => {
    if (!state.isConnected || state.told !== undefined) return;
    state.told = { reason, kind };
    state.listener?.lost(reason, kind);
  };
  const fetch = signFetch({
    url,
    fetch: await host.network.webFetch(host.env),
    clock: host.clock,
    patience: setup.patience,
    limits: setup.limits,
    headers: own,
    ...(renew === undefined ? {} : { renew }),
    sent: (value) => secrets.add(value),
    isConnected: () => state.isConnected,
    gone,
    listening: () => {
      state.isListening = true;
      state.listener?.listening();
    },
  });
  // A refused `Authorization` from the configuration is a failure, never a reason to sign in (MC-25).
  const signsItself = own.has('authorization');
  const auth = signsItself ? undefined : request.auth;
  const signed = auth === undefined ? { fetch } : { authProvider: auth, fetch: auth.watch(fetch) };
  const transport = makeTransport(setup, config, url, signed, gone);
  let ending: Promise<void> | undefined;
  const end = async () => {
    state.isConnected = false;
    const isThere = transport instanceof sdk.StreamableHTTPClientTransport && state.told === undefined;
    if (isThere) await Promise.race([transport.terminateSession().catch(() => {}), host.clock.sleep(LEAVE_MS)]);
    await transport.close().catch(() => {});
  };
  const channel: Channel = {
    transport,
    signsItself,
    secrets: () => secrets.all(),
    noise: () => 0,
    hasSession: () => config.kind === 'sse' || transport.sessionId !== undefined,
    stderr: () => undefined,
    whyLost: () => state.told?.reason,
    connected: (listener) => {
      state.isConnected = true;
      state.listener = listener;
      if (state.isListening) listener.listening();
    },
    end: () => {
      ending ??= end();
      return ending;
    },
  };
  return { ok: true, channel };
}

/** Checks the command before each run: a project's file may have changed since it was approved. Never rejects. */
async function findHeaders({ request, environment }: ChannelSetup, config: RemoteConfig): Promise<FoundHeaders> {
  const { headersHelper } = config;
  if (headersHelper === undefined) return { ok: true, headers: {} };
  try {
    const refused = await request.mayRun?.();
    if (refused !== undefined) {
      return { ok: false, reason: `its headersHelper is not run: ${refused}`, isRefused: true };
    }
    return await runHeadersHelper(request, { ...config, headersHelper }, environment);
  } catch (error) {
    return { ok: false, reason: `its headersHelper can't be run: ${reasonOf(error)}` };
  }
}

type Gone = ChannelListener['lost'];

type State = {
  isConnected: boolean;
  isListening: boolean;
  listener: ChannelListener | undefined;
  told: { readonly reason: string; readonly kind: 'unreachable' | 'forgotten' } | undefined;
};

function makeTransport(
  { sdk, request }: ChannelSetup,
  { kind }: RemoteConfig,
  url: URL,
  options: { readonly fetch: ReturnType<typeof signFetch> },
  gone: Gone,
): Transport {
  const { clock } = request.host;
  if (kind === 'sse') {
    const inner = new sdk.SSEClientTransport(url, options);
    const start = inner.start.bind(inner);
    // Its event source would reconnect automatically, into a session that was never started.
    inner.start = async () => {
      const { onerror } = inner;
      inner.onerror = (error) => {
        onerror?.(error);
        if (error instanceof sdk.SseError) gone('the stream of the server ended', 'forgotten');
      };
      await start();
    };
    return inner;
  }
  let lastEnd = Number.NEGATIVE_INFINITY;
  let quick = 0;
  return new sdk.StreamableHTTPClientTransport(url, {
    ...options,
    onInsufficientScope: 'throw',
    reconnectionOptions: {
      initialReconnectionDelay: RECONNECT_MS[0],
      maxReconnectionDelay: RECONNECT_MS[4],
      reconnectionDelayGrowFactor: 2,
      maxRetries: Number.POSITIVE_INFINITY,
    },
    reconnectionScheduler: (reconnect, _delay, attempt) => {
      // A server that accepts the stream and ends it at once is contacted less and less often.
      const now = clock.elapsed();
      quick = attempt === 0 && now - lastEnd < QUICK_MS ? quick + 1 : attempt === 0 ? 0 : quick;
      lastEnd = now;
      const ms = RECONNECT_MS[attempt];
      if (ms !== undefined) return clock.after(Math.max(ms, RECONNECT_MS[Math.min(quick, 4)] ?? 0), reconnect);
      gone('the server can no longer be reached', 'unreachable');
      return () => {};
    },
  });
}

const QUICK_MS = 60_000;

function startHeaders({ headers }: RemoteConfig): Headers | undefined {
  try {
    return new Headers(Object.entries(headers));
  } catch {
    return undefined;
  }
}

/** An old one may still be echoed; one that changes with each request must not fill the memory. */
const MOST_KEPT = 64;

/** The secrets sent to a server: current and earlier values of headers and tokens (MC-25, MC-26). */
class SentSecrets {
  readonly #kept: Set<string>;

  constructor(values: Iterable<string>) {
    this.#kept = new Set(values);
  }

  add(value: string): void {
    this.#kept.delete(value);
    this.#kept.add(value);
    const [oldest] = this.#kept;
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  all(): readonly string[] {
    return [...this.#kept];
  }
}
