/** What the person denied to read is covered in the box, from a list that is never older than the command. */

import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  act,
  BOX_WORKS,
  expectNoBox,
  preparedBox,
  put,
  type Stage,
  setStage,
} from '../../../program/gate/box/stage.js';

const everything = 'find . -type f -not -path "./.git/*" -exec cat {} + 2>/dev/null; true';

async function masksOf({ prepare, project }: Stage, denied: readonly string[]): Promise<readonly string[]> {
  const { masks } = await preparedBox(prepare({ denied }));
  return masks.map((path) => path.replace(`${project}/`, '')).sort();
}

describe.runIf(BOX_WORKS)('with a box', () => {
  describe('denied files', () => {
    it('GT-23: a denied file or folder can’t be read by any name, and says so', async () => {
      const stage = await setStage();
      const { run, project } = stage;
      await put(join(project, '.env'), 'PRIVATE\n');
      await put(join(project, 'sub/.ENV'), 'PRIVATE\n');
      await put(join(project, 'secrets/deep/key'), 'PRIVATE\n');
      await put(join(project, 'open'), 'open\n');
      const denied = ['.env', './secrets/**'];
      expect(await masksOf(stage, denied)).toEqual(['.env', 'secrets', 'sub/.ENV']);
      expect((await run(everything, { denied })).output).toBe('open\n');
      const ran = await run('cat .en? sub/.ENV; ls secrets; cd secrets; echo $(< .env)', { denied });
      expect(ran.output.match(/Permission denied/g)).toHaveLength(5);
    });

    it('GT-23: a link with a denied name covers what it leads to; a link on the way gives a file a denied path', async () => {
      const stage = await setStage();
      const { project, base } = stage;
      await put(join(project, 'config/real'), 'PRIVATE\n');
      await put(join(project, 'vault/key'), 'PRIVATE\n');
      await put(join(base, 'outside'), 'x');
      await symlink('config/real', join(project, '.env'));
      await symlink('vault', join(project, 'a'));
      await symlink('.', join(project, 'loop'));
      await symlink(join(base, 'outside'), join(project, 'b.env'));
      expect(await masksOf(stage, ['.env', 'b.env'])).toEqual(['config/real']);
      expect(await masksOf(stage, ['./a/key'])).toEqual(['vault/key']);
      expect(await masksOf(stage, ['**/a/*'])).toEqual(['vault']);
      await put(join(project, 'vault/deep/key'), 'PRIVATE\n');
      expect(await masksOf(stage, ['**/a/deep/key'])).toEqual(['vault/deep/key']);
      expect((await stage.run(everything, { denied: ['.env', './a/*', '**/a/deep/*'] })).output).toBe('');
    });

    it('GT-23: the list is checked for change before every command', async () => {
      const stage = await setStage();
      const { project } = stage;
      const denied = ['*.key'];
      await mkdir(join(project, 'a/b/c'), { recursive: true });
      expect(await masksOf(stage, denied)).toEqual([]);
      await put(join(project, 'a/b/c/one.key'), 'x');
      expect(await masksOf(stage, denied)).toEqual(['a/b/c/one.key']);
      await put(join(project, 'new/two.key'), 'x');
      expect(await masksOf(stage, denied)).toEqual(['a/b/c/one.key', 'new/two.key']);
      await rename(join(project, 'a/b'), join(project, 'moved'));
      await rm(join(project, 'new'), { recursive: true });
      expect(await masksOf(stage, denied)).toEqual(['moved/c/one.key']);
      // Once more when the folders are no longer fresh: the list that was kept must be right, too.
      stage.age(2_600);
      expect(await masksOf(stage, denied)).toEqual(['moved/c/one.key']);
      await put(join(project, 'a/three.key'), 'x');
      expect(await masksOf(stage, denied)).toEqual(['a/three.key', 'moved/c/one.key']);
      await rm(join(project, 'a/three.key'));
      expect(await masksOf(stage, denied)).toEqual(['moved/c/one.key']);
    });

    it('GT-23: a file that is gone between the decision and the command is no reason to fail', async () => {
      const { box, prepare, host, project } = await setStage();
      await put(join(project, '.env'), 'PRIVATE\n');
      const prepared = await preparedBox(prepare({ denied: ['.env'] }));
      await rm(join(project, '.env'));
      const command = { file: 'bash', args: ['-c', 'ls -A'], cwd: project, env: host.env };
      const confined = await box.confine(
        command,
        { kind: 'reading', show: [] },
        { roots: prepared.roots, view: prepared },
      );
      if (!confined.ok) throw new Error(confined.reason);
      expect(await host.processes.run(confined.command)).toMatchObject({ code: 0 });
    });

    it('GT-23: names that are not UTF-8 are not confined where they would need a cover or a look inside', async () => {
      const scenes = [
        ["mkdir $'caf\\xe9' && echo PRIVATE > $'caf\\xe9/.env'", false, false],
        ["echo PRIVATE > $'k\\xff.key'", true, false],
        ["mkfifo $'p\\xff'", false, false],
        ["mkdir d && mv d $'d\\xff' && ln -s $'d\\xff' link", false, false],
        ["echo PRIVATE > x && ln -s x $'l\\xff.key'", true, false],
        ["echo x > $'k\\xff.txt'", true, true],
      ] as const;
      for (const [script, isPlain, isDenied] of scenes) {
        const { prepare, host, project } = await setStage();
        await act(host, project, script);
        expect((await prepare()).ok, script).toBe(isPlain);
        const denied = await prepare({ denied: ['.env', '*.key'] });
        expect(denied.ok, script).toBe(isDenied);
        if (!denied.ok) expect(denied.reason).toContain('not UTF-8');
      }
    });

    it('GT-23: 500 masks, or a pipe too many, are not confined', async () => {
      const { prepare, host, project } = await setStage();
      await act(host, project, 'for n in $(seq 500); do : > $n.key; done; for n in $(seq 20); do mkfifo pipe$n; done');
      expect(await prepare({ denied: ['*.key'] })).toMatchObject({
        ok: false,
        reason: expect.stringContaining('520 files'),
      });
      expect((await prepare({ denied: ['1.key'] })).ok).toBe(false);
      expect((await prepare()).ok).toBe(true);
      expect((await prepare({ denied: ['[1-9].key'] })).ok).toBe(false);
    });

    it('GT-23: a rule about any file of the machine can’t be kept in the system’s folders: not confined', async () => {
      const { prepare, run, project } = await setStage();
      expect(await prepare({ denied: ['//**/.env'] })).toMatchObject({
        ok: false,
        reason: expect.stringContaining('/usr'),
      });
      expect(await prepare({ denied: ['**'] })).toMatchObject({
        ok: false,
        reason: expect.stringContaining('as a whole'),
      });
      // A single file can be covered anywhere, and a rule about elsewhere changes nothing.
      const denied = ['//usr/share/dict', '//usr/bin/tac', '~/.ssh/**', '//etc/shadow'];
      await put(join(project, 'a'), 'a\n');
      expect((await run('cat a; cat /usr/bin/tac', { denied })).output).toMatch(/^a\ncat: .*Permission denied\n$/);
    });
  });

  describe('git’s objects', () => {
    const content = 'git log -p --all; git show HEAD:.env; git diff HEAD~1';

    it('GT-23: a tracked .env under deny Read, in its history or its index, is known', async () => {
      const { run, prepare, host, project } = await setStage();
      await put(join(project, '.env'), 'PRIVATE\n');
      await put(join(project, 'a'), 'a\n');
      await act(host, project, 'git init -q -b main . && git add a && git commit -qm one');
      const denied = ['.env'];
      const inGit = async () => (await preparedBox(prepare({ denied }))).deniedInGit;
      expect(await inGit()).toBe(false);
      await act(host, project, 'git add -f .env');
      expect(await inGit()).toBe(true);
      await act(host, project, 'git commit -qm two && git rm -q --cached .env && git commit -qm three');
      expect(await inGit()).toBe(true);
      expect((await preparedBox(prepare({ denied }))).gitIsWhole).toBe(false);
      const raw = `for f in .git/objects/??/*; do (printf '\\x1f\\x8b\\x08\\0\\0\\0\\0\\0\\0\\0'; tail -c +3 $f) | zcat -f; done`;
      expect((await run(raw)).output).toContain('PRIVATE');
      for (const script of [content, raw]) expect((await run(script, { denied })).output).not.toContain('PRIVATE');
      expect((await preparedBox(prepare({ denied: ['other'] }))).deniedInGit).toBe(false);
      expect((await preparedBox(prepare())).deniedInGit).toBe(false);
    });

    it('GT-23: no git of ours is started where a ref, a log or the configuration is a link', async () => {
      const { host, base, project } = await setStage();
      await act(host, project, 'git init -q -b main . && echo a > a && git add . && git commit -qm one');
      const bin = join(base, 'bin');
      const log = join(base, 'log');
      await put(join(bin, 'git'), `#!/bin/sh\necho "$@" >> ${log}\nPATH=/usr/local/bin:/usr/bin:/bin exec git "$@"\n`);
      await chmod(join(bin, 'git'), 0o755);
      const { prepare } = await setStage({ PATH: `${bin}:${process.env.PATH}` });
      const at = { roots: [project], denied: ['*.key'] };
      expect((await preparedBox(prepare(at))).deniedInGit).toBe(false);
      expect(readFileSync(log, 'utf8')).toContain('rev-list');
      await rm(log);
      for (const path of ['refs/heads/a', 'refs/deep/er/b', 'logs/refs/heads/a', 'packed-refs', 'HEAD', 'config']) {
        const link = join(project, '.git', path);
        const kept = await readFile(link).catch(() => undefined);
        await rm(link, { force: true });
        await mkdir(dirname(link), { recursive: true });
        await symlink('/dev/zero', link);
        expect((await preparedBox(prepare(at))).deniedInGit, path).toBe(true);
        expect(existsSync(log), path).toBe(false);
        await rm(link);
        if (kept !== undefined) await put(link, kept.toString());
      }
    });

    it('GT-23: also in another branch, a stash, a nested repository, and where git can’t tell', async () => {
      const denied = ['*.key'];
      for (const script of [
        'git checkout -qb side && echo x > a.key && git add . && git commit -qm two && git checkout -q main',
        'echo x > a.key && git add . && git stash -q',
        'mkdir sub && cd sub && git init -q . && echo x > a.key && git add . && git commit -qm two && rm a.key',
        "echo x > $'a\\nb.key' && git add .",
        "echo x > $'a\\nb.key' && git add . && git commit -qm two && git rm -q --cached . -r && git commit -qm three",
        'ln -sf /dev/zero .git/refs/heads/other',
        'mkdir -p .git/logs/refs/heads && ln -sf /dev/zero .git/logs/refs/heads/other',
        'rm .git/HEAD && ln -s refs/heads/main .git/HEAD',
        'ln -s /dev/zero .git/packed-refs',
        'git init -q --bare sub.git && echo x > a.key && git --git-dir=sub.git --work-tree=. add a.key && rm a.key',
      ]) {
        const { prepare, host, project } = await setStage();
        await act(host, project, 'git init -q -b main . && echo a > a && git add . && git commit -qm one');
        expect((await preparedBox(prepare({ denied }))).deniedInGit).toBe(false);
        await act(host, project, script);
        expect((await preparedBox(prepare({ denied }))).deniedInGit, script).toBe(true);
      }
      const { prepare, host, project } = await setStage();
      await act(
        host,
        project,
        'git init -q . && echo a > a && git add . && git commit -qm one && rm -r .git/objects/*',
      );
      expect((await preparedBox(prepare({ denied }))).deniedInGit).toBe(true);
    });
  });
});
it.skipIf(BOX_WORKS)('GT-23: without a box nothing is confined', expectNoBox);
