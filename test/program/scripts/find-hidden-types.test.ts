import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';

it('finds what public signatures mention and nobody can import, also through what is hidden itself', async () => {
  const folder = await scratchFolder();
  const files = {
    'index.d.ts': `export type { Door, Known } from './door.js';\nexport declare function open(): import('./door.js').Inferred;\n`,
    'door.d.ts': `import type { Readable } from 'node:stream';
export type Known = string;
type Base = { readonly colour: Deep };
type Deep = number;
export type Inferred = 1;
export interface Door<Own> extends Base { known: Known; own: Own; stream: Readable; others: Map<string, Door<Own>>; }
`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const script = `import { findHiddenTypes } from ${JSON.stringify(pathToFileURL(join(ROOT, 'scripts/find-hidden-types.mjs')).href)};
    console.log(JSON.stringify(findHiddenTypes(${JSON.stringify(join(folder, 'index.d.ts'))})));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(JSON.parse(stdout)).toEqual([
    { name: 'Inferred', file: 'door.d.ts', user: 'open' },
    { name: 'Base', file: 'door.d.ts', user: 'Door' },
    { name: 'Deep', file: 'door.d.ts', user: 'Base' },
  ]);
});
