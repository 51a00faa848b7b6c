/** Expands `${VAR}` and `${VAR:-default}` in the values of a server's entry (MC-10). Once: what comes in is not expanded. */

import type { Environment } from '../../host/host.js';
import { type PluginPlaceholders, replaceInText } from '../plugins/plugin-placeholders.js';
import { isOwnKey } from './server-environment.js';

export type ExpansionOptions = {
  readonly env: Environment;
  readonly projectRoot: string;
  /** Somebody else wrote the entry: our own keys are as good as unset, also where it has a default. */
  readonly isForeign: boolean;
  /** Of the plugin that it is in: where that is, and what the person set for it. */
  readonly plugin?: PluginPlaceholders;
};

export interface Expansion {
  expand(text: string): string;
  /** Variables of the environment whose values went in. */
  readonly used: ReadonlySet<string>;
  /** Not set, and without a default. */
  readonly missing: ReadonlySet<string>;
  /** Our own keys, which this entry may not have. */
  readonly refused: ReadonlySet<string>;
  /** `${…}` that is no variable: left as it is. */
  readonly odd: ReadonlySet<string>;
}

const REFERENCE = /\$\{([^}]*)\}/g;
const VARIABLE = /^([A-Za-z_]\w*)(?::-([\s\S]*))?$/;

export function createExpansion({ env, projectRoot, isForeign, plugin }: ExpansionOptions): Expansion {
  const used = new Set<string>();
  const missing = new Set<string>();
  const refused = new Set<string>();
  const odd = new Set<string>();
  const resolveReference = (reference: string, inner: string): string => {
    const ofPlugin = plugin === undefined ? reference : replaceInText(reference, plugin);
    if (ofPlugin !== reference) return ofPlugin;
    if (plugin !== undefined && inner.startsWith('user_config.')) {
      missing.add(inner);
      return '';
    }
    const [, name, otherwise] = VARIABLE.exec(inner) ?? [];
    if (name === undefined) {
      odd.add(reference);
      return reference;
    }
    if (name === 'CLAUDE_PROJECT_DIR') return projectRoot;
    if (isForeign && isOwnKey(name)) {
      refused.add(name);
      return '';
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    // As in a shell, an empty value gives way to the default.
    if (value !== undefined && (value !== '' || otherwise === undefined)) {
      used.add(name);
      return value;
    }
    if (otherwise === undefined) missing.add(name);
    return otherwise ?? '';
  };
  return { expand: (text) => text.replace(REFERENCE, resolveReference), used, missing, refused, odd };
}

/** The variables that a text names, whether or not they are set. */
export function variablesIn(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(REFERENCE)].flatMap(([, inner = '']) => VARIABLE.exec(inner)?.[1] ?? []),
  );
  return [...new Set(names)].sort();
}
