/** Records and journals that did not come from us: with a copied repository, in an archive, from a command (WT-9, WT-12). */

import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { applyWorktree, recoverApplies } from '../../../../src/host/worktrees/apply-worktree.js';
import { diffWorktree } from '../../../../src/host/worktrees/diff-worktree.js';
import { listWorktrees } from '../../../../src/host/worktrees/list-worktrees.js';
import { removeWorktree } from '../../../../src/host/worktrees/remove-worktree.js';
import { sweepWorktrees } from '../../../../src/host/worktrees/sweep-worktrees.js';
import { type ApplyStage, checkoutOf, setApplyStage } from '../../../program/host/worktrees/apply-stage.js';

/** A foreign folder next to the repository. */
function othersFolder(stage: ApplyStage): string {
  const folder = join(dirname(stage.repo.path), 'home');
  mkdirSync(folder);
  writeFileSync(join(folder, 'thesis'), 'mine\n');
  return folder;
}

function putJournal(stage: ApplyStage, change: object): string {
  const git = join(stage.repo.path, '.git');
  const file = join(git, 'coppice/applying-x.json');
  const whole = { v: 1, id: 'x', name: 'fix', top: stage.repo.path, folder: join(git, 'coppice-apply-x') };
  const rest = { index: join(git, 'coppice-index-x'), stage: 'placing', steps: [], folders: [] };
  writeFileSync(file, JSON.stringify({ ...whole, ...rest, ...change }));
  return file;
}

it('WT-12: a journal that names a foreign folder or file removes nothing', async () => {
  const stage = await setApplyStage();
  const home = othersFolder(stage);
  for (const step of ['staging', 'placing', 'placed']) {
    for (const change of [
      { folder: home },
      { top: home, folder: home },
      { index: join(home, 'thesis') },
      { top: home, folder: join(home, '.coppice-apply-x') },
      { folder: stage.repo.path },
      { folder: join(stage.repo.path, '.git/refs') },
    ]) {
      mkdirSync(join(home, '.coppice-apply-x'), { recursive: true });
      mkdirSync(join(stage.repo.path, '.git/coppice-apply-x'), { recursive: true });
      const file = putJournal(stage, { ...change, stage: step });
      const lines = await recoverApplies(stage.host, stage.target);
      expect(lines.join()).toContain('does not belong to this repository');
      expect(readFileSync(join(home, 'thesis'), 'utf8')).toBe('mine\n');
      expect(existsSync(join(home, '.coppice-apply-x'))).toBe(true);
      expect(existsSync(join(stage.repo.path, '.git/refs/heads'))).toBe(true);
      expect(existsSync(file)).toBe(true);
    }
  }
});

it('WT-12: a journal puts nothing outside the checkout, into its git folder, or behind a link', async () => {
  const stage = await setApplyStage();
  const home = othersFolder(stage);
  symlinkSync(home, join(stage.repo.path, 'out'));
  const old = join(stage.repo.path, '.git/coppice-apply-x/old');
  const wanted = [
    ['../home/.profile', join(home, '.profile')],
    ['out/.profile', join(home, '.profile')],
    ['.git/hooks/pre-commit', join(stage.repo.path, '.git/hooks/pre-commit')],
    ['sub/.GIT/config', join(stage.repo.path, 'sub/.GIT/config')],
    [join(home, '.profile'), join(stage.repo.path, home, '.profile')],
  ] as const;
  for (const [path, place] of wanted) {
    mkdirSync(old, { recursive: true });
    writeFileSync(join(old, '0'), 'evil\n');
    putJournal(stage, { steps: [{ path, was: 'file' }] });
    await recoverApplies(stage.host, stage.target);
    expect(existsSync(place), path).toBe(false);
  }
  const branch = { ref: 'refs/heads/main', commit: stage.record.base };
  putJournal(stage, { backup: branch });
  await recoverApplies(stage.host, stage.target);
  expect(stage.repo.git('rev-parse', 'refs/heads/main').trim()).toBe(branch.commit);
});

it('WT-12: a copy of a repository, made while work was applied, undoes nothing in the original', async () => {
  const stage = await setApplyStage();
  const folder = join(stage.repo.path, '.git/coppice-apply-x');
  mkdirSync(join(folder, 'old'), { recursive: true });
  writeFileSync(join(folder, 'old/0'), 'old\n');
  putJournal(stage, { steps: [{ path: 'was', was: 'file' }] });
  const copy = `${stage.repo.path}-copy`;
  cpSync(stage.repo.path, copy, { recursive: true });
  const lines = await recoverApplies(stage.host, await checkoutOf(stage.host, copy));
  expect(lines.join()).toContain('If the repository was copied, remove this file');
  expect(existsSync(join(folder, 'old/0'))).toBe(true);
  expect(existsSync(join(stage.repo.path, 'was'))).toBe(false);
  expect((await recoverApplies(stage.host, stage.target)).join()).toContain('Its files were restored');
  expect(readFileSync(join(stage.repo.path, 'was'), 'utf8')).toBe('old\n');
});

it('WT-9, WT-12: no word of a record is taken for an option of git, or for a path elsewhere', async () => {
  const stage = await setApplyStage();
  const home = othersFolder(stage);
  const { name } = stage.record;
  const file = join(stage.repo.path, '.git/coppice/worktrees', `${name}.json`);
  writeFileSync(join(home, 'x.lock'), 'theirs\n');
  symlinkSync('thesis', join(home, 'link'));
  await stage.child.write('f', 'changed\n');
  const link = { kind: 'link', path: '../../../../home/link', target: 'thesis' };
  for (const change of [
    { start: `--output=${join(home, 'made')}` },
    { start: `--index-output=${join(home, 'made')}`, stage: 'making' },
    { start: `--output=${join(home, 'made')}`, path: join(stage.repo.path, '.claude/worktrees/none') },
    { branch: '../../../../home/x', stage: 'removing', path: join(home, 'none') },
    { placed: [link] },
    { placed: [null] },
    { stashes: [1] },
    { applied: { x: '--all' } },
  ]) {
    writeFileSync(file, JSON.stringify({ ...stage.record, ...change }));
    const listed = await listWorktrees(stage.host, stage.target);
    expect(listed).toMatchObject({ worktrees: [], problems: [expect.stringContaining('is damaged')] });
    expect((await diffWorktree(stage.host, stage.target, name)).ok).toBe(false);
    expect((await applyWorktree(stage.host, stage.target, name)).ok).toBe(false);
    await sweepWorktrees(stage.host, stage.target, { days: -1 });
    expect((await removeWorktree(stage.host, stage.target, name, { discard: true })).kind).toBe('kept');
    expect(existsSync(join(home, 'made')), JSON.stringify(change)).toBe(false);
    expect(existsSync(join(home, 'x.lock'))).toBe(true);
    expect(existsSync(join(home, 'link'))).toBe(true);
    expect(existsSync(stage.child.path)).toBe(true);
  }
});
