/**
 * The path in `Read(…)` and `Edit(…)`: a gitignore pattern and its base folder. `//x` is absolute, `~/x` is in the home
 * folder, `/x` is relative to the settings file's folder, anything else to the working folder. Deny and ask rules also
 * accept other spellings of a path and match wider; an allow rule means exactly what is written.
 */

import { dirname, relative } from 'node:path';
import type { RuleBehavior } from '../../../protocol/permission.js';
import { compileGlob, type PathGlob } from './path-glob.js';

export type PathPattern = {
  readonly written: string;
  readonly from: PatternFolder;
  /** The gitignore pattern, relative to that folder; an outline that may match more than `covers`, never less. */
  readonly pattern: string;
  readonly covers: PathGlob;
  /** Something that is probably not what its author meant. */
  readonly note?: string;
};

/** `up`: so many folders above it. */
type PatternFolder =
  | { readonly kind: 'fixed'; readonly folder: string }
  | { readonly kind: 'home'; readonly up?: number }
  | { readonly kind: 'working'; readonly up?: number };

/** The base folders of patterns that don't name one. */
export type PatternFolders = { readonly home: string; readonly working: readonly string[] };

export function readPathPattern(
  given: string,
  behavior: RuleBehavior,
  base: string,
): PathPattern | { readonly warning: string } {
  const wide = behavior !== 'allow';
  const written = wide ? given.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, '~') : given;
  const warning = refuse(written);
  if (warning !== undefined) return { warning };
  const { from, rest } = locate(written, base);
  const { up, pattern } = simplify(rest);
  if (!wide && rest.split('/').includes('..'))
    return { warning: 'a pattern may not contain .. (write the whole path: //folder/name)' };
  if (pattern === '' && !wide) return { warning: 'it names no file (write ** for everything in the folder)' };
  const covers = compile(pattern === '' ? '/**' : pattern, wide);
  if (typeof covers !== 'function') return covers;
  const note = ABSOLUTE.test(written)
    ? `${written} is below the folder of the settings file (${base}); an absolute path begins with //: /${written}`
    : undefined;
  const located = up === 0 ? from : climb(from, up);
  return { written, from: located, pattern: outline(pattern || '/**'), covers, ...(note ? { note } : {}) };
}

/** Folders that are rarely part of a project. */
const ABSOLUTE = /^\/(?:etc|home|proc|root|usr|Users)(?:\/|$)/;

function refuse(written: string): string | undefined {
  if (written.startsWith('!'))
    return 'a pattern may not start with !, because a rule makes no exceptions (write \\! for the character itself)';
  if (written.includes('\0')) return 'it contains a NUL character';
  const user = /^~([A-Za-z_][\w-]*)(?:\/|$)/.exec(written)?.[1];
  if (user !== undefined)
    return `the home folder of ${user} is not known (write its whole path, //home/${user}/…; ./~${user} for a file of that name)`;
  if (/^\$\{?\w+\}?(?:\/|$)/.test(written)) return 'variables are not replaced (write ~/… or //folder/…)';
  if (/^[A-Za-z]:[\\/]|^[A-Za-z][\w+.-]+:\/\//.test(written))
    return 'it is not a path on this machine (write //folder/… for an absolute path)';
  return undefined;
}

function locate(written: string, base: string): { from: PatternFolder; rest: string } {
  if (written.startsWith('//')) return { from: { kind: 'fixed', folder: '/' }, rest: written.slice(1) };
  if (written === '~' || written.startsWith('~/'))
    return { from: { kind: 'home' }, rest: written === '~' ? '/**' : written.slice(1) };
  if (written.startsWith('/')) return { from: { kind: 'fixed', folder: base }, rest: written };
  if (written.startsWith('./')) return { from: { kind: 'working' }, rest: written.slice(1) };
  return { from: { kind: 'working' }, rest: written };
}

/** Resolves `.`, `..` and repeated `**`. The pattern is empty if only the folder itself is left. */
function simplify(rest: string): { readonly up: number; readonly pattern: string } {
  const names: string[] = [];
  let up = 0;
  for (const one of rest.replaceAll('\\/', '/').split('/')) {
    const name = /^\*{2,}$/.test(one) ? '**' : one;
    if (name === '' || name === '.' || (name === '**' && names.at(-1) === '**')) continue;
    // What `**/..` is can't be said, so that it stays `**`.
    if (name !== '..') names.push(name);
    else if (names.length === 0) up += 1;
    else if (names.at(-1) !== '**') names.pop();
  }
  if (names.length === 0) return { up, pattern: '' };
  const isAnchored = rest.replace(/\/+$/, '').includes('/');
  return { up, pattern: `${isAnchored ? '/' : ''}${names.join('/')}${rest.endsWith('/') ? '/' : ''}` };
}

function climb(from: PatternFolder, up: number): PatternFolder {
  return from.kind === 'fixed' ? { ...from, folder: above(from.folder, up) } : { ...from, up };
}

function above(folder: string, up = 0): string {
  return up === 0 ? folder : above(dirname(folder), up - 1);
}

function compile(pattern: string, wide: boolean): PathGlob | { readonly warning: string } {
  const texts = [pattern];
  // Someone may have meant a path of Windows, with a \ before each name.
  if (wide && /\\\w/.test(pattern)) texts.push(pattern.replace(/\\(?=\w)/g, '/'));
  const globs = texts.map((text) => compileGlob(text, wide));
  // Without regard to case, [!A] does not match a.
  if (wide && /\[[!^]/.test(pattern)) globs.push(compileGlob(pattern, false));
  const good = globs.filter((glob) => typeof glob === 'function');
  const [first] = globs;
  if (first === undefined || typeof first !== 'function') return first ?? { warning: 'it names no file' };
  return good.length === 1 ? first : (path) => good.some((glob) => glob(path));
}

/** With more, comparing a long name with a regular expression could take forever. */
const MOST_STARS_IN_A_NAME = 3;

/** A letter that can be composed in several ways is left open, and of many `*` the first and the last stay. */
function outline(pattern: string): string {
  const names = pattern.split('/').map((name) => {
    if (name === '**' || /[[\]\\]/.test(name)) return name;
    const parts = name
      .normalize('NFC')
      .replace(/[^\0-\x7f]+/g, '*')
      .split(/\*+/);
    if (parts.length <= MOST_STARS_IN_A_NAME + 1) return parts.join('*');
    return [...parts.slice(0, 2), ...parts.slice(-2)].join('*');
  });
  return names.join('/');
}

/** Matches an absolute path. `isFolder`: also anything directly in it. */
export function matchPath(pattern: PathPattern, path: string, folders: PatternFolders, isFolder = false): boolean {
  return patternFolders(pattern, folders).some((folder) => {
    const inner = relative(folder, path);
    if (inner === '..' || inner.startsWith('../')) return false;
    if (inner === '') return isFolder && pattern.covers('\u0001');
    return pattern.covers(inner) || (isFolder && pattern.covers(`${inner}/\u0001`));
  });
}

/** The pattern's base folders: one, or one per working folder. */
function patternFolders({ from }: PathPattern, folders: PatternFolders): readonly string[] {
  switch (from.kind) {
    case 'fixed':
      return [from.folder];
    case 'home':
      return [above(folders.home, from.up)];
    case 'working':
      return folders.working.map((folder) => above(folder, from.up));
    default:
      return from satisfies never;
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
