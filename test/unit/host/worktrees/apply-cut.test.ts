/** An apply that is cut off, runs out of disk, or runs while others change the same files (WT-12). */

import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/host/files.js';
import type { Host } from '../../../../src/host/host.js';
import { applyWorktree, recoverApplies } from '../../../../src/host/worktrees/apply-worktree.js';
import { bundle } from '../../../support/bundle.js';
import { scratchFolder } from '../../../support/scratch.js';
import { type ApplyStage, changesOf, checkoutOf, expectRefused, LINES, setApplyStage } from './apply-stage.js';

/** Every kind of change at once. */
async function setChanges(): Promise<ApplyStage> {
  const stage = await setApplyStage({
    before: async (repo) => {
      await repo.write('gone/last', 'gone\n');
      await repo.write('thing', 'thing\n');
      repo.commit();
      await repo.write('f', LINES.replace('one', 'mine'));
    },
  });
  const { child } = stage;
  await child.write('f', LINES.replace('one', 'mine').replace('nine', 'NINE'));
  await child.write('g', 'G, theirs\n');
  await child.write('new/deep/file', 'new\n');
  await child.link('link', 'f');
  await child.remove('gone/last');
  await child.remove('folder');
  await child.write('folder', 'a file now\n');
  await child.remove('thing');
  await child.write('thing/inner', 'a folder now\n');
  return stage;
}

/** The machine, with something that happens before certain calls. */
function onFiles(host: Host, before: (call: string, path: string) => void): Host {
  const { files } = host;
  const told = <A extends [path: string, ...rest: unknown[]], R>(call: string, work: (...args: A) => Promise<R>) => {
    return (...args: A): Promise<R> => {
      before(call, `${args[0]} ${String(args[1]).slice(0, 1_000)}`);
      return work(...args);
    };
  };
  const watched: Files = {
    ...files,
    replace: told('replace', files.replace),
    rename: told('rename', files.rename),
    link: told('link', files.link),
  };
  return { ...host, files: watched };
}

function onGit(host: Host, command: string, then: () => string | undefined): Host {
  const run: Host['processes']['run'] = async (asked) => {
    const said = asked.args.includes(command) ? then() : undefined;
    if (said === undefined) return host.processes.run(asked);
    const none = { stdoutBytes: 0, stderrBytes: said.length, timedOut: false, aborted: false, signal: null };
    return { ...none, code: 128, stdout: Buffer.alloc(0), stderr: Buffer.from(said) };
  };
  return { ...host, processes: { ...host.processes, run } };
}

describe('WT-12 apply: a file that the user changes meanwhile', () => {
  it('WT-12: between the check and the write: refused completely, and the user’s content stays', async () => {
    const stage = await setChanges();
    const g = join(stage.repo.path, 'g');
    for (const [round, at] of ['merge-tree', 'read-tree'].entries()) {
      const words = `written at ${at}\n`;
      const { ctimeMs } = statSync(join(stage.repo.path, 'f'));
      const before = (await stage.state()) as { files: Record<string, unknown> };
      const applied = await stage.apply(
        onGit(stage.host, at, () => {
          writeFileSync(g, words);
          return undefined;
        }),
      );
      expect(applied).toMatchObject({
        ok: false,
        reason: expect.stringMatching(/nothing was changed: g was changed while/),
      });
      const after = (await stage.state()) as { files: Record<string, unknown> };
      expect({ ...after, files: { ...after.files, g: 0 } }).toEqual({ ...before, files: { ...before.files, g: 0 } });
      expect(readFileSync(g, 'utf8')).toBe(words);
      // Not even moved away and back.
      expect(statSync(join(stage.repo.path, 'f')).ctimeMs).toBe(ctimeMs);
      writeFileSync(g, 'g\n');
      expect(round).toBeLessThan(2);
    }
  });

  it('WT-12: during the write, changed, replaced or new: everything is restored, the user’s content stays', async () => {
    const stage = await setChanges();
    const before = (await stage.state()) as { files: Record<string, unknown> };
    for (const [call, name, path] of [
      ['rename', 'old/0', 'g'],
      ['rename', 'old/0', 'new/deep/file'],
      ['link', 'new/f', 'thing'],
      ['link', 'new/f', 'thing/person'],
      ['rename', 'old/0', 'folder/person'],
    ] as const) {
      let isDone = false;
      const applied = await stage.apply(
        onFiles(stage.host, (what, at) => {
          if (isDone || what !== call || !at.includes(name)) return;
          isDone = true;
          spawnSync('mkdir', ['-p', join(stage.repo.path, path, '..')]);
          writeFileSync(join(stage.repo.path, path), 'the person’s\n');
        }),
      );
      expect(isDone, path).toBe(true);
      if (applied.ok) {
        // Beside what arrived: nothing was in anybody's way.
        expect(path).toBe('thing/person');
        break;
      }
      expect(applied.reason).toContain('was changed while the work was being merged');
      expect(readFileSync(join(stage.repo.path, path), 'utf8')).toBe('the person’s\n');
      await stage.repo.remove(path.startsWith('new/') ? 'new' : path);
      if (path === 'g' || path === 'thing') stage.repo.git('checkout', '--', path);
      const after = (await stage.state()) as { files: Record<string, unknown> };
      const others = ({ files }: typeof after) => ({ ...files, g: 0, thing: 0 });
      expect(others(after), path).toEqual(others(before));
    }
  });
  it('WT-12: a file of the agent’s that is gone by the time it is read is no failure', async () => {
    const stage = await setChanges();
    let failures = 0;
    const vanishing = onGit(stage.host, '--replace', () => {
      failures += 1;
      return failures === 1 ? 'error: x: does not exist\nfatal: Unable to process path x\n' : undefined;
    });
    expect(changesOf(await stage.apply(vanishing))).toMatchObject({ g: 'changed' });
    expect(failures).toBeGreaterThan(1);
  });
});

