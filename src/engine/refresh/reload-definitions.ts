/** Reloads agent types between prompts; the prefix stays unchanged. */

import type { Catalog } from '../../agents/catalog/catalog.js';
import type { LiveAgent } from '../../agents/live-agent.js';
import type { Runtime } from '../../agents/runtime.js';
import { text } from '../../protocol/blocks.js';
import { reminder } from '../../protocol/tags.js';
import { describeListedChange } from './listed-changes.js';

/** The agent types in the files now, and whether they have changed since the last check. */
export type ChangingDefinitions = {
  /** `lines`: their problems, for the user. */
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
  const change = describeListedChange(CHANGED, before.list(), catalog.list());
  const key = `definitions after ${main.state.lastSeq}`;
  if (change !== undefined) await main.inbox.admit({ origin: 'reminder', key }, [text(reminder(change))]);
}
