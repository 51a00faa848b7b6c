/** The main checkout of a worktree, found without git (ME-6); what only claims to be a worktree leads nowhere. */

import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMainCheckout } from '../../../src/config/find-main-checkout.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { scratchFolder } from '../../support/scratch.js';
import { makeRepository } from '../../support/worktrees.js';

async function stage() {
  const scratch = await scratchFolder();
  const main = join(scratch, 'main');
  await mkdir(main);
  const { git, worktree } = await makeRepository(main, { f: 'one\n' });
  const host = nodeHost(scratch, { PATH: '/nowhere' });
  return { scratch, main, git, worktree, find: (folder: string) => findMainCheckout(host, folder) };
}

describe('the main checkout', () => {
  it('ME-6: of one of our worktrees and of one made by hand, with absolute and relative paths, also behind a link', async () => {
    const { scratch, main, git, worktree, find } = await stage();
    const { path } = await worktree('agent-1a2b3c4d');
    expect(await find(path)).toBe(main);
    git('worktree', 'add', '-q', '-b', 'hand', join(scratch, 'by hand'));
    expect(await find(join(scratch, 'by hand'))).toBe(main);
    await writeFile(join(scratch, 'by hand/.git'), 'gitdir: ../main/.git/worktrees/by-hand\n');
    await writeFile(join(main, '.git/worktrees/by-hand/gitdir'), '../../../../by hand/.git\n');
    expect(await find(join(scratch, 'by hand'))).toBe(main);
    await symlink(join(scratch, 'by hand'), join(scratch, 'link'));
    expect(await find(join(scratch, 'link'))).toBe(main);
  });

  it('ME-6: what is no linked worktree is its own: a checkout, a plain folder, a submodule, a worktree of a bare repository', async () => {
    const { scratch, main, git, find } = await stage();
    expect(await find(main)).toBe(main);
    const plain = join(scratch, 'plain');
    await mkdir(plain);
    expect(await find(plain)).toBe(plain);
    git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', main, 'sub');
    expect(await readFile(join(main, 'sub/.git'), 'utf8')).toMatch(/^gitdir: /);
    expect(await find(join(main, 'sub'))).toBe(join(main, 'sub'));
    execFileSync('git', ['clone', '-q', '--bare', main, join(scratch, 'bare.git')]);
    execFileSync('git', ['-C', join(scratch, 'bare.git'), 'worktree', 'add', '-q', join(scratch, 'of-bare')], {
      stdio: 'pipe',
    });
    expect(await find(join(scratch, 'of-bare'))).toBe(join(scratch, 'of-bare'));
  });

  it('ME-3, ME-6: a folder that the repository does not know as its worktree does not get to its memory', async () => {
    const { scratch, main, worktree, find } = await stage();
    const { path } = await worktree('agent-1a2b3c4d');
    const copy = join(scratch, 'copy');
    await cp(path, copy, { recursive: true });
    expect(await find(copy)).toBe(copy);
    const made = join(scratch, 'made-up');
    await mkdir(join(made, 'fake/worktrees/x'), { recursive: true });
    for (const pointer of [
      `gitdir: ${main}/.git\n`,
      `gitdir: ${main}/.git/worktrees/none\n`,
      'gitdir: fake/worktrees/x\n',
      'gitdir: \n',
      'what\n',
      `gitdir: ${'x'.repeat(20_000)}\n`,
      '',
    ]) {
      await writeFile(join(made, '.git'), pointer);
      await writeFile(join(made, 'fake/worktrees/x/commondir'), `${main}/.git\n`);
      await writeFile(join(made, 'fake/worktrees/x/gitdir'), `${made}/.git\n`);
      expect(await find(made), pointer.slice(0, 80)).toBe(made);
    }
  });
});
