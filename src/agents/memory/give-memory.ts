/** What an agent starts with of its notes. One without `memory` costs nothing. */

import type { Runtime } from '../runtime.js';
import type { GivenMemory, MemoryRequest } from './session-memory.js';

export async function giveMemory(
  { memory, catalog, tools: all }: Pick<Runtime, 'memory' | 'catalog' | 'tools'>,
  request: Omit<MemoryRequest, 'known' | 'all'>,
): Promise<GivenMemory> {
  if (request.definition.memory === undefined) return { tools: request.tools, lines: [] };
  const known = catalog.list().map(({ name }) => name);
  return memory.give({ ...request, known, all });
}
