/** New kinds of agents are taken up between prompts; what the model was told once stays as it is. */

import type { Catalog } from '../../agents/catalog/catalog.js';
import type { LiveAgent } from '../../agents/live-agent.js';
import type { Runtime } from '../../agents/runtime.js';
import { text } from '../../protocol/blocks.js';
import { reminder } from '../../protocol/tags.js';
import { describeListedChange } from './listed-changes.js';

/** The kinds of agents as the files say now, and whether they have changed since it was asked last. */
export type ChangingDefinitions = {
  /** `lines`: what is wrong with them, for the person. */
  load(): Promise<{ readonly catalog: Catalog; readonly lines: readonly string[] }>;
  haveChanged(): Promise<boolean>;
};

const CHANGED = 'The kinds of agents for the Agent tool have changed.';

export async function reloadDefinitions(
  runtime: Runtime,
  main: LiveAgent,
  { load }: ChangingDefinitions,
): Promise<void> {
  const before = runtime.catalog;
  const { catalog, lines } = await load();
  runtime.catalog = catalog;
  for (const line of lines) await main.emit({ kind: 'line-shown', level: 'warning', line });
  const words = describeListedChange(CHANGED, before.list(), catalog.list());
  const key = `definitions after ${main.state.lastSeq}`;
  if (words !== undefined) await main.inbox.admit({ origin: 'reminder', key }, [text(reminder(words))]);
}
