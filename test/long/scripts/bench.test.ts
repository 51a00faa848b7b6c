/** The bench row that is bundled from the source: it breaks when a file it names moves. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';

it('the row of permission decisions can be measured', async () => {
  const scratch = await scratchFolder();
  const project = join(scratch, 'project');
  await mkdir(project);
  const write = (name: string, content: string) => writeFile(join(project, name), content);
  const { measure } = await import(join(ROOT, 'bench/rows/permissions.mjs'));
  const rows = await measure({ scratch, project, home: scratch, write }, 1);
  expect(rows).toMatchObject([{ name: 'permission decisions', unit: 'per second' }]);
});
