/** The list of worktrees: the status of each, whatever happened to it (WT-12). */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeLock } from '../../../../src/host/locks/lock.js';
import { diffWorktree } from '../../../../src/host/worktrees/diff-worktree.js';
import { listWorktrees, type WorktreeView } from '../../../../src/host/worktrees/list-worktrees.js';
import { openRecords, recordsFolder, useLock } from '../../../../src/host/worktrees/worktree-record.js';
import { type ApplyStage, LINES, setApplyStage, stateOf } from './apply-stage.js';

async function view({ host, target }: ApplyStage): Promise<WorktreeView> {
  const { worktrees } = await listWorktrees(host, target);
  const [only] = worktrees;
  if (only === undefined || worktrees.length > 1) throw new Error(JSON.stringify(worktrees));
  return only;
}

describe('WT-12 list', () => {
  it('WT-12: commits, changed and new files against its start; the overlay and our placed files are ignored', async () => {
    const stage = await setApplyStage({
      before: async (repo) => {
        await repo.write('.gitignore', 'node_modules/\n');
        repo.commit();
        await repo.write('node_modules/x', 'x');
        await repo.write('f', LINES.replace('one', 'mine'));
      },
      symlinkDirectories: ['node_modules'],
    });
    const { child, repo } = stage;
    // Only our line hides the link from git; the file is the user's.
    await repo.write('.git/info/exclude', '');
    expect(await view(stage)).toMatchObject({
      state: 'kept',
      path: child.path,
      branch: 'worktree-agent-1a2b3c4d',
      commits: 0,
      changedFiles: 0,
      owner: { session: 's', agent: '1a2b3c4d' },
      isOwnerAlive: false,
      madeBy: 'git',
      notes: [],
    });
    await child.write('folder/inner', 'committed\n');
    child.commit();
    await child.write('f', LINES.replace('two', 'TWO'));
    await child.write('new/one', 'x');
    await child.write('new/two', 'x');
    await child.remove('g');
    const before = await stateOf(repo);
    expect(await view(stage)).toMatchObject({ commits: 1, changedFiles: 5 });
    expect(await stateOf(repo)).toEqual(before);
  });

  it('WT-12: in use, half made, moved, gone, unreadable', async () => {
    const stage = await setApplyStage();
    const { host, target, repo, child, record } = stage;
    const records = openRecords(host, target.commonDir);
    const use = await takeLock(host, useLock(target.commonDir, record.name));
    if (!use.ok) throw new Error(use.reason);
    expect(await view(stage)).toMatchObject({ state: 'in-use', isOwnerAlive: true });
    await use.lock.release();
    await records.write({ ...record, stage: 'removing' });
    expect(await view(stage)).toMatchObject({ state: 'half-made' });
    await records.write(record);
    await child.write('g', 'G\n');
    child.commit();
    const elsewhere = join(repo.path, '..', 'elsewhere');
    repo.git('worktree', 'move', '--force', '--force', child.path, elsewhere);
    expect(await view(stage)).toMatchObject({ state: 'moved', path: elsewhere, commits: 1, changedFiles: 1 });
    const pointer = join(elsewhere, '.git');
    await writeFile(pointer, 'gitdir: /nowhere\n');
    expect((await view(stage)).notes.join()).toContain("can't be inspected");
    await writeFile(pointer, `gitdir: ${record.gitDir}\n`);
    repo.git('worktree', 'remove', '--force', '--force', elsewhere);
    expect(await view(stage)).toMatchObject({ state: 'gone', commits: 1, changedFiles: 1 });
    repo.git('branch', '-D', record.branch);
    expect(await view(stage)).toMatchObject({ state: 'gone', commits: 0, notes: ['its branch is gone, too'] });
    await writeFile(join(recordsFolder(target.commonDir), 'damaged.json'), '{');
    expect((await listWorktrees(host, target)).problems).toEqual([expect.stringMatching(/damaged\.json is damaged/)]);
  });
});

describe('WT-12 diff', () => {
  it('WT-12: work since its start, in any encoding, without running programs of the repository', async () => {
    const stage = await setApplyStage({
      before: async (repo) => {
        await repo.write('.gitattributes', 'f diff=command\ng diff=text\n');
        repo.commit();
        await repo.write('f', LINES.replace('one', 'mine'));
      },
    });
    const { host, target, child, repo, record } = stage;
    await child.write('g', 'G\n');
    repo.git('config', 'diff.command.command', `touch ${join(repo.path, '.git', 'ran')}`);
    repo.git('config', 'diff.text.textconv', `touch ${join(repo.path, '.git', 'ran')}; echo`);
    await child.write('f', Buffer.from(LINES.replace('one', 'mine').replace('nine', 'n\u00efne'), 'latin1'));
    const before = await stateOf(repo);
    const shown = await diffWorktree(host, target, record.name);
    if (!shown.ok) throw new Error(shown.reason);
    expect(shown.diff.includes(Buffer.from('+n\u00efne\n', 'latin1'))).toBe(true);
    expect(shown.diff.toString('latin1')).not.toContain('mine\n+');
    expect(shown.diff.toString('latin1')).not.toContain('+mine');
    expect(existsSync(join(repo.path, '.git', 'ran'))).toBe(false);
    expect(await stateOf(repo)).toEqual(before);
    expect(await diffWorktree(host, target, 'x/y')).toMatchObject({ ok: false });
  });
});
