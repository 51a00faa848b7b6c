/**
 * One MCP server of a session: connected in the background, reconnected when needed. Its offer remains while it
 * restarts, or if a new list can't be fetched.
 */

import { isDeepStrictEqual } from 'node:util';
import type { ConfiguredServer } from '../../config/mcp/server-config.js';
import type { ToolPolicy } from '../../config/mcp/tool-policy.js';
import { aborted, newAbort } from '../../host/clock.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Connected, ConnectRequest, ListedTool, ServerConnection } from './connect/connection.js';
import { FreshList } from './fresh-list.js';
import type { ServerOffer } from './server-access.js';

export type ServerPorts = {
  /** Never rejects. */
  connect(request: ConnectRequest): Promise<Connected>;
  /** The fields of a request that do not depend on the server. */
  readonly with: Omit<ConnectRequest, 'server' | 'mayRun' | 'onListChanged' | 'onLost' | 'signal' | 'auth'>;
  authFor(server: ConfiguredServer): ConnectRequest['auth'];
  /** Why it must not be started again. */
  whyNotAgain(server: ConfiguredServer): Promise<string | undefined>;
  /** Shows a warning to the user. */
  warn(line: string): void;
};

type Taken = {
  readonly status: 'connected';
  readonly connection: ServerConnection;
  readonly fresh: FreshList<ServerOffer>;
};

type State =
  | { readonly status: 'connecting' }
  | Taken
  | { readonly status: 'failed' | 'needs-sign-in'; readonly reason: string; readonly stderr?: string };

/** How often a server that died is restarted automatically in a session. */
const MOST_RESTARTS = 3;
/** Limits warnings, so that a server can't flood the screen. */
const MOST_WARNED = 10;

export class Server {
  readonly configured: ConfiguredServer;
  readonly #ports: ServerPorts;
  readonly #closing = newAbort();
  #state: State = { status: 'connecting' };
  #connecting: Promise<State> | undefined;
  #offer: ServerOffer | undefined;
  #restarts = 0;
  #hasBegun: boolean;
  /** Connections that are closing. */
  readonly #endings = new Set<Promise<void>>();
  readonly #warned = new Set<string>();

  /** `hasBegun`: started before, by a previous object. */
  constructor(configured: ConfiguredServer, ports: ServerPorts, hasBegun: boolean) {
    this.configured = configured;
    this.#ports = ports;
    this.#hasBegun = hasBegun;
  }

  get name(): string {
    return this.configured.name;
  }

