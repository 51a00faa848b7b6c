/** All agent types: definitions from files, and the built-in ones that no file replaces. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Problem } from '../../config/problem.js';
import { FORK_TYPE, normalizeType } from '../../protocol/agent-spawned.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { BUILT_IN_DEFINITIONS, TYPE_ALIASES } from './built-in.js';

export interface Catalog {
  find(type: string): AgentDefinition | undefined;
  /** In the order in which they are listed to the model. */
  list(): readonly AgentDefinition[];
  /** Names ordered by similarity to `type`. */
  namesNear(type: string): readonly string[];
  /** Definitions that can't be used: an untrusted project can't replace built-in agents (GT-2). */
  readonly refused: readonly AgentDefinition[];
}

export type CatalogOptions = {
  readonly definitions: Iterable<AgentDefinition>;
  /** True hides all built-in agents; a list hides those it names. */
  readonly disableBuiltIn?: boolean | readonly string[] | undefined;
  /** Types named by a deny rule are not offered. */
  readonly isDenied: (type: string) => boolean;
};

export function createCatalog(options: CatalogOptions): Catalog {
  const known = new Map<string, AgentDefinition>();
  for (const definition of BUILT_IN_DEFINITIONS) {
    if (!isDisabled(definition.name, options.disableBuiltIn)) known.set(normalizeType(definition.name), definition);
  }
  const refused: AgentDefinition[] = [];
  for (const definition of options.definitions) {
    const key = normalizeType(definition.name);
    // No file can define `fork`.
    if (key === FORK_TYPE) continue;
    const taken = known.has(key) || BUILT_IN_NAMES.has(key);
    if (taken && !definition.source.trusted) refused.push(definition);
    else known.set(key, definition);
  }
  const aliases = new Map(Object.entries(TYPE_ALIASES).map(([alias, type]) => [normalizeType(alias), type]));
  for (const { name, writtenName, source } of known.values()) {
    const alias = writtenName === undefined ? undefined : normalizeType(writtenName);
    if (alias !== undefined && (source.trusted || !aliases.has(alias))) aliases.set(alias, name);
  }
  const find = (type: string) => {
    const key = normalizeType(type);
    return known.get(key) ?? known.get(normalizeType(aliases.get(key) ?? ''));
  };
  const list = () => [...known.values()].filter((definition) => !options.isDenied(definition.name));
  return {
    find,
    list,
    refused,
    namesNear: (type) => {
      const names = list().map((definition) => definition.name);
      const near = nearestNames(type, names);
      return [...near, ...names.filter((name) => !near.includes(name))];
    },
  };
}

/** Reserved even if a setting hides them: the same project may have set it. */
const BUILT_IN_NAMES = new Set(BUILT_IN_DEFINITIONS.map(({ name }) => normalizeType(name)));

export function refusedProblem({ name, source }: AgentDefinition): Problem {
  const message = `skipped: the folder is not trusted, so "${name}" does not replace the agent of that name that is there already`;
  return { severity: 'warning', file: source.file, line: 1, message, untrusted: true };
}

function isDisabled(name: string, disabled: CatalogOptions['disableBuiltIn']): boolean {
  if (disabled === undefined || typeof disabled === 'boolean') return disabled === true;
  return disabled.some((one) => normalizeType(one) === normalizeType(name));
}
