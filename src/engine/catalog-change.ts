/** What the model is told when kinds of agents came or went. */

import type { Catalog } from '../agents/catalog/catalog.js';

export function describeCatalogChange(before: Catalog, after: Catalog): string | undefined {
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
