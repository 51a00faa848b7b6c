/** The servers of a session, and those its agents bring along. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { ConfiguredServer } from '../../config/mcp/server-config.js';
import type { ServerPorts } from './server.js';
import { ServerSet, type ServerSetOptions } from './server-set.js';
import type { OpenedServers, SessionServers } from './session-servers.js';

/** The servers that a definition describes itself, as far as they may run. `known`: the session's. */
export type FindOwnServers = (definition: AgentDefinition, known: ReadonlySet<string>) => Promise<OwnServers>;

export type OwnServers = Pick<ServerPorts, 'whyNotAgain'> & {
  readonly servers: readonly ConfiguredServer[];
  readonly lines: readonly string[];
};

export class SessionServerSet extends ServerSet implements SessionServers {
  readonly #options: ServerSetOptions;
  readonly #findOwn: FindOwnServers;
  readonly #opened = new Set<ServerSet>();

  constructor(options: ServerSetOptions, findOwn: FindOwnServers) {
    super(options);
    this.#options = options;
    this.#findOwn = findOwn;
  }

  async loaded(): Promise<void> {}

  async openFor(definition: AgentDefinition): Promise<OpenedServers> {
    const known = new Set(this.reports().map(({ name }) => name));
    const { servers: configured, lines, whyNotAgain } = await this.#findOwn(definition, known);
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

  override async close(): Promise<void> {
    await Promise.all([super.close(), ...[...this.#opened].map((set) => set.close())]);
  }
}
