/** Selects the files that rules permit to read, where many are read without a judged call (GT-4). */

import { join, relative } from 'node:path';
import type { SourcedRule } from '../config/settings/collect-sources.js';
import type { SyncFiles } from '../host/files.js';
import { realPath } from './permissions/paths/real-path.js';
import { isWithin } from './permissions/paths/resolve-path.js';
import { matchPath, type PatternFolders, patternBases } from './permissions/rules/path-pattern.js';
import type { Rule } from './permissions/rules/rule.js';
import { readRules } from './session-rules.js';

type Permits = (path: string) => boolean;

/** Undefined if none of these rules is about reading certain files. Takes absolute paths, as written or real. */
export function permittedReads(
  against: readonly Rule[],
  folders: PatternFolders,
  files: SyncFiles,
): Permits | undefined {
  const patterns = against.flatMap(({ tool, matches }) => {
    if (tool !== 'Read' || matches.kind !== 'path') return [];
    const bases = patternBases(matches.pattern, folders).map((path) => ({ path, real: realPath(path, files) ?? path }));
    return [{ pattern: matches.pattern, linked: bases.filter(({ path, real }) => path !== real) }];
  });
  if (patterns.length === 0) return undefined;
  return (path) =>
    !patterns.some(({ pattern, linked }) => {
      if (matchPath(pattern, path, folders)) return true;
      // A link may lead to the pattern's own folder.
      return linked.some(
        (base) => isWithin(path, base.real) && matchPath(pattern, join(base.path, relative(base.real, path)), folders),
      );
    });
}

type InstructionRules = {
  readonly rules: readonly SourcedRule[];
  readonly projectRoot: string;
  readonly folders: PatternFolders;
  readonly files: SyncFiles;
};

/** For content that is sent without a call: nobody can be asked then, so an ask rule denies. */
export function permittedInstructions({ rules, projectRoot, folders, files }: InstructionRules): Permits | undefined {
  const against = readRules(rules, projectRoot).rules.filter(({ behavior }) => behavior !== 'allow');
  return permittedReads(against, folders, files);
}
