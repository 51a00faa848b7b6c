/** What clients say of a session in their first line: version, agents, plugins, effort, where its key is from. Nothing is loaded for it. */

import { VERSION } from '../../config/version.js';
import type { CredentialSource } from '../../model/provider.js';
import type { Engine } from '../engine.js';

export type SessionFacts = {
  readonly version: string;
  /** `none` also with a model client of the embedder's own, and in a replay. */
  readonly keyFrom: CredentialSource | 'none';
  /** The kinds of agents, by name. */
  readonly agents: readonly string[];
  readonly plugins: readonly { readonly name: string; readonly path: string; readonly version?: string }[];
  /** As it was chosen; undefined: the model's own. */
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
