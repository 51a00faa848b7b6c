/** A journal that came with a hostile repository: it must not make the next start delete, move or run anything (WT-12). */

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recoverApplies } from '../../../../src/host/worktrees/apply-worktree.js';
import { scratchFolder } from '../../../support/scratch.js';
import { worktreeStage } from '../../../support/worktree-stage.js';

const ID = 'abcdef0123456789a';

async function setHostile() {
  const stage = await worktreeStage(true);
  const outside = await scratchFolder();
  writeFileSync(join(outside, 'kept'), 'kept\n');
  const { gitDir, commonDir, top } = stage.checkout;
  mkdirSync(join(commonDir, 'coppice'), { recursive: true });
  const folder = join(gitDir, `coppice-apply-${ID}`);
  mkdirSync(join(folder, 'old'), { recursive: true });
  writeFileSync(join(folder, 'old', '0'), 'evil\n');
  const journal = {
    v: 1,
    id: ID,
    name: 'agent-12345678',
    top,
    folder,
    index: join(gitDir, 'coppice-index-0'),
    stage: 'placing',
    steps: [{ path: 'back', was: 'file' }],
    folders: [],
  };
  const recover = (changes: object) => {
    writeFileSync(join(commonDir, 'coppice', `applying-${ID}.json`), JSON.stringify({ ...journal, ...changes }));
    return recoverApplies(stage.host, stage.checkout);
  };
  return { ...stage, outside, recover };
}

it.each([
  ['another folder of ours to remove', (outside: string) => ({ folder: outside, stage: 'placed' })],
  ['another folder of ours, while it is put back', (outside: string) => ({ folder: outside })],
  ['an index elsewhere', (outside: string) => ({ index: join(outside, 'kept'), stage: 'placed' })],
  ['an index by a way out', () => ({ index: 'coppice-index-0/../../one.txt', stage: 'placed' })],
  ['another checkout', (outside: string) => ({ top: outside })],
  ['a path out of it', () => ({ steps: [{ path: '../back', was: 'file' }] })],
  ['an absolute path', (outside: string) => ({ steps: [{ path: join(outside, 'back'), was: 'file' }] })],
  ['git’s own folder', () => ({ steps: [{ path: '.git/hooks/pre-commit', was: 'file' }] })],
  ['git’s own folder, in capitals', () => ({ steps: [{ path: 'src/.GIT/x', was: 'file' }] })],
  ['a folder to remove out of it', () => ({ folders: ['../x'] })],
  ['a branch as its backup', () => ({ backup: { ref: 'refs/heads/main', commit: 'a'.repeat(40) } })],
  ['an option as its backup', () => ({ backup: { ref: '--stdin', commit: 'a'.repeat(40) } })],
])('WT-12: a journal that names %s is refused, and nothing is touched', async (_, change) => {
  const { recover, outside, ownState, repo } = await setHostile();
  const before = await ownState();
  expect(await recover(change(outside))).toEqual([expect.stringContaining("an apply was cut off and can't be undone")]);
  expect(readdirSync(outside)).toEqual(['kept']);
  expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept\n');
  expect(existsSync(join(repo, '.git/hooks/pre-commit'))).toBe(false);
  expect(await ownState()).toEqual(before);
});

it('WT-12: nothing is restored through a link that leads elsewhere', async () => {
  const { recover, outside, repo } = await setHostile();
  symlinkSync(outside, join(repo, 'way'));
  const lines = await recover({ steps: [{ path: 'way/back', was: 'file' }] });
  expect(lines.join('\n')).toContain('way/back was changed since and left unchanged');
  expect(readdirSync(outside)).toEqual(['kept']);
});

it('WT-12: one that an apply could have written is taken', async () => {
  const { recover, repo } = await setHostile();
  expect(await recover({})).toEqual([expect.stringContaining('was cut off. Its files were restored')]);
  expect(readFileSync(join(repo, 'back'), 'utf8')).toBe('evil\n');
});
