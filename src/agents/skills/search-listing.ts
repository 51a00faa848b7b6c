/** SearchListing: finds skills and agents whose descriptions had no room in a list (EX-10). Declared only where one was cut. */

import * as z from 'zod';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { rankEntries } from '../../tools/rank-entries.js';
import type { Tool } from '../../tools/tool.js';
import { zodTool } from '../../tools/zod-tool.js';
import DECLARED_INPUTS from '../tools/declared-inputs.json' with { type: 'json' };
import { describeFound, describeNothing, type Listing, SEARCH_LISTING } from './search-listing.text.js';

const MOST_FOUND = 10;
const MOST_NAMES = 20;
const MOST_TRIED = 20;

const schema = () =>
  z.object({
    query: z
      .string()
      .min(1)
      .describe('Words of its name or description; `+word` must be there; `select:name1,name2` takes these'),
    kind: z.enum(['skill', 'agent']).optional().describe('Only these; both if omitted'),
  });

type Search = z.infer<ReturnType<typeof schema>>;

/** `entries`: what there is at the time of a search. */
export function createSearchListing(entries: () => readonly Listing[]): Tool {
  const tool: Tool<Search> = zodTool({
    name: 'SearchListing',
    description: SEARCH_LISTING,
    schema,
    inputSchema: DECLARED_INPUTS.SearchListing,
    concurrent: true,
    declare: () => [{ kind: 'session' }],
    run: async (input) => search(input, entries()),
  });
  return tool as Tool;
}

function search({ query, kind }: Search, entries: readonly Listing[]): ToolOutcome {
  const among = entries.filter((entry) => kind === undefined || entry.kind === kind);
  const { found, missing } = rankEntries(among, ({ name, description }) => ({ names: [name], description }), query);
  const names = among.map(({ name }) => name);
  if (found.length === 0) {
    const tried = missing.length > 0 ? missing : [query.trim(), ...query.split(/[\s,+]+/)];
    return failed(describeNothing(query, kind, namesNear(tried, names)));
  }
  const shown = describeFound(found.slice(0, MOST_FOUND), found.slice(MOST_FOUND, MOST_FOUND + MOST_NAMES));
  const lines = missing.map((name) => describeNothing(name, kind, namesNear([name], names)));
  return succeeded([shown, ...lines].join('\n'));
}

function namesNear(tried: readonly string[], names: readonly string[]): readonly string[] {
  const near = tried
    .slice(0, MOST_TRIED)
    .flatMap((word) => (word === '' ? [] : nearestNames(word.slice(0, 200), names)));
  return [...new Set(near)].slice(0, MOST_FOUND);
}
