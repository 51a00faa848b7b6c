/** The servers of a session, those its agents bring along, and those that are given or switched off while it runs. */

import { isDeepStrictEqual } from 'node:util';
import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { ConfiguredServer, ServersFound } from '../../config/mcp/server-config.js';
import type { SetServersResult } from '../../protocol/mcp/server-report.js';
import type { ServerPorts } from './server.js';
import { ServerSet, type ServerSetOptions } from './server-set.js';
import type { OpenedServers, SessionServers } from './session-servers.js';

/** The servers that a definition describes itself, as far as they may run. `known`: the session's. */
export type FindOwnServers = (definition: AgentDefinition, known: ReadonlySet<string>) => Promise<OwnServers>;

/** Judges entries that are given now. */
export type FindGivenServers = (given: Readonly<Record<string, unknown>>) => Promise<GivenServers>;

export type GivenServers = Pick<ServersFound, 'servers' | 'skipped' | 'warnings'>;

export type OwnServers = Pick<ServerPorts, 'whyNotAgain'> & {
  readonly servers: readonly ConfiguredServer[];
  readonly lines: readonly string[];
};

export type FindServers = { readonly own: FindOwnServers; readonly given: FindGivenServers };

export class SessionServerSet extends ServerSet implements SessionServers {
  readonly #options: ServerSetOptions;
  readonly #find: FindServers;
  readonly #opened = new Set<ServerSet>();
  /** Names that a later `give` takes away if it leaves them out. */
  #given: ReadonlySet<string>;
  /** Switched off, to be started again. */
  readonly #off = new Map<string, ConfiguredServer>();
  /** One change after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: ServerSetOptions, find: FindServers) {
    super(options);
    this.#options = options;
    this.#find = find;
    this.#given = new Set(
      options.configured.filter(({ config }) => config.kind === 'in-process').map(({ name }) => name),
    );
  }

  async loaded(): Promise<void> {}

  async openFor(definition: AgentDefinition): Promise<OpenedServers> {
    const known = new Set(this.reports().map(({ name }) => name));
    const { servers: configured, lines, whyNotAgain } = await this.#find.own(definition, known);
    if (configured.length === 0) return { servers: this, lines };
    const own = new ServerSet({
      ...this.#options,
      configured,
      skipped: [],
      ports: { ...this.#options.ports, whyNotAgain },
      base: this,
    });
    this.#opened.add(own);
    return { servers: own, own, lines };
  }

  give(given: Readonly<Record<string, unknown>>): Promise<SetServersResult> {
    return this.#inTurn(() => this.#give(given));
  }

  toggle(name: string, enabled: boolean): Promise<string | undefined> {
    return this.#inTurn(() => this.#toggle(name, enabled));
  }

  override async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([super.close(), ...[...this.#opened].map((set) => set.close())]);
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#changing.then(change);
    this.#changing = turn.catch(() => {});
    return turn;
  }

  async #give(given: Readonly<Record<string, unknown>>): Promise<SetServersResult> {
    const { servers, skipped, warnings } = await this.#find.given(given);
    if (this.#isClosed) throw new Error('the session is closed');
    for (const line of warnings) this.#options.ports.warn(line);
    const now = new Map([...this.configured(), ...this.#off.values()].map((one) => [one.name, one]));
    const isKept = ({ name, config }: ConfiguredServer) => {
      const before = this.#given.has(name) ? now.get(name) : undefined;
      return before !== undefined && isSameConfig(before.config, config);
    };
    // One that may not run takes nothing away from a server of that name that was not given so.
    const refused = skipped.filter(({ name }) => this.#given.has(name) || !now.has(name));
    const come = servers.filter((one) => !isKept(one));
    const added = [...come, ...refused].map(({ name }) => name);
    const names = new Set([...servers, ...refused].map(({ name }) => name));
    const removed = [...this.#given].filter((name) => !names.has(name));
    const gone = new Set([...removed, ...added]);
    this.#given = names;
    for (const name of gone) this.#off.delete(name);
    await this.change({ gone, come, skipped: refused, hasBegun: false });
    const failed = this.reports().filter(({ name, reason }) => reason !== undefined && added.includes(name));
    const errors = [...skipped, ...failed].map(({ name, reason = '' }) => [name, reason] as const);
    return { added, removed, errors: Object.fromEntries(errors) };
  }

  async #toggle(name: string, enabled: boolean): Promise<string | undefined> {
    const gone = new Set([name]);
    const configured = this.configured().find((one) => one.name === name);
    const off = this.#off.get(name);
    if (!enabled && configured !== undefined) {
      this.#off.set(name, configured);
      const { origin, config } = configured;
      const skipped = { name, origin, transport: config.kind, status: 'off', reason: SWITCHED_OFF } as const;
      await this.change({ gone, come: [], skipped: [skipped], hasBegun: true });
      return undefined;
    }
    if (enabled && off !== undefined) {
      this.#off.delete(name);
      // A project's must be what was approved, as at every start.
      await this.change({ gone, come: [off], skipped: [], hasBegun: true });
    }
    const report = this.reports().find((one) => one.name === name);
    if (report === undefined) return `there is no MCP server ${name}`;
    return enabled && report.status !== 'connected'
      ? `${name} is not connected: ${report.reason ?? report.status}`
      : undefined;
  }
}

const SWITCHED_OFF = 'it was switched off in this session';

/** Objects in this process are the same only if they are one. */
function isSameConfig(a: ConfiguredServer['config'], b: ConfiguredServer['config']): boolean {
  if (a.kind !== 'in-process' || b.kind !== 'in-process') return isDeepStrictEqual(a, b);
  const { server: one, ...rest } = a;
  const { server: other, ...others } = b;
  return one === other && isDeepStrictEqual(rest, others);
}
