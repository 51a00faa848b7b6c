/** Channels to a server on this machine: a process, or an in-process object. */

import type { InProcessConfig, StdioConfig } from '../../../../config/mcp/server-config.js';
import type { Channel, ChannelSetup, OpenedChannel } from './channel.js';
import { StdioTransport } from './stdio-transport.js';

export function openStdioChannel({ request, environment }: ChannelSetup, config: StdioConfig): OpenedChannel {
  const { host, server } = request;
  const transport = new StdioTransport(host, server.name, {
    file: config.command,
    args: config.args,
    cwd: host.folder,
    env: environment.env,
  });
  const channel: Channel = {
    transport,
    signsItself: false,
    secrets: () => [],
    noise: () => transport.ignored.noise + transport.ignored.dropped,
    hasSession: () => false,
    stderr: () => transport.stderr.text(),
    whyLost: () => transport.ended,
    connected: () => {},
    end: () => transport.close(),
  };
  return { ok: true, channel };
}

/** Its `connect` runs in parallel with our handshake, whose failure it becomes if it fails. */
export function openInProcessChannel({ sdk }: ChannelSetup, { server }: InProcessConfig): OpenedChannel {
  const [ours, theirs] = sdk.InMemoryTransport.createLinkedPair();
  const start = ours.start.bind(ours);
  ours.start = async () => {
    await server.connect(theirs as never);
    await start();
  };
  const send = ours.send.bind(ours);
  // Passed by value, as over a wire: changes by the server must not reach our records.
  ours.send = (message, options) => send(JSON.parse(JSON.stringify(message)), options);
  const channel: Channel = {
    transport: ours,
    signsItself: false,
    secrets: () => [],
    noise: () => 0,
    hasSession: () => false,
    stderr: () => undefined,
    whyLost: () => 'it closed the connection',
    connected: () => {},
    end: () => ours.close().catch(() => {}),
  };
  return { ok: true, channel };
}
