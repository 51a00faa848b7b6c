/** Spells out what a brace expansion stands for, so that a denied word can be found in it. */

/** Literal text and flat lists in braces: what they stand for is certain. */
export const PLAIN_BRACES = /^(?=.*\{)(?:[\w./@:+-]|\{(?!\w*\.\.)[\w./@:+-]*(?:,[\w./@:+-]*)+\})+$/;

/** More are not spelled out; a name among the rest is found by its computed word. */
const MOST = 64;

/** `{r,x}m` becomes `rm` and `xm`. Without braces, the word itself. */
export function expandBraces(word: string): readonly string[] {
  const done: string[] = [];
  const pending = [word];
  for (let next = pending.pop(); next !== undefined && done.length + pending.length < MOST; next = pending.pop()) {
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
