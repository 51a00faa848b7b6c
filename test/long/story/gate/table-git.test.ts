import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { commitSome, expectLive, reads } from '../../../story/gate/hostile/table-git-stage.js';
import { setTable } from '../../../story/gate/hostile/table-stage.js';
import { buildProgram } from '../../../support/program.js';

beforeAll(buildProgram);

describe('a repository before trust', () => {
  it('GT-26: a hook behind 3,000 samples', async () => {
    const table = await setTable();
    await commitSome(table);
    const hooks = join(table.folder, '.git', 'hooks');
    await mkdir(hooks, { recursive: true });
    for (let index = 0; index < 3_000; index += 1) await writeFile(join(hooks, `a${index}.sample`), '');
    const hook = join(hooks, 'post-index-change');
    await writeFile(hook, `#!/bin/sh\n${table.mark('hook')}\n`);
    await chmod(hook, 0o755);
    expectLive(table, table.folder);
    await table.write('file.txt', 'one\n');
    await table.run(reads());
    expect(await table.marked()).toEqual([]);
  });
});
