/** The table in docs/settings.md is what the code knows. `UPDATE_DOCS=1` writes it. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SETTING_ALIASES, SETTINGS, type SettingRow } from '../../../src/config/settings/settings-table.js';
import { HOOK_EVENTS } from '../../../src/gate/hooks/hook-events.js';
import { PERMISSION_MODES } from '../../../src/protocol/permission.js';
import { ROOT } from '../../support/program.js';

const page = (name: string) => join(ROOT, 'docs', name);

it('GT-1: docs/settings.md has every key as the code has it', async () => {
  const text = await readFile(page('settings.md'), 'utf8');
  const parts = /^([\s\S]*<!-- keys[^\n]*-->\n)([\s\S]*)(<!-- end of keys -->[\s\S]*)$/.exec(text);
  const [, before = '', table = '', after = ''] = parts ?? [];
  expect(parts).not.toBeNull();
  if (process.env.UPDATE_DOCS === '1') await writeFile(page('settings.md'), `${before}${keysTable()}${after}`);
  else expect(table, 'run: UPDATE_DOCS=1 npx vitest run test/program/cli/config-docs.test.ts').toBe(keysTable());
});

it('GT-5, GT-14: the pages name every mode and every event', async () => {
  const modes = await readFile(page('permissions.md'), 'utf8');
  // `bubble` is a child's way of asking, not a mode a user starts in.
  for (const mode of PERMISSION_MODES.filter((one) => one !== 'bubble')) expect(modes).toContain(`\`${mode}\``);
  const hooks = await readFile(page('hooks.md'), 'utf8');
  for (const event of HOOK_EVENTS) expect(hooks).toContain(`\`${event}\``);
});

function keysTable(): string {
  const rows = Object.entries<SettingRow>(SETTINGS).map(([name, key]) => {
    const alias = Object.entries(SETTING_ALIASES).find(([, target]) => target === name)?.[0];
    const names = alias === undefined ? `\`${name}\`` : `\`${name}\` (or \`${alias}\`)`;
    return `| ${[names, key.shape.expects, key.what, shown(key.default), key.merge, key.project].join(' | ')} |\n`;
  });
  return `| key | value | what for | default | merged | from a project |\n|---|---|---|---|---|---|\n${rows.join('')}`;
}

function shown(value: unknown): string {
  return value === undefined ? '' : `\`${JSON.stringify(value)}\``;
}