  /** True if the user's commands do not apply to it. */
  get #isOfAgent(): boolean {
    return this.configured.origin.scope === 'agent';
  }

  get status(): ServerReport['status'] {
    return this.#state.status;
  }

  /** Why it is not connected. */
  get trouble(): { readonly reason?: string; readonly stderr?: string } {
    return 'reason' in this.#state ? this.#state : {};
  }

  /** Its offer, or the last one before it was lost. */
  get offer(): ServerOffer | undefined {
    return this.#offer;
  }

  /** The existing connection, if any; does not connect. */
  get connected(): ServerConnection | undefined {
    return this.#state.status === 'connected' ? this.#state.connection : undefined;
  }

  /** Connects it for the first time. One that has failed is not retried. Never rejects. */
  async connect(): Promise<void> {
    if (this.#state.status === 'connecting') await this.#reach(false);
  }

  /** A connection for a call. A lost server is restarted, three times at most. */
  async connection(signal: AbortSignal): Promise<ServerConnection> {
    if (this.#state.status === 'connected') return this.#state.connection;
    const state = await Promise.race([this.#reachAgain(), aborted(signal)]);
    if (state?.status === 'connected') return state.connection;
    if (state === undefined) throw new Error('interrupted while the server was connecting');
    const reason = 'reason' in state ? state.reason : 'it is still connecting';
    throw new Error(`The MCP server ${this.name} is not there: ${reason}`);
  }

  /** Reconnects from scratch at the user's request, regardless of earlier failures. */
  async reconnect(): Promise<void> {
    this.#restarts = 0;
    // Calls may wait for the connection being opened, so it is not closed once it is open.
    if ((await this.#connecting)?.status === 'connected') return;
    const state = this.#state;
    this.#state = { status: 'connecting' };
    if (state.status === 'connected') await this.#leave(state);
    await this.#reach(false);
  }

  /** Resolves when everything it ever started has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connecting;
    const state = this.#state;
    this.#state = CLOSED;
    if (state.status === 'connected') void this.#leave(state);
    await Promise.all(this.#endings);
  }

  #reach(isRestart: boolean): Promise<State> {
    if (this.#state.status === 'connected') return Promise.resolve(this.#state);
    this.#connecting ??= this.#open(isRestart).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #reachAgain(): Promise<State> {
    if (this.#connecting !== undefined || this.#state.status !== 'failed') return this.#reach(false);
    if (this.#restarts >= MOST_RESTARTS) {
      const { reason = 'it ended' } = this.trouble;
      const again = this.#isOfAgent ? '' : `; /mcp reconnect ${this.name} tries once more`;
      return { status: 'failed', reason: `${reason}. It was started again ${MOST_RESTARTS} times${again}` };
    }
    return this.#reach(true);
  }

  async #open(isRestart: boolean): Promise<State> {
    const isFirst = !this.#hasBegun;
    this.#state = { status: 'connecting' };
    const next = await this.#tryToOpen(isRestart).catch((error: unknown): State => {
      return { status: 'failed', reason: reasonOf(error) };
    });
    // An open connection was adopted at once: it may be lost again by now.
    if (next.status !== 'connected') this.#state = next;
    if (isFirst && 'reason' in next && !this.#closing.signal.aborted) {
      const again = next.status === 'failed' && !this.#isOfAgent ? `. /mcp reconnect ${this.name} tries again` : '';
      this.#ports.warn(`MCP server ${this.name}: ${next.reason}${again}`);
    }
    return next;
  }

  async #tryToOpen(isRestart: boolean): Promise<State> {
    const { signal } = this.#closing;
    if (signal.aborted) return CLOSED;
    const refused = this.#hasBegun ? await this.#ports.whyNotAgain(this.configured) : undefined;
    if (refused !== undefined) return { status: 'failed', reason: refused };
    this.#hasBegun = true;
    if (isRestart) this.#restarts += 1;
    // Events that arrive before the connection is adopted.
    const early = { isStale: false, lost: undefined as string | undefined };
    const taken: { now?: Taken } = {};
    const auth = this.#ports.authFor(this.configured);
    const made = await this.#ports.connect({
      ...this.#ports.with,
      server: this.configured,
      ...(auth === undefined ? {} : { auth }),
      mayRun: () => this.#ports.whyNotAgain(this.configured),
      onListChanged: (what) => {
        if (what !== 'tools') return;
        if (taken.now === undefined) early.isStale = true;
        else taken.now.fresh.changed();
      },
      onLost: (reason) => {
        if (taken.now === undefined) early.lost = reason;
        else this.#lost(taken.now, reason);
      },
      signal,
    });
    if (!made.ok) {
      const { kind, reason, stderr } = made;
      const status = kind === 'needs-sign-in' ? kind : 'failed';
      return { status, reason, ...(stderr === undefined ? {} : { stderr }) };
    }
    const { connection } = made;
    early.isStale = false;
    const why = (await this.#listFirst(connection)) ?? early.lost;
    if (why !== undefined || signal.aborted) {
      await connection.close();
      return signal.aborted ? CLOSED : { status: 'failed', reason: why ?? 'it ended' };
    }
    const state = this.#take(connection);
    taken.now = state;
    if (early.isStale) state.fresh.changed();
    return state;
  }

  /** Returns why there is no list. Closing the session does not wait for one. */
  async #listFirst(connection: ServerConnection): Promise<string | undefined> {
    const { signal } = this.#closing;
    const stop = () => void connection.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (!signal.aborted) this.#hear(await this.#list(connection));
      return undefined;
    } catch (error) {
      return `its tools can't be listed: ${reasonOf(error)}`;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #take(connection: ServerConnection): Taken {
    const fresh = new FreshList({
      clock: this.#ports.with.host.clock,
      list: () => this.#list(connection),
      take: (offer) => this.#hear(offer),
      failed: (reason) => this.#warnOnce(`its new list of tools can't be read, the old one stays: ${reason}`),
    });
    const state: Taken = { status: 'connected', connection, fresh };
    this.#state = state;
    return state;
  }

  async #list(connection: ServerConnection): Promise<ServerOffer> {
    const { instructions, offers } = connection;
    const listed = offers.tools ? applyPolicy(await connection.listTools(), this.configured.config.policy) : [];
    return { server: this.configured, listed, instructions, hasResources: offers.resources };
  }

  /** An unchanged list leaves the tools unchanged. */
  #hear(offer: ServerOffer): void {
    if (!isDeepStrictEqual(offer, this.#offer)) this.#offer = offer;
  }

  #lost(taken: Taken, reason: string): void {
    if (this.#state !== taken || this.#closing.signal.aborted) return;
    this.#state = { status: 'failed', reason };
    void this.#leave(taken);
    this.#ports.warn(`MCP server ${this.name} was lost: ${reason}. Its next call connects again`);
  }

  /** Also for a lost connection: its processes may still be ending. */
  #leave({ connection, fresh }: Taken): Promise<void> {
    fresh.stop();
    const ending = connection.close().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
    return ending;
  }

  #warnOnce(line: string): void {
    if (this.#warned.has(line) || this.#warned.size >= MOST_WARNED) return;
    this.#warned.add(line);
    this.#ports.warn(`MCP server ${this.name}: ${line}`);
  }
}

const CLOSED: State = { status: 'failed', reason: 'the session is closed' };

/** Removes denied tools; a tool that must ask is treated as if the server itself required it. */
function applyPolicy(listed: readonly ListedTool[], policy: ToolPolicy = {}): readonly ListedTool[] {
  return listed.flatMap((tool) => {
    switch (Object.hasOwn(policy, tool.name) ? policy[tool.name] : undefined) {
      case 'deny':
        return [];
      case 'ask':
        return [{ ...tool, _meta: { ...tool._meta, 'anthropic/requiresUserInteraction': true } }];
      default:
        return [tool];
    }
  });
}
