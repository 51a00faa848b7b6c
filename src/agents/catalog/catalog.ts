/** All kinds of agents: definitions from files, and the built-in ones that no file replaces. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { FORK_TYPE, normalizeType } from '../../protocol/agent-type.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { BUILT_IN_DEFINITIONS, TYPE_ALIASES } from './built-in.js';

export interface Catalog {
  find(type: string): AgentDefinition | undefined;
  /** In the order the model is told of them. */
  list(): readonly AgentDefinition[];
  /** The nearest spellings first, then the rest. */
  namesNear(type: string): readonly string[];
}

export type CatalogOptions = {
  readonly definitions: Iterable<AgentDefinition>;
  /** True hides all built-in agents; a list hides those it names. */
  readonly disableBuiltIn?: boolean | readonly string[] | undefined;
  /** Types that a deny rule names are not offered. */
  readonly isDenied: (type: string) => boolean;
};

export function createCatalog(options: CatalogOptions): Catalog {
  const known = new Map<string, AgentDefinition>();
  for (const definition of BUILT_IN_DEFINITIONS) {
    if (!isDisabled(definition.name, options.disableBuiltIn)) known.set(normalizeType(definition.name), definition);
  }
  for (const definition of options.definitions) {
    // No file can define `fork`.
    if (normalizeType(definition.name) !== FORK_TYPE) known.set(normalizeType(definition.name), definition);
  }
  const aliases = new Map(Object.entries(TYPE_ALIASES).map(([alias, type]) => [normalizeType(alias), type]));
  for (const definition of known.values()) {
    if (definition.writtenName) aliases.set(normalizeType(definition.writtenName), definition.name);
  }
  const find = (type: string) => {
    const key = normalizeType(type);
    return known.get(key) ?? known.get(normalizeType(aliases.get(key) ?? ''));
  };
  const list = () => [...known.values()].filter((definition) => !options.isDenied(definition.name));
  return {
    find,
    list,
    namesNear: (type) => {
      const names = list().map((definition) => definition.name);
      const near = nearestNames(type, names);
      return [...near, ...names.filter((name) => !near.includes(name))];
    },
  };
}

function isDisabled(name: string, disabled: CatalogOptions['disableBuiltIn']): boolean {
  if (disabled === undefined || typeof disabled === 'boolean') return disabled === true;
  return disabled.some((one) => normalizeType(one) === normalizeType(name));
}
