/** Matches one path segment of a glob pattern: `*`, `?`, `[a-z]` and plain characters. */

export type SegmentPattern = readonly Token[];

type Token =
  | { readonly kind: 'character'; readonly value: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

export function parseSegment(pattern: string): SegmentPattern {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? '';
    if (character === '\\' && at + 1 < pattern.length) {
      at += 1;
      tokens.push({ kind: 'character', value: pattern[at] ?? '' });
    } else if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (character === '?') tokens.push({ kind: 'any' });
    else if (character === '[') {
      const set = parseClass(pattern, at);
      tokens.push(set?.token ?? { kind: 'character', value: '[' });
      at = set?.end ?? at;
    } else tokens.push({ kind: 'character', value: character });
  }
  return tokens;
}

/** Greedy; backtracks only to the last star. Worst case: length of the name × length of the pattern. */
export function matchSegment(tokens: SegmentPattern, name: string): boolean {
  let token = 0;
  let at = 0;
  let retryToken = -1;
  let retryAt = 0;
  while (at < name.length) {
    const requested = tokens[token];
    if (requested?.kind === 'star') {
      retryToken = ++token;
      retryAt = at;
    } else if (requested !== undefined && accepts(requested, name[at] ?? '')) {
      token += 1;
      at += 1;
    } else if (retryToken !== -1) {
      token = retryToken;
      at = ++retryAt;
    } else return false;
  }
  while (tokens[token]?.kind === 'star') token += 1;
  return token === tokens.length;
}

function accepts(token: Exclude<Token, { kind: 'star' }>, character: string): boolean {
  switch (token.kind) {
    case 'character':
      return token.value === character;
    case 'any':
      return true;
    case 'class':
      return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.negated;
  }
}

function parseClass(pattern: string, open: number): { readonly token: Token; readonly end: number } | undefined {
  const negated = pattern[open + 1] === '!' || pattern[open + 1] === '^';
  const first = open + (negated ? 2 : 1);
  const end = pattern.indexOf(']', first + 1);
  if (end === -1) return undefined;
  const ranges: [string, string][] = [];
  for (let at = first; at < end; at++) {
    const from = pattern[at] ?? '';
    const isRange = pattern[at + 1] === '-' && at + 2 < end;
    ranges.push([from, isRange ? (pattern[at + 2] ?? from) : from]);
    if (isRange) at += 2;
  }
  return { token: { kind: 'class', negated, ranges }, end };
}
