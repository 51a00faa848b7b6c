/** Finds tools by words. The same words find the same tools in the same order. */

import type { ServerTool } from './server-tool.js';

export type Ranked = {
  /** Best first. */
  readonly found: readonly ServerTool[];
  /** Names after `select:` that no tool has. */
  readonly missing: readonly string[];
};

const LONGEST_QUERY = 500;
const MOST_WORDS = 20;

/** `select:a,b` names tools; a name alone finds its tool first; `+word` must be there. */
export function rankTools(tools: readonly ServerTool[], query: string): Ranked {
  const asked = query.slice(0, LONGEST_QUERY * 4).trim();
  if (/^select:/i.test(asked)) return selectTools(tools, asked.slice('select:'.length));
  const words = asked
    .slice(0, LONGEST_QUERY)
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, MOST_WORDS);
  const required = words.filter((word) => word.length > 1 && word.startsWith('+')).map((word) => word.slice(1));
  const all = words.map((word) => word.replace(/^\+(?=.)/, ''));
  const scored = tools.flatMap((tool) => {
    const facts = factsOf(tool);
    const scores = new Map(all.map((word) => [word, scoreWord(facts, word)]));
    if (required.some((word) => (scores.get(word) ?? 0) === 0)) return [];
    const sum = [...scores.values()].reduce((total, score) => total + score, 0);
    const score = sum + (facts.names.includes(asked.toLowerCase()) ? EXACT : 0);
    return score === 0 ? [] : [{ tool, score }];
  });
  scored.sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1));
  return { found: scored.map(({ tool }) => tool), missing: [] };
}

function selectTools(tools: readonly ServerTool[], list: string): Ranked {
  const wanted = [
    ...new Set(
      list
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ];
  const found = new Set<ServerTool>();
  const missing: string[] = [];
  for (const name of wanted) {
    const tool = tools.find((one) => factsOf(one).names.includes(name.toLowerCase()));
    if (tool === undefined) missing.push(name);
    else found.add(tool);
  }
  return { found: [...found], missing };
}

type Facts = {
  /** In full, the long form, and without the server. */
  readonly names: readonly string[];
  readonly nameWords: readonly string[];
  readonly serverWords: readonly string[];
  readonly parameters: readonly string[];
  readonly description: string;
  readonly descriptionWords: ReadonlySet<string>;
};

function factsOf(tool: ServerTool): Facts {
  const names = [tool.name, ...(tool.aliases ?? [])];
  const short = (tool.aliases?.[0] ?? tool.name).replace(/^mcp__.*?__/, '');
  const properties = tool.inputSchema.properties;
  const parameters = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const description = tool.description.toLowerCase();
  return {
    names: [...names, short].map((name) => name.toLowerCase()),
    nameWords: splitWords(short),
    serverWords: splitWords(tool.offered.server),
    parameters: parameters.flatMap(splitWords),
    description,
    descriptionWords: new Set(description.split(/[^\p{L}\p{N}]+/u).map(stem)),
  };
}

const EXACT = 1_000;

/** A word of the name tells most, one of the description least. A part of a word counts half. */
function scoreWord(facts: Facts, word: string): number {
  const wanted = stem(word);
  if (wanted === '') return 0;
  const among = (words: readonly string[], worth: number) => {
    if (words.some((one) => stem(one) === wanted)) return worth;
    return words.some((one) => one.includes(wanted)) ? worth / 2 : 0;
  };
  const inText = facts.descriptionWords.has(wanted) ? 3 : facts.description.includes(wanted) ? 1 : 0;
  const inName = facts.names.some((name) => name.includes(word)) ? 5 : 0;
  return (
    Math.max(among(facts.nameWords, 12), inName) + among(facts.serverWords, 8) + among(facts.parameters, 4) + inText
  );
}

/** `getIssueComments`, `get_issue-comments` → get, issue, comments. */
function splitWords(name: string): readonly string[] {
  return name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** One and many are the same. */
function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?<=[^s])s$/, '') : word;
}
