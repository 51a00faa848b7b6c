/** Connects to the model. The SDK is loaded here and not before. */

import type { SettingsResult } from '../../config/settings/read-settings.js';
import { VERSION } from '../../config/version.js';
import type { Host } from '../../host/host.js';
import { anthropicAccount, anthropicProvider } from '../../model/anthropic/provider.js';
import { composeClient } from '../../model/compose-client.js';
import type { ModelClient } from '../../model/model-client.js';
import type { ModelProvider } from '../../model/provider.js';
import type { OpenFailure, SessionOptions } from '../session-options.js';
import type { Traffic } from '../traffic/traffic.js';

/** Wraps an embedder's own client like ours: byte budget, limiter, retries, a guarded contract. */
export async function connectModel(
  options: SessionOptions,
  host: Host,
  settings: SettingsResult,
  traffic: Traffic | undefined,
): Promise<ModelProvider | OpenFailure> {
  const connected = options.modelClient ?? (await connectToApi(host, settings, traffic));
  const bare = options.onlyCalls && 'ok' in connected && connected.kind === 'no-key' ? KEYLESS : connected;
  if ('ok' in bare) return bare;
  const client = withBetas(bare, options.betas ?? []);
  const { search, ...provider } = anthropicProvider(client);
  const { contentLength } = provider;
  const composed = composeClient(client, { clock: host.clock, random: () => host.random(), contentLength });
  // An embedder's client gets what the API would get; its search and account are unknown.
  if (options.modelClient !== undefined) return { ...provider, client: composed };
  const account = anthropicAccount(host.env, settings.settings.apiKeyHelper);
  // A replay sends no key.
  const shown = options.replay === undefined ? account : { ...account, source: 'none' as const };
  return { ...provider, client: composed, search, account: shown };
}

/** Adds betas to all requests of the session, of every agent. */
function withBetas(client: ModelClient, betas: readonly string[]): ModelClient {
  if (betas.length === 0) return client;
  return { request: (request, signal) => client.request({ ...request, betas }, signal) };
}

/** Tools that need no model work without a key. */
const KEYLESS: ModelClient = {
  async *request() {
    yield { type: 'fault', fault: { kind: 'unauthorized', message: NO_KEY_LINE } };
  },
};

const NO_KEY_LINE = "no API key is set, so agents can't run here";

async function connectToApi(
  host: Host,
  { settings }: SettingsResult,
  traffic: Traffic | undefined,
): Promise<ModelClient | OpenFailure> {
  const { connectAnthropic } = await import('../../model/anthropic/connect.js');
  const connected = await connectAnthropic({
    host,
    env: host.env,
    userAgent: `coppice/${VERSION}`,
    ...(settings.apiKeyHelper === undefined ? {} : { apiKeyHelper: settings.apiKeyHelper }),
    ...(settings.stallMs === undefined ? {} : { stallMs: settings.stallMs }),
    ...(traffic === undefined ? {} : { traffic: traffic.fetch }),
  });
  if (connected.ok) return connected.client;
  if (connected.kind === 'no-key') return { ok: false, kind: 'no-key', reason: NO_KEY };
  return { ok: false, kind: 'connection', reason: connected.reason };
}

const NO_KEY = `No API key is set.

Set one of these and start again:
  export ANTHROPIC_API_KEY=…       a key of the Claude API
  export ANTHROPIC_AUTH_TOKEN=…    a bearer token, for a gateway
  "apiKeyHelper": "command"        in your own settings.json: a command that prints a key
With ANTHROPIC_BASE_URL you can point at any server that speaks the Messages API.

No key at hand? These run without one:
  coppice demo                     a session against the simulated model
  coppice sim                      the simulated model itself, for your own tests`;
