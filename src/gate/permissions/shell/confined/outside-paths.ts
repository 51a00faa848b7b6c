/** Finds paths in a word of a confined line that lead out of the folders it may read. */

import type { ResolvedPath } from '../../paths/resolve-path.js';
import type { LineInput } from '../parts/line-assessment.js';
import type { ShellWord } from '../reading/shell-reading.js';

export type OutsidePaths = {
  /** The reason why the first path that no rule allows can't be read. */
  readonly outside: string | undefined;
  /** Real paths outside that rules allow to be read. */
  readonly shown: readonly string[];
};

/** Paths that the sandbox always has. */
const OF_THE_BOX =
  /^(?:\/dev\/(?:null|stdin|stdout|stderr|fd\/\d+)|\/proc\/(?:loadavg|meminfo|cpuinfo|uptime|version|stat|filesystems))$/;

export function findOutside(word: ShellWord, input: LineInput): OutsidePaths {
  const shown: string[] = [];
  for (const path of pathsIn(word, input)) {
    if (OF_THE_BOX.test(path)) continue;
    for (const cwd of input.cwds) {
      const found = checkPath(path, cwd, input);
      if (found === undefined) continue;
      if (found.outside !== undefined) return { outside: found.outside, shown };
      shown.push(found.shown);
    }
  }
  return { outside: undefined, shown };
}

type PathCheck =
  | { readonly outside: string; readonly shown?: undefined }
  | { readonly outside?: undefined; readonly shown: string };

/** Undefined if it is inside, or not a path at all: a text that begins with a slash. */
function checkPath(path: string, cwd: string, { resolver, policy }: LineInput): PathCheck | undefined {
  const resolved = resolver.resolve(path, cwd);
  const { problem, kind, lexical } = resolved;
  if (problem !== undefined && kind !== 'missing') return { outside: `${lexical}: ${problem}` };
  if (resolver.isReadable(resolved) || (problem !== undefined && !path.startsWith('/'))) return undefined;
  if (isNoPath(path, resolver.resolve(topOf(lexical), cwd))) return undefined;
  const allowed = policy.rules.some(
    ({ behavior, tool, matches }) =>
      behavior === 'allow' &&
      tool === 'Read' &&
      matches.kind === 'path' &&
      resolver.matches(matches.pattern, resolved, false, false),
  );
  return allowed
    ? { shown: resolved.real }
    : { outside: `${resolved.real} is outside the folders this session works in` };
}

function isNoPath(path: string, top: ResolvedPath): boolean {
  return path.startsWith('/') && top.kind === 'missing';
}

function topOf(path: string): string {
  return /^\/[^/]*/.exec(path)?.[0] ?? '/';
}

/** Everything in a word that may be a path: all of it, and the text after an option's letter, `=`, `:`, `,` or `@`. */
function pathsIn(word: ShellWord, input: LineInput): readonly string[] {
  const text = word.value ?? fixedStart(word.raw, input);
  if (text === undefined || text === '') return [];
  const whole = word.home ? `${input.policy.home}${text.slice(1)}` : text;
  const parts = [whole, ...[...whole.matchAll(/[=:,@]/g)].map(({ index }) => whole.slice(index + 1))];
  if (/^-[A-Za-z]./.test(whole)) parts.push(whole.slice(2));
  return parts
    .slice(0, MOST_PARTS)
    .filter((part) => part !== '' && !part.startsWith('-'))
    .map((part) => (part.startsWith('~/') || part === '~' ? `${input.policy.home}${part.slice(1)}` : part))
    .map((part) => (/[*?[{]/.test(part) ? folderOf(part) : part));
}

/** A word with more parts is a list or a text. */
const MOST_PARTS = 8;

/** The folder where a pattern starts. */
function folderOf(path: string): string {
  const before = path.split(/[*?[{]/)[0] ?? '';
  return before.slice(0, before.lastIndexOf('/') + 1) || '.';
}

/** The certain part of a computed word: its text before the first expansion, with the home folder resolved. */
function fixedStart(raw: string, { policy, cwds }: LineInput): string | undefined {
  const text = raw
    .replace(/["']/g, '')
    .replace(/^\$(?:HOME\b|\{HOME\})/, policy.home)
    .replace(/^\$(?:PWD\b|\{PWD\})/, cwds[0] ?? '');
  const start = text.split(/[$`(]/)[0] ?? '';
  // A name that is cut off is incomplete: only its folder is known.
  return start === text ? text : start.slice(0, start.lastIndexOf('/') + 1);
}
