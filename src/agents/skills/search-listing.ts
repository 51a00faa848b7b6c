/**
 * SearchListing: finds skills and agents whose descriptions did not fit in a list (EX-10). Declared only if one was
 * cut.
 */

import * as z from 'zod';
import { searchListingFacts } from '../../protocol/tools/skill.js';
import type { Tool } from '../../tools/tool.js';
import { zodTool } from '../../tools/zod-tool.js';
import DECLARED_INPUTS from '../tools/declared-inputs.json' with { type: 'json' };
import type { Listing } from './search-listing.text.js';

const schema = () =>
  z.object({
    query: z
      .string()
      .min(1)
      .describe('Words of its name or description; `+word` must be there; `select:name1,name2` takes these'),
    kind: z.enum(['skill', 'agent']).optional().describe('Only these; both if omitted'),
  });

/** `entries`: the current entries at the time of a search. */
export function createSearchListing(entries: () => readonly Listing[]): Tool {
  const tool: Tool<z.infer<ReturnType<typeof schema>>> = zodTool({
    name: searchListingFacts.name,
    description:
      'Finds skills and kinds of agents by words, with their whole descriptions. Use it where a list of them shows only names.',
    schema,
    inputSchema: DECLARED_INPUTS.SearchListing,
    concurrent: true,
    declare: () => [{ kind: 'session' }],
    run: async (input) => (await import('./search-listed.js')).searchListed(input, entries()),
  });
  return tool as Tool;
}
