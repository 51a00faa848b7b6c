/** New kinds of agents are taken up between prompts; what the model was told once stays as it is. */

import type { Catalog } from '../agents/catalog/catalog.js';
import type { LiveAgent } from '../agents/live-agent.js';
import type { Runtime } from '../agents/runtime.js';
import { text } from '../protocol/blocks.js';
import { reminder } from '../protocol/tags.js';

export async function takeUpDefinitions(
  runtime: Runtime,
  main: LiveAgent,
  load: () => Promise<Catalog>,
): Promise<void> {
  const before = runtime.catalog;
  runtime.catalog = await load();
  const words = describeCatalogChange(before, runtime.catalog);
  const key = `definitions after ${main.state.lastSeq}`;
  if (words !== undefined) await main.inbox.admit({ origin: 'reminder', key }, [text(reminder(words))]);
}

function describeCatalogChange(before: Catalog, after: Catalog): string | undefined {
  const old = new Map(before.list().map((definition) => [definition.name, definition]));
  const now = new Map(after.list().map((definition) => [definition.name, definition]));
  const came = [...now.values()].filter(
    (definition) => old.get(definition.name)?.description !== definition.description,
  );
  const gone = [...old.keys()].filter((name) => !now.has(name));
  if (came.length === 0 && gone.length === 0) return undefined;
  return [
    'The kinds of agents for the Agent tool have changed.',
    ...came.map(({ name, description }) => `Now there: ${name}: ${description}`),
    ...(gone.length > 0 ? [`No longer there: ${gone.join(', ')}`] : []),
  ].join('\n');
}