describe('WT-12 apply: a full disk', () => {
  it('WT-12: when git can’t write the new files, nothing was touched', async () => {
    const stage = await setChanges();
    const full = onGit(stage.host, 'read-tree', () => 'fatal: unable to write file: No space left on device\n');
    await expectRefused(stage, /nothing was changed: the new files can't be written: .*No space left/, full);
  });

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

describe('WT-12 apply: kill -9', () => {
  it('WT-12: step by step: the next start puts everything back, to the byte and the minute', async () => {
    const stage = await setChanges();
    const program = await bundle(new URL('./apply-killer.ts', import.meta.url), await scratchFolder());
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
  }, 90_000);

  it('WT-12: the index of a snapshot that was killed is tidied up once it is old', async () => {
    const { host, target, state } = await setApplyStage();
    const before = await state();
    const [old, young] = [join(target.gitDir, 'coppice-index-1'), join(target.gitDir, 'coppice-index-2')];
    for (const path of [old, young]) writeFileSync(path, '');
    utimesSync(old, new Date(0), new Date(0));
    expect(await recoverApplies(host, target)).toEqual([]);
    expect(await state()).toMatchObject({ left: ['coppice-index-2'] });
    unlinkSync(young);
    expect(await state()).toEqual(before);
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
      expect.stringMatching(/can't be undone: .*repo is not there; if the repository was moved/),
    ]);
    expect(await applyWorktree(stage.host, there, stage.record.name)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(
        /^nothing was changed, because an earlier apply was cut off and could not be undone:\n.*is not there/,
      ),
    });
    renameSync(moved, stage.repo.path);
    expect(await recoverApplies(stage.host, stage.target)).toHaveLength(1);
    expect(await stage.state()).toEqual(before);
  });

  it('WT-12: files that the user changed since are left and reported, and the backup stays; the next apply restores the rest first', async () => {
    const stage = await setChanges();
    const { repo } = stage;
    // Cut off after everything was placed: neither done nor undone.
    const stuck = onFiles(stage.host, (call, path) => {
      if (call === 'replace' && path.includes('"placed"')) throw new Error('cut off');
    });
    const cut = { ...stuck, files: { ...stuck.files, lstat: failingOnce(stuck.files) } };
    expect(await stage.apply(cut)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/the next start tries again/),
    });
    expect(await repo.read('g')).toBe('G, theirs\n');
    appendFileSync(join(repo.path, 'g'), 'and the person’s\n');
    writeFileSync(join(repo.path, 'new/deep/other'), 'the person’s\n');
    const lines = await recoverApplies(stage.host, stage.target);
    expect(lines).toEqual([
      expect.stringMatching(/^Applying worktree agent-1a2b3c4d to .* was cut off/),
      expect.stringMatching(
        /^ {2}g was changed since and left unchanged; .* is in refs\/coppice\/backup\/agent-1a2b3c4d-/,
      ),
    ]);
    expect(await repo.read('g')).toBe('G, theirs\nand the person’s\n');
    expect(await repo.read('new/deep/other')).toBe('the person’s\n');
    expect(await repo.read('f')).toBe(LINES.replace('one', 'mine'));
    expect(await repo.read('thing')).toBe('thing\n');
    expect(await repo.read('folder/inner')).toBe('inner\n');
    const [, ref = ''] = /(refs\/coppice\/backup\/\S+)/.exec(lines.join(' ')) ?? [];
    expect(repo.git('show', `${ref}:g`)).toBe('g\n');
    await repo.write('g', 'g\n');
    expect(changesOf(await stage.apply())).toMatchObject({ g: 'changed', f: 'changed' });
  });
});

/** From the first inspection of a moved file on: the restore fails, too. */
function failingOnce(files: Files): Files['lstat'] {
  let isUndoing = false;
  let looks = 0;
  return async (path) => {
    if (/\/old\/\d+$/.test(path)) looks += 1;
    if (looks > 5) isUndoing = true;
    if (isUndoing && /\/old\/\d+$/.test(path)) throw new Error('EIO: made up');
    return files.lstat(path);
  };
}
