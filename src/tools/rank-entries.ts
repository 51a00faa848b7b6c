/** Ranks entries by the query's words in their names and descriptions. Deterministic and pure. */

/** The searchable fields of an entry. */
export type RankedEntry = {
  /** Its names, the primary one first; a query equal to one of them ranks the entry first. */
  readonly names: readonly [string, ...string[]];
  /** The descriptive part of the name, if not all of the first. */
  readonly shortName?: string;
  /** The owner's name, for example a server's. */
  readonly owner?: string;
  readonly parameters?: readonly string[];
  readonly description: string;
};

export type Ranked<T> = {
  /** Best first. */
  readonly found: readonly T[];
  /** Names after `select:` that match no entry. */
  readonly missing: readonly string[];
};

const LONGEST_QUERY = 500;
const MOST_WORDS = 20;

/** `select:a,b` names entries; a plain name ranks its entry first; `+word` is required. */
export function rankEntries<T>(items: readonly T[], entryOf: (item: T) => RankedEntry, query: string): Ranked<T> {
  const requested = query.slice(0, LONGEST_QUERY * 4).trim();
  if (/^select:/i.test(requested)) return selectNamed(items, entryOf, requested.slice('select:'.length));
  const content = requested
    .slice(0, LONGEST_QUERY)
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, MOST_WORDS);
  const required = content.filter((word) => word.length > 1 && word.startsWith('+')).map((word) => word.slice(1));
  const all = content.map((word) => word.replace(/^\+(?=.)/, ''));
  const scored = items.flatMap((item) => {
    const entry = entryOf(item);
    const facts = factsOf(entry);
    const scores = new Map(all.map((word) => [word, scoreWord(facts, word)]));
    if (required.some((word) => (scores.get(word) ?? 0) === 0)) return [];
    const sum = [...scores.values()].reduce((total, score) => total + score, 0);
    const score = sum + (facts.names.includes(requested.toLowerCase()) ? EXACT : 0);
    return score === 0 ? [] : [{ item, name: entry.names[0], score }];
  });
  scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { found: scored.map(({ item }) => item), missing: [] };
}

function selectNamed<T>(items: readonly T[], entryOf: (item: T) => RankedEntry, list: string): Ranked<T> {
  const requested = [
    ...new Set(
      list
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ];
  const found = new Set<T>();
  const missing: string[] = [];
  for (const name of requested) {
    const item = items.find((one) => allNames(entryOf(one)).includes(name.toLowerCase()));
    if (item === undefined) missing.push(name);
    else found.add(item);
  }
  return { found: [...found], missing };
}

type Facts = {
  readonly names: readonly string[];
  readonly nameWords: readonly string[];
  readonly ownerWords: readonly string[];
  readonly parameters: readonly string[];
  readonly description: string;
  readonly descriptionWords: ReadonlySet<string>;
};

function factsOf(entry: RankedEntry): Facts {
  const description = entry.description.toLowerCase();
  return {
    names: allNames(entry),
    nameWords: textOf(entry.shortName ?? entry.names[0]),
    ownerWords: textOf(entry.owner ?? ''),
    parameters: (entry.parameters ?? []).flatMap(textOf),
    description,
    descriptionWords: new Set(description.split(/[^\p{L}\p{N}]+/u).map(stem)),
  };
}

function allNames({ names, shortName }: RankedEntry): readonly string[] {
  return [...names, ...(shortName === undefined ? [] : [shortName])].map((name) => name.toLowerCase());
}

const EXACT = 1_000;

/** A word of the name weighs most, one of the description least. A partial word scores half. */
function scoreWord(facts: Facts, word: string): number {
  const requested = stem(word);
  if (requested === '') return 0;
  const among = (content: readonly string[], worth: number) => {
    if (content.some((one) => stem(one) === requested)) return worth;
    return content.some((one) => one.includes(requested)) ? worth / 2 : 0;
  };
  const inText = facts.descriptionWords.has(requested) ? 3 : facts.description.includes(requested) ? 1 : 0;
  const inName = facts.names.some((name) => name.includes(word)) ? 5 : 0;
  return (
    Math.max(among(facts.nameWords, 12), inName) + among(facts.ownerWords, 8) + among(facts.parameters, 4) + inText
  );
}

/** `getIssueComments`, `get_issue-comments` → get, issue, comments. */
function textOf(name: string): readonly string[] {
  return name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** Treats singular and plural alike. */
function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?<=[^s])s$/, '') : word;
}
