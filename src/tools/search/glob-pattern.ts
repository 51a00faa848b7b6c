/**
 * Compiles glob patterns from a model. Matching takes time proportional to pattern × name: no regular expression is
 * built, so none can explode. Supports `*` `?` `[a-z]` `{a,b}` `**`; anything else is refused with a reason.
 */

import { matchSegment, parseSegment, type SegmentPattern } from './glob-segment.js';

const MAX_CHARS = 1_000;
const MAX_ALTERNATIVES = 64;
const MAX_BRACES = 30;

export type CompiledGlob = { readonly matches: (path: string) => boolean } | { readonly reason: string };

type Part = '**' | SegmentPattern;

/** `path` in `matches` is relative, with `/`. A pattern without `/` matches a name at any depth; a leading `./` anchors it. */
export function compileGlob(pattern: string): CompiledGlob {
  const problem = findProblem(pattern);
  if (problem !== undefined) return { reason: problem };
  const alternatives = expandBraces(pattern);
  if (alternatives === undefined) {
    return { reason: `the braces expand to more than ${MAX_ALTERNATIVES} patterns; use fewer, or a wider pattern` };
  }
  if (alternatives.some((one) => one.split('/').includes('..'))) {
    return { reason: '".." is not supported after a wildcard or inside braces; give the folder in "path" instead' };
  }
  const compiled = alternatives.map(parseAlternative);
  return {
    matches: (path) => {
      const names = path.split('/');
      return compiled.some((parts) => matchParts(parts, names));
    },
  };
}

function findProblem(pattern: string): string | undefined {
  if (pattern.trim() === '') return 'the pattern is empty; "**/*" is every file';
  if (pattern.length > MAX_CHARS)
    return `the pattern has ${pattern.length} characters; at most ${MAX_CHARS} are allowed`;
  if (pattern.includes('\0')) return 'the pattern contains a NUL character';
  if (pattern.split('{').length - 1 > MAX_BRACES) return `the pattern has more than ${MAX_BRACES} braces`;
  if (/(?<!\\)[*+?@!]\(/.test(pattern)) return 'extended patterns such as +(a|b) are not supported; use {a,b}';
  return undefined;
}

/** Undefined if there are too many. It stops at the limit. */
function expandBraces(pattern: string): readonly string[] | undefined {
  const done: string[] = [];
  const expand = (before: string, rest: string): boolean => {
    const brace = findBrace(rest);
    if (brace === undefined) return done.push(before + rest) <= MAX_ALTERNATIVES;
    const head = before + rest.slice(0, brace.open);
    return brace.choices.every((choice) => expand(head, choice + rest.slice(brace.close + 1)));
  };
  return expand('', pattern) ? done : undefined;
}

/** The first closed `{…,…}`. `{a}` and an unclosed brace are plain text. */
function findBrace(text: string): { open: number; close: number; choices: readonly string[] } | undefined {
  for (let open = nextPlain(text, '{', 0); open !== -1; open = nextPlain(text, '{', open + 1)) {
    const choices: string[] = [];
    let depth = 0;
    let from = open + 1;
    for (let at = open; at < text.length; at++) {
      const character = text[at];
      if (character === '\\') at += 1;
      else if (character === '{') depth += 1;
      else if (character === ',' && depth === 1) {
        choices.push(text.slice(from, at));
        from = at + 1;
      } else if (character === '}') {
        depth -= 1;
        if (depth > 0) continue;
        if (choices.length > 0) return { open, close: at, choices: [...choices, text.slice(from, at)] };
        break;
      }
    }
  }
  return undefined;
}

function nextPlain(text: string, requested: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === requested) return at;
  }
  return -1;
}

function parseAlternative(pattern: string): readonly Part[] {
  const pinned = pattern.startsWith('./');
  const plain = pattern.replace(/^(\.?\/)+/, '');
  const open = plain.endsWith('/') ? `${plain}**` : plain;
  const segments = open.split('/').filter((segment) => segment !== '' && segment !== '.');
  const parts = segments.map((segment): Part => (segment === '**' ? '**' : parseSegment(segment)));
  const anyDepth = !pinned && !plain.includes('/');
  // Several ** in a row are equivalent to one.
  const all: readonly Part[] = anyDepth ? ['**', ...parts] : parts;
  return all.filter((part, index) => part !== '**' || all[index - 1] !== '**');
}

/** Backtracks only to the last `**`: anything an earlier one could match, the later one can match too. */
function matchParts(parts: readonly Part[], names: readonly string[]): boolean {
  let part = 0;
  let name = 0;
  let retryPart = -1;
  let retryName = 0;
  while (name < names.length) {
    const requested = parts[part];
    if (requested === '**') {
      retryPart = ++part;
      retryName = name;
      // At the end, `**` matches the rest, which is at least one name.
      if (part === parts.length) return true;
    } else if (requested !== undefined && matchSegment(requested, names[name] ?? '')) {
      part += 1;
      name += 1;
    } else if (retryPart !== -1) {
      part = retryPart;
      name = ++retryName;
    } else return false;
  }
  return part === parts.length;
}
