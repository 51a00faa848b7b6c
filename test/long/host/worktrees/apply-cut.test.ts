/** An apply that is cut off, runs out of disk, or runs while others change the same files (WT-12). */

import { spawnSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/host/files.js';
import type { Host } from '../../../../src/host/host.js';
import { applyWorktree, recoverApplies } from '../../../../src/host/worktrees/apply-worktree.js';
import { setChanges } from '../../../program/host/worktrees/apply-cut-stage.js';
import { checkoutOf } from '../../../program/host/worktrees/apply-stage.js';
import { bundle } from '../../../support/bundle.js';
import { scratchFolder } from '../../../support/scratch.js';

describe('WT-12 apply: a full disk', () => {
  it('WT-12: from whichever write on: all is as it was, at once or after the next start', async () => {
    const stage = await setChanges();
    const before = await stage.state();
    const { clock } = stage.host;
    // An index that could not be recorded is removed once it is old.
    const later = { ...stage.host, clock: { ...clock, now: () => clock.now() + 2 * 60 * 60 * 1_000 } };
    const reasons: string[] = [];
    for (let at = 1; ; at += 2) {
      const applied = await stage.apply(fullFrom(stage.host, at));
      if (applied.ok) break;
      reasons.push(applied.reason);
      await recoverApplies(later, stage.target);
      expect(await stage.state(), `write ${at}`).toEqual(before);
    }
    expect(reasons.every((reason) => reason.includes('ENOSPC'))).toBe(true);
    expect(reasons.filter((reason) => reason.startsWith('nothing was changed: ENOSPC')).length).toBeGreaterThan(1);
    expect(reasons.filter((reason) => reason.endsWith('the next start tries again')).length).toBeGreaterThan(3);
  });
});

describe('WT-12 apply: kill -9', () => {
  it('WT-12: step by step: the next start puts everything back, to the byte and the minute', async () => {
    const stage = await setChanges();
    const program = await bundle(
      new URL('../../../program/host/worktrees/apply-killer.ts', import.meta.url),
      await scratchFolder(),
    );
    const before = await stage.state();
    const told: string[] = [];
    for (let at = 2; ; at += at < 12 ? 1 : 3) {
      const run = spawnSync(process.execPath, [program, stage.repo.path, stage.record.name, String(at)], {
        encoding: 'utf8',
      });
      if (run.signal !== 'SIGKILL') {
        expect(JSON.parse(run.stdout)).toMatchObject({ ok: true });
        break;
      }
      const lines = await recoverApplies(stage.host, stage.target);
      if (lines.length === 0 && (await stage.repo.read('g')) !== 'g\n') {
        // Killed while it tidied up: all had arrived.
        expect(await stage.state()).toMatchObject({ left: [], ours: [] });
        break;
      }
      expect(await stage.state(), `killed at ${at}`).toEqual(before);
      told.push(...lines);
    }
    expect(new Set(told)).toEqual(
      new Set([`Applying worktree agent-1a2b3c4d to ${stage.repo.path} was cut off. Its files were restored.`]),
    );
    expect(told.length).toBeGreaterThan(5);
    expect(await stage.repo.read('thing/inner')).toBe('a folder now\n');
    expect(await stage.apply()).toMatchObject({ ok: true, changed: [] });
  });

  it('WT-12: in a repository that was moved since, nothing is reported as restored that is not; moved back, it is restored', async () => {
    const stage = await setChanges();
    const before = await stage.state();
    expect(await stage.apply(fullFrom(stage.host, 12))).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/the next start tries again/),
    });
    const moved = `${stage.repo.path}-moved`;
    renameSync(stage.repo.path, moved);
    const there = await checkoutOf(stage.host, moved);
    expect(await recoverApplies(stage.host, there)).toEqual([
      expect.stringMatching(/can't be undone: .*repo does not exist\. If the repository was moved/),
    ]);
    expect(await applyWorktree(stage.host, there, stage.record.name)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(
        /^nothing was changed, because an earlier apply was cut off and could not be undone:\n.*does not exist/,
      ),
    });
    renameSync(moved, stage.repo.path);
    expect(await recoverApplies(stage.host, stage.target)).toHaveLength(1);
    expect(await stage.state()).toEqual(before);
  });
});

/** Counted from the journal on: nothing can be written, made or renamed any more, but removed. */
function fullFrom(host: Host, at: number): Host {
  const { files } = host;
  let count = 0;
  const full = <A extends [path: string, ...rest: unknown[]], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (count > 0 || args[0].includes('applying-')) count += 1;
      if (count >= at) throw Object.assign(new Error('ENOSPC: made up'), { code: 'ENOSPC' });
      return call(...args);
    };
  };
  const refusing: Files = {
    ...files,
    create: full(files.create),
    replace: full(files.replace),
    makeFolder: full(files.makeFolder),
    rename: full(files.rename),
    link: full(files.link),
  };
  return { ...host, files: refusing };
}
