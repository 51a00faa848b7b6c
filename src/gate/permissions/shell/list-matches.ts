/** Lists what a pattern in a word may expand to: the entries of one folder, if only the last name is a pattern. */

import { resolve } from 'node:path';
import type { Resolver } from '../paths/resolver.js';
import { matchStars } from '../rules/command-pattern.js';

export type ListedMatches = {
  readonly paths: readonly string[];
  /** Some of them are links, devices or look like options. */
  readonly odd: boolean;
};

/** Undefined if it is unknown. */
export function listMatches(given: string, cwd: string, resolver: Resolver): ListedMatches | undefined {
  // `*/`: folders only.
  const path = given.replace(/\/$/, '');
  const onlyFolders = path !== given;
  const slash = path.lastIndexOf('/');
  const folder = path.slice(0, slash + 1);
  const pattern = path.slice(slash + 1);
  if (/[*?[]/.test(folder) || /[\\]/.test(pattern)) return undefined;
  try {
    if (resolver.allowance.isSpent) return undefined;
    const entries = resolver.list(resolve(cwd, folder === '' ? '.' : folder));
    if (entries === undefined) return undefined;
    resolver.allowance.spend(1 + entries.length / 10);
    const matching = entries.filter(({ name, kind }) => mayMatch(pattern, name) && !(onlyFolders && kind === 'file'));
    // Older shells match the parent folder with `.*`.
    const climbs = mayMatch(pattern, '..');
    return {
      paths: matching.map(({ name }) => `${folder}${name}`),
      odd:
        climbs ||
        matching.some(
          ({ name, kind }) => kind === 'link' || kind === 'other' || (folder === '' && name.startsWith('-')),
        ),
    };
  } catch {
    return { paths: [], odd: false };
  }
}

/** Exact for `*`; for `?` and `[…]` every name matches. */
function mayMatch(pattern: string, name: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  return /[?[]/.test(pattern) || matchStars(pattern, name);
}
