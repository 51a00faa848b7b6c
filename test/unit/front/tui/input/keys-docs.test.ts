/** The keys in docs/terminal.md are those of the keymap. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeAction } from '../../../../../src/front/tui/input/bindings/actions.js';
import { DEFAULT_BINDINGS } from '../../../../../src/front/tui/input/bindings/default-bindings.js';
import { ROOT } from '../../../../support/program.js';

const CONTEXTS = [
  ['global', 'Anywhere'],
  ['editor', 'Prompt'],
  ['menu', 'Completion menu'],
  ['search', 'History search'],
  ['tree', 'Agent tree'],
  ['question', 'Questions'],
  ['page', 'Pages'],
] as const;

it('TU-17: docs/terminal.md lists every key of the keymap', async () => {
  const page = join(ROOT, 'docs/terminal.md');
  const text = await readFile(page, 'utf8');
  const parts = /^([\s\S]*<!-- keys[^\n]*-->\n)([\s\S]*)(<!-- end of keys -->[\s\S]*)$/.exec(text);
  const [, before = '', table = '', after = ''] = parts ?? [];
  expect(parts).not.toBeNull();
  if (process.env.UPDATE_DOCS === '1') await writeFile(page, `${before}${keyTables()}${after}`);
  else expect(table, 'run: UPDATE_DOCS=1 npx vitest run test/unit/front/tui/input/keys-docs.test.ts').toBe(keyTables());
});

function keyTables(): string {
  return CONTEXTS.map(([context, title]) => {
    const rows = DEFAULT_BINDINGS[context].map(([action, keys]) => {
      const shown = [keys].flat().map((key) => `\`${key}\``);
      return `| ${shown.join(', ')} | ${describeAction(action).replaceAll('|', '\\|')} | \`${action}\` |\n`;
    });
    return `### ${title}\n| key | does | action |\n|---|---|---|\n${rows.join('')}\n`;
  }).join('');
}
