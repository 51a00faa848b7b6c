/** Fuzzy search, best match first. Made for paths: matches in the last part score higher. */

export type Match = { readonly text: string; readonly index: number; readonly score: number };
export type Matches = { readonly best: readonly Match[]; readonly count: number };

const TOGETHER_IN_NAME = 4000;
const TOGETHER = 2000;
const AT_START = 1000;
const AT_WORD = 500;
const NEXT_TO = 15;
const WORD_LETTER = 20;

/**
 * Many texts, searched repeatedly while you type: a query that extends the previous one scans only its matches.
 */
export class FuzzyIndex {
  readonly #texts: readonly string[];
  /** Built with the first typed letter: until then nothing is searched. */
  #sought: SearchIndex | undefined;
  /** Queries, each extending the one before, with their matches. */
  #steps: { readonly query: string; readonly matching: Int32Array }[] = [];
  /** Number of texts the last search scanned. */
  examined = 0;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  search(words: string, most: number): Matches {
    const query = words.toLowerCase();
    while (this.#steps.length > 0 && !query.startsWith(this.#steps.at(-1)?.query ?? '')) this.#steps.pop();
    const among = this.#steps.at(-1)?.matching;
    const total = among?.length ?? this.#texts.length;
    const wanted = lettersOf(query);
    const { lower, letters } = query === '' ? { lower: this.#texts, letters: undefined } : this.#prepare();
    const matching = new Int32Array(total);
    const best: Match[] = [];
    let count = 0;
    let worst = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < total; at += 1) {
      const index = among === undefined ? at : (among[at] ?? 0);
      if (((letters?.[index] ?? 0) & wanted) !== wanted) continue;
      const score = scoreLower(lower[index] ?? '', query);
      if (score === undefined) continue;
      matching[count] = index;
      count += 1;
      if (score > worst) worst = keepBest(best, { text: this.#texts[index] ?? '', index, score }, most);
    }
    this.examined = total;
    if (query !== '') this.#steps.push({ query, matching: matching.slice(0, count) });
    return { best, count };
  }

  #prepare(): SearchIndex {
    if (this.#sought === undefined) {
      const lower = this.#texts.map((text) => text.toLowerCase());
      this.#sought = { lower, letters: Int32Array.from(lower, lettersOf) };
    }
    return this.#sought;
  }
}

/** `letters`: the letters of each text as bits. Most texts lack one of the query and need no further check. */
type SearchIndex = { readonly lower: readonly string[]; readonly letters: Int32Array };

/** The score of a text. Undefined: no match. */
export function scoreOf(text: string, query: string): number | undefined {
  return scoreLower(text.toLowerCase(), query.toLowerCase());
}

function scoreLower(text: string, query: string): number | undefined {
  // A folder ends with a slash: its name is before that.
  let name = text.length - 1;
  while (name > 0 && text.charCodeAt(name - 1) !== 47) name -= 1;
  // Without a query, shorter paths come first.
  if (query === '') return name === 0 ? -text.length : -1000 - text.length;
  // The engine searches much faster forwards; most texts end here.
  if (text.includes(query)) {
    const at = text.lastIndexOf(query);
    const where = at === name || at === 0 ? AT_START : isWordStart(text, at) ? AT_WORD : 0;
    return (at >= name ? TOGETHER_IN_NAME : TOGETHER) + where - text.length;
  }
  return scoreScattered(text, query);
}

/** Searches from the end, so that letters are found in the name if they are there. */
function scoreScattered(text: string, query: string): number | undefined {
  let score = -text.length;
  let letter = query.length - 1;
  let wanted = query.charCodeAt(letter);
  let before = text.length;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text.charCodeAt(at) !== wanted) continue;
    if (at === before - 1 && letter < query.length - 1) score += NEXT_TO;
    if (isWordStart(text, at)) score += WORD_LETTER;
    before = at;
    letter -= 1;
    if (letter < 0) return score;
    wanted = query.charCodeAt(letter);
  }
  return undefined;
}

function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const code = text.charCodeAt(at - 1);
  // `/ . - _` and the space.
  return code === 47 || code === 46 || code === 45 || code === 95 || code === 32;
}

function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    bits |= code >= 97 && code <= 122 ? 1 << (code - 97) : 1 << (26 + (code % 6));
  }
  return bits;
}

/** Keeps matches sorted, best first, the earlier of equals. Returns the score to beat. */
function keepBest(best: Match[], match: Match, most: number): number {
  let at = best.length;
  while (at > 0 && (best[at - 1]?.score ?? 0) < match.score) at -= 1;
  best.splice(at, 0, match);
  if (best.length > most) best.pop();
  return best.length < most ? Number.NEGATIVE_INFINITY : (best.at(-1)?.score ?? Number.POSITIVE_INFINITY);
}
