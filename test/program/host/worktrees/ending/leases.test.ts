/** Leases: a worktree stays while anybody works in it, here or in another process, and is settled by the last (WT-8). */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WorktreeLeases } from '../../../../../src/host/worktrees/worktree-leases.js';
import { recordsFolder } from '../../../../../src/host/worktrees/worktree-record.js';
import { bundle } from '../../../../support/bundle.js';
import { scratchFolder } from '../../../../support/scratch.js';
import { worktreeStage } from '../../../../support/worktree-stage.js';
import { adopted, NAME } from './leases-stage.js';

describe('WT-8: leases', () => {
  it('WT-8, failures 36: it is not removed under a descendant that still works in it', async () => {
    const stage = await worktreeStage();
    const { join, letGo, record, locked, inUse } = await adopted(stage);
    expect(join('child')).toBe(true);
    expect(join('grandchild')).toBe(true);
    expect(await letGo('parent')).toEqual({ outcome: 'in-use', reasons: ['it is still used by child, grandchild'] });
    expect(await letGo('child')).toMatchObject({ outcome: 'in-use' });
    expect(await letGo('child')).toMatchObject({ outcome: 'in-use', reasons: [`child does not hold ${NAME}`] });
    expect((await stat(record.path)).isDirectory()).toBe(true);
    expect(await locked()).toMatch(/^coppice: in use by agent agent-1 of session session-1 \(process \d+\)/);
    expect(await inUse()).toContain(`"pid":${process.pid}`);
    expect(await letGo('grandchild')).toEqual({ outcome: 'removed', reasons: [] });
    expect(await stage.leftOf(record)).toEqual([]);
    expect(join('late')).toBe(false);
    expect(await letGo('late')).toMatchObject({ outcome: 'kept' });
  });

  it('WT-8: an interrupted run only gives its locks back, and is not settled by others', async () => {
    const stage = await worktreeStage();
    const { leases, letGo, join, record, locked, inUse } = await adopted(stage);
    join('child');
    await letGo('child', 'keep');
    expect(await letGo('parent')).toEqual({ outcome: 'kept', reasons: ['child can go on in it'] });
    expect(await stage.leftOf(record)).toEqual([
      `${NAME}.json`,
      `branch worktree-${NAME}`,
      `registration ${NAME}`,
      'folder',
    ]);
    expect([await locked(), await inUse()]).toEqual([undefined, undefined]);
    expect(await leases.reopen(stage.checkout, NAME, 'child')).toMatchObject({ ok: true });
    expect(await locked()).toMatch(/^coppice: /);
    expect(await letGo('child')).toMatchObject({ outcome: 'removed' });
  });

  it('WT-8: one that is being settled is not joined; one that comes back waits for it', async () => {
    const stage = await worktreeStage();
    const { leases, letGo, join } = await adopted(stage);
    const settled = letGo('parent');
    const reopened = leases.reopen(stage.checkout, NAME, 'late');
    await Promise.resolve();
    await Promise.resolve();
    expect(join('late')).toBe(false);
    expect(await settled).toMatchObject({ outcome: 'removed' });
    expect(await reopened).toEqual({
      ok: false,
      gone: true,
      reason: `there is no worktree named ${NAME} any more`,
    });
  });

  it('WT-8, DU-17: coming back touches it, so that no clean-up takes it', async () => {
    const stage = await worktreeStage();
    const { leases, letGo, record } = await adopted(stage);
    await letGo('parent', 'keep');
    const file = join(recordsFolder(stage.checkout.commonDir), `${NAME}.json`);
    await utimes(file, new Date(1000), new Date(1000));
    expect(await leases.reopen(stage.checkout, NAME, 'parent')).toEqual({ ok: true, record });
    expect((await stat(file)).mtimeMs).toBeGreaterThan(Date.parse('2026-01-01'));
  });

  it('WT-8: one held by another process is refused, with who holds it; when that dies, it is free', async () => {
    const stage = await worktreeStage();
    const { leases, letGo } = await adopted(stage);
    await letGo('parent', 'keep');
    const program = await bundle(new URL('./worktree-actor.ts', import.meta.url), await scratchFolder());
    const child = spawn(process.execPath, [program, 'hold', stage.repo, NAME], { env: stage.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('{"ok":true}\n');
    expect(await leases.reopen(stage.checkout, NAME, 'here')).toMatchObject({
      ok: false,
      gone: false,
      reason: expect.stringMatching(new RegExp(`^the worktree ${NAME} is in use: held by process ${child.pid} since `)),
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await leases.reopen(stage.checkout, NAME, 'here')).toMatchObject({ ok: true });
    expect(await letGo('here')).toMatchObject({ outcome: 'removed' });
  });

  it('WT-1: an invalid name is refused', async () => {
    const { host, checkout } = await worktreeStage();
    const reopened = await new WorktreeLeases(host).reopen(checkout, '../x', 'a');
    expect(reopened).toMatchObject({
      ok: false,
      gone: false,
      reason: expect.stringMatching(/^"\.\.\/x" is not the name/),
    });
  });

  it('WT-11: the hook runs before git removes it; files it writes there are not lost', async () => {
    const stage = await worktreeStage();
    const told: string[] = [];
    const first = await adopted(
      stage,
      'parent',
      new WorktreeLeases(stage.host, { beforeRemoval: async (path) => void told.push(path) }),
    );
    expect(await first.letGo('parent')).toMatchObject({ outcome: 'removed' });
    expect(told).toEqual([first.record.path]);
    const tellRemoval = (path: string) => writeFile(join(path, 'by-hook.txt'), 'x');
    const second = await adopted(stage, 'parent', new WorktreeLeases(stage.host, { beforeRemoval: tellRemoval }));
    expect(await second.letGo('parent')).toEqual({ outcome: 'kept', reasons: ['untracked: by-hook.txt'] });
  });
});
