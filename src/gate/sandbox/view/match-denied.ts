/** Which files the person's deny rules are about, fast enough to ask for every file of a project. */

import { basename, join, relative } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';
import { realPath } from '../../permissions/paths/real-path.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import {
  matchPath,
  type PathPattern,
  type PatternFolders,
  patternBases,
} from '../../permissions/rules/path-pattern.js';

export interface DeniedMatcher {
  /** The same text for the same question. */
  readonly key: string;
  /** Whether it is denied itself. What lies in a denied folder is denied with it. */
  covers(path: string, isFolder: boolean): boolean;
  /** Whether something inside this folder, but outside `listed`, may be denied by a pattern that names no single file. */
  reaches(folder: string, listed: readonly string[]): boolean;
  /** The same, for patterns of several names: a link on the way gives a file another such path. */
  reachesByPath(folder: string): boolean;
  /** The folders in which patterns with a wildcard may match something. */
  readonly bases: readonly string[];
  /** Files that a pattern names without any wildcard. */
  readonly named: readonly string[];
}

type Base = { readonly path: string; readonly real: string };

export function createMatcher(
  denied: readonly PathPattern[],
  folders: PatternFolders,
  files: SyncFiles,
): DeniedMatcher | undefined {
  if (denied.length === 0) return undefined;
  const patterns = denied.map((pattern) => ({
    pattern,
    name: lastName(pattern.pattern),
    bases: patternBases(pattern, folders).map((path): Base => ({ path, real: realPath(path, files) ?? path })),
    named: namedFiles(pattern, folders),
    byPath: pattern.pattern.replace(/\/$/, '').slice(1).includes('/'),
  }));
  const reaches = (bases: readonly Base[], folder: string, listed: readonly string[]) =>
    bases.some(({ path, real }) =>
      [path, real].some(
        (base) => isWithin(folder, base) || (isWithin(base, folder) && !listed.some((other) => isWithin(base, other))),
      ),
    );
  return {
    key: JSON.stringify([folders, denied.map(({ written, from }) => [written, from])]),
    covers: (path, isFolder) => {
      const own = basename(path);
      return patterns.some(({ pattern, name, bases }) => {
        if (name !== undefined && !name.test(own)) return false;
        if (matchPath(pattern, path, folders, isFolder)) return true;
        // A link may lead to the pattern's own folder.
        return bases.some(
          (base) =>
            base.real !== base.path &&
            isWithin(path, base.real) &&
            matchPath(pattern, join(base.path, relative(base.real, path)), folders, isFolder),
        );
      });
    },
    reaches: (folder, listed) =>
      patterns.some(({ bases, named }) => named.length === 0 && reaches(bases, folder, listed)),
    reachesByPath: (folder) => patterns.some(({ byPath, bases }) => byPath && reaches(bases, folder, [])),
    bases: patterns.flatMap(({ bases, named }) => (named.length > 0 ? [] : bases.map(({ path }) => path))),
    named: patterns.flatMap(({ named }) => named),
  };
}

/** What the last name of a match must look like; undefined if that can't be said. Only to skip files quickly. */
function lastName(pattern: string): RegExp | undefined {
  const names = pattern
    .trimEnd()
    .split('/')
    .filter((name) => name !== '');
  while (names.at(-1) === '**') names.pop();
  const last = names.at(-1);
  if (last === undefined || /[[\]\\]/.test(pattern)) return undefined;
  const source = last
    .split(/\*+/)
    .map((part) => part.replace(/[.+^${}()|]/g, '\\$&').replaceAll('?', '.'))
    .join('.*');
  return new RegExp(`^${source}$`, 'isu');
}

/** For a pattern that is one path: that path below each of its folders. */
function namedFiles(pattern: PathPattern, folders: PatternFolders): readonly string[] {
  const whole = pattern.pattern.trimEnd();
  if (/[*?[\]\\]/.test(whole) || !whole.replace(/\/$/, '').includes('/')) return [];
  const last = basename(whole);
  return patternBases(pattern, folders).map((base) => join(base, last));
}
