/** The cost of making a worktree: how often git runs, and how often it scans the files. Times are in `npm run bench`. */

import { expect, it } from 'vitest';
import type { Host } from '../../../../src/host/host.js';
import { makeRepository } from './make-repository.js';

/** The commands of git that go through the files of a checkout, or write them. */
const THROUGH_FILES = /^(?:read-tree|reset|checkout|add|status|diff-files|update-index|ls-files)$/;

async function gitsOf(files: number, sparsePaths: readonly string[] = []): Promise<readonly string[]> {
  const contents = Object.fromEntries(Array.from({ length: files }, (_, n) => [`folder-${n % 10}/f${n}`, `${n}\n`]));
  const repository = await makeRepository(contents);
  const commands: string[] = [];
  const { processes } = repository.host;
  const host: Host = {
    ...repository.host,
    processes: {
      ...processes,
      run: (command) => {
        commands.push(command.args.find((word) => /^[a-z]/.test(word)) ?? '');
        return processes.run(command);
      },
    },
  };
  const { use } = await repository.made({ sparsePaths }, { host });
  await use.release();
  return commands;
}

it('WT-6: without an overlay git goes through the files once, and runs as often for many as for a few', async () => {
  const few = await gitsOf(10);
  expect(few.filter((command) => THROUGH_FILES.test(command))).toEqual(['read-tree']);
  expect(few.length).toBeLessThanOrEqual(16);
  expect((await gitsOf(500)).toSorted()).toEqual(few.toSorted());
});

it('WT-6, WT-3: a sparse one writes its own files only, once', async () => {
  const commands = await gitsOf(500, ['folder-1']);
  expect(commands.filter((command) => THROUGH_FILES.test(command))).toEqual(['read-tree']);
});
