/**
 * The path in `Read(…)` and `Edit(…)`: a gitignore pattern and its base folder. `//x` is absolute, `~/x` is in the home
 * folder, `/x` is relative to the settings file's folder, anything else to the working folder.
 */

import { relative } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { RuleBehavior } from '../../../protocol/permission.js';

export type PathPattern = {
  readonly written: string;
  readonly from: PatternFolder;
  /** The gitignore pattern, relative to that folder. */
  readonly pattern: string;
  readonly test: Ignore;
};

type PatternFolder =
  | { readonly kind: 'fixed'; readonly folder: string }
  | { readonly kind: 'home' }
  | { readonly kind: 'working' };

/** The base folders of patterns that don't name one. */
export type PatternFolders = { readonly home: string; readonly working: readonly string[] };

/** With more, matching a long name could take forever. */
const MOST_STARS_IN_A_NAME = 3;
const MOST_DOUBLE_STARS = 3;

export function readPathPattern(
  written: string,
  behavior: RuleBehavior,
  base: string,
): PathPattern | { readonly warning: string } {
  if (written.startsWith('!') || written.startsWith('#')) return { warning: 'a pattern may not start with ! or #' };
  if (written.includes('\0')) return { warning: 'it contains a NUL character' };
  const { from, rest } = locate(written, base);
  const pattern = collapse(rest);
  if (pattern.split('/').includes('..')) return { warning: 'a pattern may not contain ..' };
  const names = pattern.split('/').filter((name) => name !== '**');
  const doubles = pattern.split('/').filter((name) => name === '**').length;
  const stars = Math.max(0, ...names.map((name) => name.split('*').length - 1));
  if (stars > MOST_STARS_IN_A_NAME || doubles > MOST_DOUBLE_STARS)
    return { warning: `a pattern may contain ${MOST_STARS_IN_A_NAME} * in a name and ${MOST_DOUBLE_STARS} ** in all` };
  // On case-insensitive file systems a deny must match any case.
  return { written, from, pattern, test: ignore({ ignorecase: behavior !== 'allow' }).add(pattern) };
}

function locate(written: string, base: string): { from: PatternFolder; rest: string } {
  if (written.startsWith('//')) return { from: { kind: 'fixed', folder: '/' }, rest: written.slice(1) };
  if (written === '~' || written.startsWith('~/'))
    return { from: { kind: 'home' }, rest: written === '~' ? '/**' : written.slice(1) };
  if (written.startsWith('/')) return { from: { kind: 'fixed', folder: base }, rest: written };
  if (written.startsWith('./')) return { from: { kind: 'working' }, rest: written.slice(1) };
  return { from: { kind: 'working' }, rest: written };
}

function collapse(pattern: string): string {
  const single = pattern.replace(/\/{2,}/g, '/').replace(/(?<=^|\/)(?:\.\/)+/g, '');
  return single
    .replace(/(?:\*\*\/)+\*\*/g, '**')
    .replace(/(?:\*\*\/){2,}/g, '**/')
    .replace(/\*{3,}/g, '**');
}

/** Matches an absolute path. `isFolder`: also anything directly in it. */
export function matchPath(pattern: PathPattern, path: string, folders: PatternFolders, isFolder = false): boolean {
  return patternFolders(pattern, folders).some((folder) => {
    const inner = relative(folder, path);
    if (inner === '..' || inner.startsWith('../')) return false;
    if (inner === '') return isFolder && pattern.test.ignores('\u0001');
    return pattern.test.ignores(inner) || (isFolder && pattern.test.ignores(`${inner}/\u0001`));
  });
}

/** The pattern's base folders: one, or one per working folder. */
function patternFolders(pattern: PathPattern, folders: PatternFolders): readonly string[] {
  switch (pattern.from.kind) {
    case 'fixed':
      return [pattern.from.folder];
    case 'home':
      return [folders.home];
    case 'working':
      return folders.working;
    default:
      return pattern.from satisfies never;
  }
}

/** The deepest folder that contains every possible match of the pattern. */
export function patternBases(pattern: PathPattern, folders: PatternFolders): readonly string[] {
  const anchored = pattern.pattern.replace(/\/$/, '').includes('/');
  const names = anchored ? pattern.pattern.split('/').filter((name) => name !== '') : [];
  const firstWild = names.findIndex((name) => /[*?[\\]/.test(name));
  const literal = firstWild < 0 ? names.slice(0, -1) : names.slice(0, firstWild);
  return patternFolders(pattern, folders).map((folder) => [folder.replace(/\/$/, ''), ...literal].join('/') || '/');
}
