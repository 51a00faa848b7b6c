/** What searches must leave out: the patterns of Read rules that deny, each with the folder it starts from. */

import { type PatternFolders, patternFolders } from './path-pattern.js';
import type { Rule } from './rule.js';

export type DeniedReadPattern = {
  /** Absolute. */
  readonly folder: string;
  /** A gitignore pattern relative to that folder. */
  readonly pattern: string;
};

export function deniedReadPatterns(rules: readonly Rule[], folders: PatternFolders): readonly DeniedReadPattern[] {
  return rules
    .filter((rule) => rule.behavior === 'deny' && rule.tool === 'Read')
    .flatMap(({ matches }) => {
      if (matches.kind !== 'path') return [];
      const { pattern } = matches;
      return patternFolders(pattern, folders).map((folder) => ({ folder, pattern: pattern.pattern }));
    });
}
