/** The layer below a client: a process, a remote server, or an in-process object. */

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
  /** Called once. `unreachable`: retries have already failed. */
  readonly lost: (reason: string, kind: 'unreachable' | 'forgotten') => void;
  /** Listening begins here: earlier notifications of the server may be lost. */
  readonly listening: () => void;
};

export interface Channel {
  readonly transport: Transport;
  /** The configuration has its own `Authorization` header. */
  readonly signsItself: boolean;
  /** Values that must not appear in messages: everything sent so far. */
  secrets(): readonly string[];
  /** The number of lines it wrote that are not messages. */
  noise(): number;
  /** True if the server holds a session that it may forget. */
  hasSession(): boolean;
  /** The last lines of its stderr. */
  stderr(): string | undefined;
  /** Why it is gone, if known. */
  whyLost(): string | undefined;
  connected(listener: ChannelListener): void;
  /** Closes it and its processes. Never rejects. */
  end(): Promise<void>;
}

export type Refusal = Extract<Connected, { ok: false }>;

export type OpenedChannel = { readonly ok: true; readonly channel: Channel } | Refusal;
