/** What lies below a client: a process, a remote server, or an object in this process. */

import type { Transport } from '@modelcontextprotocol/client';
import type { Connected, ConnectRequest, ServerEnvironment } from '../connection.js';
import type { Limits } from '../limits.js';
import type { PausableTimers } from '../pausable-timers.js';

export type Sdk = typeof import('@modelcontextprotocol/client');

export type ChannelSetup = {
  readonly sdk: Sdk;
  readonly request: ConnectRequest;
  readonly environment: ServerEnvironment;
  readonly limits: Limits;
  readonly patience: PausableTimers;
};

export type ChannelListener = {
  /** Told once. `unreachable`: new tries were made already. */
  readonly lost: (reason: string, kind: 'unreachable' | 'forgotten') => void;
  /** It listens from here on: what the server said before may have been missed. */
  readonly listening: () => void;
};

export interface Channel {
  readonly transport: Transport;
  /** The configuration has an `Authorization` of its own. */
  readonly signsItself: boolean;
  /** Values that stand in no reason: all that was sent so far. */
  secrets(): readonly string[];
  /** How many lines it wrote that are no messages. */
  noise(): number;
  /** Whether the server keeps something for us that it may forget. */
  hasSession(): boolean;
  /** The last lines of its stderr. */
  stderr(): string | undefined;
  /** Why it is gone, if it knows. */
  whyLost(): string | undefined;
  connected(listener: ChannelListener): void;
  /** Ends it and its processes. Never rejects. */
  end(): Promise<void>;
}

export type Refusal = Extract<Connected, { ok: false }>;

export type OpenedChannel = { readonly ok: true; readonly channel: Channel } | Refusal;
