/** Servers added, disabled or enabled while a session runs. Loaded with the first server. */

import { isDeepStrictEqual } from 'node:util';
import type { ConfiguredServer, ServersFound } from '../../config/mcp/server-config.js';
import { serialQueue } from '../../host/locks/serial-queue.js';
import type { SetServersResult } from '../../protocol/mcp/server-report.js';
import type { ServerSet } from './server-set.js';

/** Validates entries added now. */
export type FindGivenServers = (given: Readonly<Record<string, unknown>>) => Promise<GivenServers>;

export type GivenServers = Pick<ServersFound, 'servers' | 'skipped' | 'warnings'>;

type ChangesOptions = {
  readonly set: ServerSet;
  readonly find: FindGivenServers;
  /** Shows a warning to the user. */
  warn(line: string): void;
};

export class ServerChanges {
  readonly #options: ChangesOptions;
  /** Names that a later `give` removes unless it lists them. */
  #given: ReadonlySet<string>;
  /** Disabled servers, which can be started again. */
  readonly #off = new Map<string, ConfiguredServer>();
  /** Serialises changes. */
  readonly #inOrder = serialQueue();
  #isClosed = false;

  constructor(options: ChangesOptions) {
    this.#options = options;
    const inProcess = options.set.configured().filter(({ config }) => config.kind === 'in-process');
    this.#given = new Set(inProcess.map(({ name }) => name));
  }

  give(given: Readonly<Record<string, unknown>>): Promise<SetServersResult> {
    return this.#inOrder(() => this.#give(given));
  }

  toggle(name: string, enabled: boolean): Promise<string | undefined> {
    return this.#inOrder(() => this.#toggle(name, enabled));
  }

  /** No further changes are accepted. */
  close(): void {
    this.#isClosed = true;
  }

  async #give(given: Readonly<Record<string, unknown>>): Promise<SetServersResult> {
    const { set, find, warn } = this.#options;
    const { servers, skipped, warnings } = await find(given);
    if (this.#isClosed) throw new Error('the session is closed');
    for (const line of warnings) warn(line);
    const now = new Map([...set.configured(), ...this.#off.values()].map((one) => [one.name, one]));
    const isKept = ({ name, config }: ConfiguredServer) => {
      const before = this.#given.has(name) ? now.get(name) : undefined;
      return before !== undefined && isSameConfig(before.config, config);
    };
    // A refused entry does not remove a server of the same name from another source.
    const refused = skipped.filter(({ name }) => this.#given.has(name) || !now.has(name));
    const come = servers.filter((one) => !isKept(one));
    const added = [...come, ...refused].map(({ name }) => name);
    const names = new Set([...servers, ...refused].map(({ name }) => name));
    const removed = [...this.#given].filter((name) => !names.has(name));
    const gone = new Set([...removed, ...added]);
    this.#given = names;
    for (const name of gone) this.#off.delete(name);
    await set.change({ gone, come, skipped: refused, hasBegun: false });
    const failed = set.reports().filter(({ name, reason }) => reason !== undefined && added.includes(name));
    const errors = [...skipped, ...failed].map(({ name, reason = '' }) => [name, reason] as const);
    return { added, removed, errors: Object.fromEntries(errors) };
  }

  async #toggle(name: string, enabled: boolean): Promise<string | undefined> {
    const { set } = this.#options;
    const gone = new Set([name]);
    const configured = set.configured().find((one) => one.name === name);
    const off = this.#off.get(name);
    if (!enabled && configured !== undefined) {
      this.#off.set(name, configured);
      const { origin, config } = configured;
      const skipped = { name, origin, transport: config.kind, status: 'off', reason: SWITCHED_OFF } as const;
      await set.change({ gone, come: [], skipped: [skipped], hasBegun: true });
      return undefined;
    }
    if (enabled && off !== undefined) {
      this.#off.delete(name);
      // A project's server must still match what was approved, as at every start.
      await set.change({ gone, come: [off], skipped: [], hasBegun: true });
    }
    const report = set.reports().find((one) => one.name === name);
    if (report === undefined) return `there is no MCP server ${name}`;
    return enabled && report.status !== 'connected'
      ? `${name} is not connected: ${report.reason ?? report.status}`
      : undefined;
  }
}

const SWITCHED_OFF = 'it was switched off in this session';

/** In-process objects are equal only if identical. */
function isSameConfig(a: ConfiguredServer['config'], b: ConfiguredServer['config']): boolean {
  if (a.kind !== 'in-process' || b.kind !== 'in-process') return isDeepStrictEqual(a, b);
  const { server: one, ...rest } = a;
  const { server: other, ...others } = b;
  return one === other && isDeepStrictEqual(rest, others);
}
