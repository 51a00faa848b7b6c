/** Expands braces. */

/** Literal text and flat lists in braces, whose expansion is certain. */
export const PLAIN_BRACES = /^(?=.*\{)(?:[\w./@:+-]|\{(?!\w*\.\.)[\w./@:+-]*(?:,[\w./@:+-]*)+\})+$/;

/** Larger expansions are not computed. */
const MOST = 64;

/** The words that plain braces expand to, in the shell's order; undefined if there are too many. */
export function expandPlainBraces(word: string): readonly string[] | undefined {
  let words = [''];
  for (const [piece, list] of word.matchAll(/\{([^{}]*)\}|[^{}]+/g)) {
    const choices = list === undefined ? [piece] : list.split(',');
    words = words.flatMap((start) => choices.map((choice) => `${start}${choice}`));
    if (words.length > MOST) return undefined;
  }
  // The shell drops an empty word that nothing quotes.
  return words.filter((one) => one !== '');
}

/** Expands as far as possible, to find a denied word: `{r,x}m`, `{q..s}m`, also nested. */
export function guessBraces(word: string): readonly string[] {
  const done: string[] = [];
  const pending = [word];
  for (let next = pending.pop(); next !== undefined && done.length < MOST; next = pending.pop()) {
    const found = /\{([^{}]*)\}/.exec(next);
    const choices = found?.[1] === undefined ? undefined : readChoices(found[1]);
    if (found === null || choices === undefined) {
      done.push(next);
      continue;
    }
    const [before, after] = [next.slice(0, found.index), next.slice(found.index + found[0].length)];
    for (const choice of choices) pending.push(`${before}${choice}${after}`);
  }
  return done;
}

function readChoices(inner: string): readonly string[] | undefined {
  if (inner.includes(',')) return inner.split(',');
  const [, from, to] = /^(\w)\.\.(\w)$/.exec(inner) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)].sort((a, b) => a - b) as [number, number];
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));
}
