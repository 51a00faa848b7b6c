/** Opens one client over one channel, through its handshake: our capabilities, and the requests a server may make. */

import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { VERSION } from '../../../config/version.js';
import { aborted, newAbort } from '../../../host/clock.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { Channel, ChannelSetup, OpenedChannel, Refusal } from './channels/channel.js';
import { GuardedTransport } from './channels/guarded-transport.js';
import { openInProcessChannel, openStdioChannel } from './channels/local-channels.js';
import { openRemoteChannel } from './channels/remote-channel.js';
import { explainRefusal } from './explain-error.js';
import { LONGEST_MS } from './limits.js';
import type { RunningCalls } from './running-calls.js';

export type ClientSetup = ChannelSetup & { readonly calls: RunningCalls };

export type OpenClient = { readonly client: Client; readonly channel: Channel };

export type OpenedClient =
  | { readonly ok: true; readonly line: OpenClient }
  | { readonly ok: false; readonly refusal: Refusal; readonly isPassing: boolean };

/** Makes one attempt within its time limit. Never rejects; a failed attempt has ended with its processes. */
export async function openClient(setup: ClientSetup): Promise<OpenedClient> {
  const { sdk, request, limits } = setup;
  const { host, server } = request;
  const opened = await openChannel(setup).catch((error: unknown) => {
    return { ok: false as const, kind: 'failed' as const, reason: reasonOf(error) };
  });
  if (!opened.ok) return { ok: false, refusal: opened, isPassing: false };
  const { channel } = opened;
  const client = makeClient(setup);
  const guarded = new GuardedTransport(channel.transport, sdk.isJSONRPCResponse);
  const given = newAbort();
  const giveUp = () => given.abort(new Error('it was given up'));
  const stop = host.clock.after(limits.connectMs, () => given.abort('late'));
  request.signal.addEventListener('abort', giveUp, { once: true });
  if (request.signal.aborted) giveUp();
  try {
    const connecting = client.connect(guarded, { signal: given.signal, timeout: LONGEST_MS });
    connecting.catch(() => {});
    await Promise.race([connecting, aborted(given.signal).then(() => Promise.reject(given.signal.reason))]);
    return { ok: true, line: { client, channel } };
  } catch (error) {
    await channel.end();
    const isLate = given.signal.aborted && given.signal.reason === 'late';
    const seconds = limits.connectMs / 1000;
    const refusal = isLate
      ? { ok: false as const, kind: 'failed' as const, reason: lateReason(seconds), isPassing: true }
      : explainRefusal(sdk, server.name, error, channel);
    return { ok: false, ...describe(refusal, channel, setup) };
  } finally {
    stop();
    request.signal.removeEventListener('abort', giveUp);
  }
}

function lateReason(seconds: number): string {
  return `it did not answer within ${seconds} seconds; if it needs longer, set MCP_TIMEOUT (milliseconds)`;
}

function describe(
  { isPassing, ...refusal }: Refusal & { readonly isPassing: boolean },
  channel: Channel,
  { request, environment }: ClientSetup,
): { readonly refusal: Refusal; readonly isPassing: boolean } {
  const stderr = channel.stderr();
  const noise = channel.noise();
  const { withheld } = environment;
  const hints = [refusal.reason];
  if (noise > 0) hints.push(`it wrote ${noise} lines to stdout that are no messages: a server must log to stderr`);
  if (withheld.length > 0 && request.server.config.kind === 'stdio') {
    hints.push(`it was started without ${withheld.join(', ')}: what it needs of them must stand in its "env"`);
  }
  return { refusal: { ...refusal, reason: hints.join('; '), ...(stderr === undefined ? {} : { stderr }) }, isPassing };
}

async function openChannel(setup: ClientSetup): Promise<OpenedChannel> {
  const { config } = setup.request.server;
  switch (config.kind) {
    case 'stdio':
      return openStdioChannel(setup, config);
    case 'in-process':
      return openInProcessChannel(setup, config);
    case 'http':
    case 'sse':
      return openRemoteChannel(setup, config);
    default:
      return config satisfies never;
  }
}

function makeClient({ sdk, request, calls }: ClientSetup): Client {
  const client = new sdk.Client(
    { name: 'coppice', version: VERSION },
    { capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } } },
  );
  client.setRequestHandler('roots/list', () => ({
    roots: request.roots().map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) || folder })),
  }));
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => calls.ask(params, mcpReq.signal));
  client.fallbackRequestHandler = async ({ method }) => {
    const what = method.startsWith('sampling/')
      ? 'Coppice does not lend its model to servers'
      : 'Coppice does not do this';
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.MethodNotFound, `${what}: ${method} is not supported`);
  };
  for (const what of ['tools', 'resources', 'prompts'] as const) {
    client.setNotificationHandler(`notifications/${what}/list_changed`, () => request.onListChanged(what));
  }
  // The SDK reports anything unusual here; none of it ends a connection.
  client.onerror = () => {};
  return client;
}
