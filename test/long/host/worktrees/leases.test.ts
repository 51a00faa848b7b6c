import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorktreeLeases } from '../../../../src/host/worktrees/worktree-leases.js';
import { adopted, NAME } from '../../../program/host/worktrees/ending/leases-stage.js';
import { rewriteRecord, worktreeStage } from '../../../support/worktree-stage.js';

describe('WT-8: leases', () => {
  it('WT-8: two leases of one process never hold the same', async () => {
    const stage = await worktreeStage();
    const { letGo, record } = await adopted(stage);
    const other = new WorktreeLeases(stage.host);
    expect(await other.reopen(stage.checkout, NAME, 'other')).toMatchObject({
      ok: false,
      gone: false,
      reason: expect.stringContaining(`held by process ${process.pid} `),
    });
    await letGo('parent', 'keep');
    const many = await Promise.all(
      Array.from({ length: 5 }, () => new WorktreeLeases(stage.host).reopen(stage.checkout, NAME, 'other')),
    );
    expect(many.filter(({ ok }) => ok)).toEqual([{ ok: true, record }]);
  });

  it('WT-8: one that a killed process left half made is cleared away when it is asked for, unless it holds work', async () => {
    const stage = await worktreeStage();
    const { leases, letGo, record } = await adopted(stage);
    await letGo('parent', 'keep');
    await rewriteRecord(stage, { ...record, stage: 'making' });
    await writeFile(join(record.path, 'new.txt'), 'work\n');
    expect(await leases.reopen(stage.checkout, NAME, 'here')).toEqual({
      ok: false,
      gone: false,
      reason: `${record.path} is not whole: untracked: new.txt`,
    });
    await writeFile(join(record.path, 'new.txt'), '');
    await stage.git(['clean', '-fdqx'], record.path);
    expect(await leases.reopen(stage.checkout, NAME, 'here')).toMatchObject({ ok: false, gone: true });
    expect(await stage.leftOf(record)).toEqual([]);
  });
});
