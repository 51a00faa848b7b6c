/** Searches the listing. Loaded with the first search. */

import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { rankEntries } from '../../tools/rank-entries.js';
import { describeFound, describeNothing, type Listing } from './search-listing.text.js';

const MOST_FOUND = 10;
const MOST_NAMES = 20;
const MOST_TRIED = 20;

export type Search = { readonly query: string; readonly kind?: Listing['kind'] | undefined };

export function searchListed({ query, kind }: Search, entries: readonly Listing[]): ToolOutcome {
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
