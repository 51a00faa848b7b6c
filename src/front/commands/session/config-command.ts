/** `/config`: the values that count in this session, each with the file it comes from. Secrets are masked. */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import { isObject } from '../../../protocol/json/json-values.js';
import type { CommandContext } from '../command-context.js';

export async function showConfig({ session, say }: Pick<CommandContext, 'session' | 'say'>, word: string) {
  const reported = await session.execute({ type: 'settings' });
  if (!reported.ok) return say(escapeToLine(reported.reason));
  const { sources, model, effort } = reported.settings;
  const taken = new Set<string>();
  const lines: string[] = [];
  // Highest first: what a file above has set is not what counts from this one. Lists add up.
  for (const { source, file, settings } of sources) {
    for (const { key, value } of valuesIn(settings)) {
      const isOver = taken.has(key) && !Array.isArray(value);
      taken.add(key);
      const from = file === '' ? source : `${source}: ${file}`;
      lines.push(`  ${key} = ${JSON.stringify(value)}  (${from}${isOver ? '; another one counts' : ''})`);
    }
  }
  const wanted = word.toLowerCase();
  const shown = lines.filter((line) => line.split(' = ')[0]?.toLowerCase().includes(wanted));
  if (wanted === '') say(escapeToLine(`In use: model ${model}${effort === undefined ? '' : `, effort ${effort}`}`));
  for (const line of shown) say(escapeToLine(line));
  if (shown.length > 0) return;
  say(
    wanted === ''
      ? 'No file has a setting: all values are the defaults.'
      : `No setting that is set has ${escapeToLine(word)} in its name.`,
  );
}

type Value = { readonly key: string; readonly value: unknown };

function valuesIn(settings: Readonly<Record<string, unknown>>, path = ''): readonly Value[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const key = path === '' ? name : `${path}.${name}`;
    return isObject(value) ? valuesIn(value, key) : [{ key, value }];
  });
}
