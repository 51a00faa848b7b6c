/** Expands `${VAR}` and `${VAR:-default}` in a server's entry (MC-10). Inserted values are not expanded again. */

import type { Environment } from '../../host/host.js';
import { isOwnKey } from '../../host/programs/process-environment.js';
import { type PluginPlaceholders, replaceInText } from '../plugins/plugin-placeholders.js';

export type ExpansionOptions = {
  readonly env: Environment;
  readonly projectRoot: string;
  /** Somebody else wrote the entry: our own keys are treated as unset, even if it has a default. */
  readonly isForeign: boolean;
  /** Variables and options of the plugin it belongs to. */
  readonly plugin?: PluginPlaceholders;
};

export interface Expansion {
  expand(text: string): string;
  /** Environment variables whose values were inserted. */
  readonly used: ReadonlySet<string>;
  /** Not set, and without a default. */
  readonly missing: ReadonlySet<string>;
  /** Our own keys, which this entry must not receive. */
  readonly refused: ReadonlySet<string>;
  /** `${…}` that is not a variable and stays as written. */
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

/** The variables that a text names, set or not. */
export function variablesIn(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(REFERENCE)].flatMap(([, inner = '']) => VARIABLE.exec(inner)?.[1] ?? []),
  );
  return [...new Set(names)].sort();
}
