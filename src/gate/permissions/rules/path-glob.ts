/**
 * Matches gitignore patterns in bounded time. A regular expression is not an option: with many `*` it can take forever,
 * and both the pattern and the names may come from a hostile project.
 */

/** Takes a path relative to the pattern's folder. True if the pattern covers it, or a folder around it. */
export type PathGlob = (path: string) => boolean;

/** `fold`: ignores case and how letters are composed, and whether a match is a folder; a broken set is any character. */
export function compileGlob(pattern: string, fold: boolean): PathGlob | { readonly warning: string } {
  const text = fold ? foldName(pattern) : pattern;
  const body = text.replace(/\/+$/, '');
  const isAnchored = body.includes('/');
  const names = body.split('/').filter((name) => name !== '');
  // `a/**` covers what is in a, but not a itself, and so does `a/*`.
  if (names.at(-1) === '**') names[names.length - 1] = '*';
  const groups: Name[][] = isAnchored ? [[]] : [[], []];
  for (const name of names) {
    if (name === '**') {
      groups.push([]);
      continue;
    }
    const read = readName(name, fold);
    if ('warning' in read) return read;
    groups.at(-1)?.push(read);
  }
  const onlyFolders = !fold && body !== text;
  return (path) => {
    const parts = (fold ? foldName(path) : path).split('/');
    let at = 0;
    for (const [index, group] of groups.entries()) {
      const start = index === 0 ? (matchesAt(group, parts, 0) ? 0 : -1) : findGroup(group, parts, at);
      if (start < 0) return false;
      at = start + group.length;
    }
    return !onlyFolders || at < parts.length;
  };
}

/** Length-preserving, so that `?` is one letter: case as on file systems that ignore it, letters composed. */
export function foldName(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text.normalize('NFC'), (char) => {
    const upper = char.toUpperCase();
    const lower = (upper.length === char.length ? upper : char).toLowerCase();
    return lower.length === char.length ? lower : char;
  }).join('');
}

type Token = '*' | ((char: string) => boolean);
/** A name without wildcards is compared as a whole. */
type Name = { readonly literal: string } | { readonly tokens: readonly Token[] };

/** The earliest place from there: it leaves the most for what follows. */
function findGroup(group: readonly Name[], parts: readonly string[], from: number): number {
  for (let at = from; at + group.length <= parts.length; at += 1) if (matchesAt(group, parts, at)) return at;
  return -1;
}

function matchesAt(group: readonly Name[], parts: readonly string[], at: number): boolean {
  if (at + group.length > parts.length) return false;
  return group.every((name, index) => {
    const part = parts[at + index] ?? '';
    return 'literal' in name ? name.literal === part : matchTokens(name.tokens, Array.from(part));
  });
}

/** Only the last `*` is ever tried again, so that the work is at most tokens × characters. */
function matchTokens(tokens: readonly Token[], chars: readonly string[]): boolean {
  let token = 0;
  let retry: { token: number; at: number } | undefined;
  for (let at = 0; at < chars.length; ) {
    const wanted = tokens[token];
    if (wanted === '*') {
      token += 1;
      retry = { token, at };
    } else if (wanted?.(chars[at] ?? '')) {
      token += 1;
      at += 1;
    } else if (retry === undefined) return false;
    else {
      retry.at += 1;
      token = retry.token;
      at = retry.at;
    }
  }
  return tokens.slice(token).every((rest) => rest === '*');
}

function readName(name: string, fold: boolean): Name | { readonly warning: string } {
  if (!/[*?[\\]/.test(name)) return { literal: name };
  const tokens: Token[] = [];
  const chars = Array.from(name);
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (char === '?') tokens.push(() => true);
    else if (char === '[') {
      const set = readSet(chars, at);
      if (set === undefined && !fold) return { warning: 'a [ has no ] (write \\[ for the character itself)' };
      if (set?.has === undefined && !fold) return { warning: `nothing matches ${chars.slice(at, set?.end).join('')}` };
      tokens.push(set === undefined ? (one) => one === '[' : (set.has ?? (() => true)));
      at = set === undefined ? at : set.end - 1;
    } else {
      const escaped = char === '\\' ? chars[at + 1] : char;
      if (escaped === undefined && !fold) return { warning: 'nothing follows the \\ at its end' };
      if (char === '\\') at += 1;
      if (escaped !== undefined) tokens.push((one) => one === escaped);
    }
  }
  return { tokens };
}

/** `has` is missing if the set makes no sense here: a range backwards, or a class such as `[:alpha:]`. */
type CharSet = { readonly end: number; readonly has?: (char: string) => boolean };

/** Undefined if it is not closed. */
function readSet(chars: readonly string[], open: number): CharSet | undefined {
  const negated = chars[open + 1] === '!' || chars[open + 1] === '^';
  const ranges: (readonly [string, string])[] = [];
  let isSound = true;
  let at = open + (negated ? 2 : 1);
  const next = () => {
    if (chars[at] === '\\') at += 1;
    const char = chars[at] ?? '';
    at += 1;
    return char;
  };
  for (let first = true; at < chars.length; first = false) {
    if (chars[at] === ']' && !first) {
      const has = (char: string) => ranges.some(([from, to]) => from <= char && char <= to) !== negated;
      return { end: at + 1, ...(isSound ? { has } : {}) };
    }
    if (chars[at] === '[' && /[:.=]/.test(chars[at + 1] ?? '')) {
      const close = chars.findIndex(
        (char, index) => index > at + 2 && char === ']' && chars[index - 1] === chars[at + 1],
      );
      isSound = false;
      at = close < 0 ? at + 1 : close + 1;
      continue;
    }
    const from = next();
    if (chars[at] !== '-' || chars[at + 1] === ']' || chars[at + 1] === undefined) ranges.push([from, from]);
    else {
      at += 1;
      const to = next();
      ranges.push([from, to]);
      isSound &&= from <= to;
    }
  }
  return undefined;
}
