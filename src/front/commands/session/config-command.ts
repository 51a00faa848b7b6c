/** `/config`: the effective settings of this session, each with its file. Secrets are masked. */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import { isObject } from '../../../protocol/json/json-values.js';
import type { CommandContext } from '../command-context.js';

export async function showConfig({ session, say }: Pick<CommandContext, 'session' | 'say'>, text: string) {
  const reported = await session.execute({ type: 'settings' });
  if (!reported.ok) return say(escapeToLine(reported.reason));
  const { sources, model, effort } = reported.settings;
  const seen = new Set<string>();
  const lines: string[] = [];
  // Highest precedence first: a file overrides the ones after it. Lists are merged.
  for (const { source, file, settings } of sources) {
    for (const { key, value } of valuesIn(settings)) {
      const isOverridden = seen.has(key) && !Array.isArray(value);
      seen.add(key);
      const from = file === '' ? source : `${source}: ${file}`;
      lines.push(`  ${key} = ${JSON.stringify(value)}  (${from}${isOverridden ? '; overridden' : ''})`);
    }
  }
  const wanted = text.toLowerCase();
  const shown = lines.filter((line) => line.split(' = ')[0]?.toLowerCase().includes(wanted));
  if (wanted === '') say(escapeToLine(`In use: model ${model}${effort === undefined ? '' : `, effort ${effort}`}`));
  for (const line of shown) say(escapeToLine(line));
  if (shown.length > 0) return;
  say(
    wanted === ''
      ? 'No file sets anything: all values are defaults.'
      : `No setting with ${escapeToLine(text)} in its name is set.`,
  );
}

type Value = { readonly key: string; readonly value: unknown };

function valuesIn(settings: Readonly<Record<string, unknown>>, path = ''): readonly Value[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const key = path === '' ? name : `${path}.${name}`;
    return isObject(value) ? valuesIn(value, key) : [{ key, value }];
  });
}
