/** New kinds of agents are taken up between prompts; what the model was told once stays as it is. */

import type { Catalog } from '../../agents/catalog/catalog.js';
import type { LiveAgent } from '../../agents/live-agent.js';
import type { Runtime } from '../../agents/runtime.js';
import { text } from '../../protocol/blocks.js';
import { reminder } from '../../protocol/tags.js';

/** The kinds of agents as the files say now, and whether they have changed since it was asked last. */
export type ChangingDefinitions = {
  /** `lines`: what is wrong with them, for the person. */
  load(): Promise<{ readonly catalog: Catalog; readonly lines: readonly string[] }>;
  haveChanged(): Promise<boolean>;
};

export async function takeUpDefinitions(
  runtime: Runtime,
  main: LiveAgent,
  { load }: ChangingDefinitions,
): Promise<void> {
  const before = runtime.catalog;
  const { catalog, lines } = await load();
  runtime.catalog = catalog;
  for (const line of lines) await main.emit({ kind: 'line-shown', level: 'warning', line });
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
