/**
 * Facts about a session for the first line of a client: version, agents, plugins, effort, source of the key. Loads
 * nothing.
 */

import { VERSION } from '../../config/version.js';
import type { CredentialSource } from '../../model/provider.js';
import type { Engine } from '../engine.js';

export type SessionFacts = {
  readonly version: string;
  /** `none` also with the embedder's own model client, and in a replay. */
  readonly keyFrom: CredentialSource | 'none';
  /** The names of the agent types. */
  readonly agents: readonly string[];
  readonly plugins: readonly { readonly name: string; readonly path: string; readonly version?: string }[];
  /** As selected; undefined: the model's default. */
  readonly effort: string | undefined;
};

export function sessionFacts(engine: Engine): SessionFacts {
  const { runtime, facts } = engine;
  return {
    version: VERSION,
    keyFrom: runtime.ports.model.account?.source ?? 'none',
    agents: runtime.catalog.list().map(({ name }) => name),
    plugins: runtime.plugins.map(({ name, folder, version }) => ({
      name,
      path: folder,
      ...(version === undefined ? {} : { version }),
    })),
    effort: facts.effort,
  };
}
