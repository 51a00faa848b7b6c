/** An apply that is cut off, runs out of disk, or runs while others change the same files (WT-12). */

import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/host/files.js';
import type { Host } from '../../../../src/host/host.js';
import { recoverApplies } from '../../../../src/host/worktrees/apply-worktree.js';
import { setChanges } from './apply-cut-stage.js';
import { changesOf, expectRefused, LINES, setApplyStage } from './apply-stage.js';

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
});

describe('WT-12 apply: kill -9', () => {
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
