/**
 * One MCP server of a session: connected in the background, connected again when it is needed. What it offers stays while
 * it restarts, and when a fresh list can't be had.
 */

import { isDeepStrictEqual } from 'node:util';
import type { ConfiguredServer } from '../../config/mcp/server-config.js';
import { aborted, newAbort } from '../../host/clock.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Connected, ConnectRequest, ServerConnection } from './connect/connection.js';
import type { ServerOffer } from './server-access.js';

export type ServerPorts = {
  /** Never rejects. */
  connect(request: ConnectRequest): Promise<Connected>;
  /** All of a request but the server itself. */
  readonly with: Omit<ConnectRequest, 'server' | 'onListChanged' | 'onLost' | 'signal' | 'auth'>;
  authFor(server: ConfiguredServer): ConnectRequest['auth'];
  /** Why it must not be started once more. */
  whyNotAgain(server: ConfiguredServer): Promise<string | undefined>;
  /** A line for the person. */
  warn(line: string): void;
};

type State =
  | { readonly status: 'connecting' }
  | { readonly status: 'connected'; readonly connection: ServerConnection }
  | { readonly status: 'failed' | 'needs-sign-in'; readonly reason: string; readonly stderr?: string };

/** How often a server that died is started again in a session, without the person's word. */
const MOST_RESTARTS = 3;

export class Server {
  readonly configured: ConfiguredServer;
  readonly #ports: ServerPorts;
  readonly #closing = newAbort();
  #state: State = { status: 'connecting' };
  #connecting: Promise<State> | undefined;
  #offer: ServerOffer | undefined;
  #restarts = 0;
  #hasBegun: boolean;
  /** A list is being fetched; another change meanwhile asks for one more. */
  #listing: { again: boolean } | undefined;

  /** `hasBegun`: it was started before, by an object that is gone. */
  constructor(configured: ConfiguredServer, ports: ServerPorts, hasBegun: boolean) {
    this.configured = configured;
    this.#ports = ports;
    this.#hasBegun = hasBegun;
  }

  get name(): string {
    return this.configured.name;
  }

  get status(): ServerReport['status'] {
    return this.#state.status;
  }

  /** Why it is not connected. */
  get trouble(): { readonly reason?: string; readonly stderr?: string } {
    return 'reason' in this.#state ? this.#state : {};
  }

  /** What it offers, or offered before it was lost. */
  get offer(): ServerOffer | undefined {
    return this.#offer;
  }

  /** The connection there is; it is not made. */
  get connected(): ServerConnection | undefined {
    return this.#state.status === 'connected' ? this.#state.connection : undefined;
  }

  /** Connects it for the first time. One that has failed is not tried again. Never rejects. */
  async connect(): Promise<void> {
    if (this.#state.status === 'connecting') await this.#reach();
  }

  /** A connection for a call. A server that was lost is started again, three times at most. */
  async connection(signal: AbortSignal): Promise<ServerConnection> {
    const state = await Promise.race([this.#reachAgain(), aborted(signal)]);
    if (state?.status === 'connected') return state.connection;
    if (state === undefined) throw new Error('interrupted while the server was connecting');
    const reason = 'reason' in state ? state.reason : 'it is still connecting';
    throw new Error(`The MCP server ${this.name} is not there: ${reason}`);
  }

  /** The person's word: from the beginning, however often it has failed. */
  async reconnect(): Promise<void> {
    await this.#connecting;
    const { connected } = this;
    this.#restarts = 0;
    this.#state = { status: 'connecting' };
    await connected?.close();
    await this.#reach();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connecting;
    await this.connected?.close();
  }

  #reach(): Promise<State> {
    if (this.#state.status === 'connected') return Promise.resolve(this.#state);
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #reachAgain(): Promise<State> {
    if (this.#connecting !== undefined || this.#state.status !== 'failed') return this.#reach();
    if (this.#restarts >= MOST_RESTARTS) {
      const { reason = 'it ended' } = this.trouble;
      const told = `${reason}. It was started again ${MOST_RESTARTS} times; /mcp reconnect ${this.name} tries once more`;
      return { status: 'failed', reason: told };
    }
    this.#restarts += 1;
    return this.#reach();
  }

  async #open(): Promise<State> {
    this.#state = { status: 'connecting' };
    const next = await this.#tryToOpen();
    this.#state = next;
    return next;
  }

  async #tryToOpen(): Promise<State> {
    const { signal } = this.#closing;
    if (signal.aborted) return CLOSED;
    const refused = this.#hasBegun ? await this.#ports.whyNotAgain(this.configured) : undefined;
    if (refused !== undefined) return { status: 'failed', reason: refused };
    this.#hasBegun = true;
    let current: ServerConnection | undefined;
    const auth = this.#ports.authFor(this.configured);
    const made = await this.#ports.connect({
      ...this.#ports.with,
      server: this.configured,
      ...(auth === undefined ? {} : { auth }),
      onListChanged: (what) => {
        if (what === 'tools' && current !== undefined) void this.#listAgain(current);
      },
      onLost: (reason) => this.#lost(current, reason),
      signal,
    });
    if (!made.ok) {
      const { kind, reason, stderr } = made;
      const status = kind === 'needs-sign-in' ? kind : 'failed';
      return { status, reason, ...(stderr === undefined ? {} : { stderr }) };
    }
    const { connection } = made;
    try {
      const offer = await this.#list(connection);
      if (!isDeepStrictEqual(offer, this.#offer)) this.#offer = offer;
    } catch (error) {
      await connection.close();
      return { status: 'failed', reason: `its tools can't be listed: ${reasonOf(error)}` };
    }
    if (signal.aborted) {
      await connection.close();
      return CLOSED;
    }
    current = connection;
    return { status: 'connected', connection };
  }

  async #list(connection: ServerConnection): Promise<ServerOffer> {
    const { instructions, offers } = connection;
    const listed = offers.tools ? await connection.listTools() : [];
    return { server: this.configured, listed, instructions, hasResources: offers.resources };
  }

  /** If a fresh list can't be had, the old one stays. */
  async #listAgain(connection: ServerConnection): Promise<void> {
    if (this.#listing !== undefined) {
      this.#listing.again = true;
      return;
    }
    const listing = { again: true };
    this.#listing = listing;
    while (listing.again && this.connected === connection) {
      listing.again = false;
      try {
        const offer = await this.#list(connection);
        if (this.connected !== connection) break;
        // The same list again leaves the same tools.
        if (!isDeepStrictEqual(offer, this.#offer)) this.#offer = offer;
      } catch (error) {
        const reason = reasonOf(error);
        this.#ports.warn(`MCP server ${this.name}: its new list of tools can't be read, the old one stays: ${reason}`);
      }
    }
    this.#listing = undefined;
  }

  #lost(connection: ServerConnection | undefined, reason: string): void {
    if (connection === undefined || this.connected !== connection || this.#closing.signal.aborted) return;
    this.#state = { status: 'failed', reason };
    this.#ports.warn(`MCP server ${this.name} was lost: ${reason}. Its next call connects again`);
  }
}

const CLOSED: State = { status: 'failed', reason: 'the session is closed' };
