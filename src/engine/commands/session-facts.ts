/** What clients tell people and programs of a session beside its state: version, agents, plugins, where its key is from. */

import { VERSION } from '../../config/version.js';
import type { Engine } from '../engine.js';
import type { KeySource } from '../engine-options.js';

export type SessionFacts = {
  readonly version: string;
  readonly keyFrom: KeySource;
  /** The kinds of agents, by name. */
  readonly agents: readonly string[];
  readonly plugins: readonly { readonly name: string; readonly path: string; readonly version?: string }[];
  /** As it was chosen; undefined: the model's own. */
  readonly effort: string | undefined;
};

export function sessionFacts({ runtime, facts }: Engine): SessionFacts {
  return {
    version: VERSION,
    keyFrom: facts.keyFrom,
    agents: runtime.catalog.list().map(({ name }) => name),
    plugins: runtime.plugins.map(({ name, folder, version }) => ({
      name,
      path: folder,
      ...(version === undefined ? {} : { version }),
    })),
    effort: facts.effort,
  };
}
