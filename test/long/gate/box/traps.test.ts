/** Places in which a reading box could show too much, or make a command answer something else. */

import { readdirSync } from 'node:fs';
import { chmod, chown, mkdir, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../../../src/gate/sandbox/create-sandbox.js';
import {
  act,
  BOX_WORKS,
  expectNoBox,
  pathOutsideTmp,
  preparedBox,
  put,
  setStage,
} from '../../../program/gate/box/stage.js';
import { needRoot } from '../../../support/users.js';

/** Prints everything in these folders that can be read. */
const look = (...folders: string[]) => `find ${folders.join(' ')} -type f -exec cat {} + 2>/dev/null; true`;

describe.runIf(BOX_WORKS)('with a box', () => {
  describe('the roots', () => {
    it('GT-23: a linked worktree as root: git works, and the main work tree is not shown', async () => {
      const { run, runPlain, prepare, host, base, project } = await setStage();
      await put(join(project, 'secret.txt'), 'MAIN');
      await act(
        host,
        project,
        'git init -q -b main . && git add . && git commit -qm one && git worktree add -q ../linked -b side',
      );
      const linked = join(base, 'linked');
      await act(host, linked, 'git rm -q secret.txt && echo two > two && git add . && git commit -qm two');
      const at = { roots: [linked], cwd: linked };
      const script =
        'git status; git log --oneline --all; git diff HEAD~1 --stat; git worktree list; git rev-parse --git-common-dir';
      expect((await run(script, at)).output).toBe((await runPlain(script, at)).output);
      expect((await run(look(project), at)).output).not.toContain('MAIN');
      expect((await preparedBox(prepare(at))).gitIsWhole).toBe(true);
    });

    it('GT-23: a .git that names a repository which does not point back shows nothing of it', async () => {
      const { run, prepare, host, base, project } = await setStage();
      const other = join(base, 'other');
      await mkdir(other);
      await put(join(other, 'key'), 'PRIVATE');
      await act(host, other, 'git init -q . && git add . && git commit -qm one && git worktree add -q ../linked');
      for (const named of [join(other, '.git'), join(other, '.git/worktrees/linked')]) {
        await put(join(project, '.git'), `gitdir: ${named}\n`);
        expect((await preparedBox(prepare())).gitIsWhole).toBe(false);
        const ran = await run(`git show HEAD:key; git cat-file --batch-all-objects --batch; ${look(other)}`);
        expect(ran.output).not.toContain('PRIVATE');
      }
    });

    it('GT-23: borrowed objects and a work tree above the root are not shown, and git counts as changed', async () => {
      const { prepare, run, host, base, project } = await setStage();
      const other = join(base, 'other');
      await mkdir(other);
      await put(join(other, 'key'), 'PRIVATE');
      await act(host, other, 'git init -q . && git add . && git commit -qm one && mkdir sub && echo x > sub/x');
      await act(host, project, `git init -q . && echo ${other}/.git/objects > .git/objects/info/alternates`);
      expect((await preparedBox(prepare())).gitIsWhole).toBe(false);
      expect((await run('git cat-file --batch-all-objects --batch')).output).not.toContain('PRIVATE');
      const below = { roots: [join(other, 'sub')], cwd: join(other, 'sub') };
      expect((await preparedBox(prepare(below))).gitIsWhole).toBe(false);
      expect((await run(look(other), below)).output).not.toContain('PRIVATE');
    });

    it('GT-23: a submodule as root has its git folder in the superproject, and nothing else of it', async () => {
      const { run, runPlain, prepare, host, base, project } = await setStage();
      const library = join(base, 'library');
      await mkdir(library);
      await put(join(project, 'key'), 'PRIVATE');
      await act(host, library, 'git init -q -b main . && echo a > a && git add . && git commit -qm one');
      await act(
        host,
        project,
        `git init -q -b main . && git -c protocol.file.allow=always submodule add -q ${library} sub && git commit -qm sub`,
      );
      const at = { roots: [join(project, 'sub')], cwd: join(project, 'sub') };
      const script = 'git status; git log --oneline; git rev-parse --show-toplevel';
      expect((await preparedBox(prepare(at))).gitIsWhole).toBe(true);
      expect((await run(script, at)).output).toBe((await runPlain(script, at)).output);
      expect((await run(look(project), at)).output).not.toContain('PRIVATE');
    });

    it('GT-23: a root under /tmp is shown in the box’s own /tmp, with nothing beside it', async () => {
      const { run, base, project } = await setStage({ PATH: pathOutsideTmp() }, '/tmp');
      await put(join(project, 'file'), 'HERE\n');
      await put(join(base, 'beside'), 'PRIVATE');
      const ran = await run(`cat file; pwd; echo x > /tmp/own && cat /tmp/own; ls -A ${base}; ${look('/tmp')}`);
      expect(ran.output).toMatch(new RegExp(`^HERE\\n${project}\\nx\\nperson\\nproject\\n`));
      expect(ran.output).not.toContain('PRIVATE');
    });

    it('GT-23: /tmp itself as root: it is read-only, and the box’s own is elsewhere', async () => {
      const { box, prepare, host } = await setStage();
      // Prepared for a smaller folder: /tmp of this machine may be too large to look through.
      const prepared = { ...(await preparedBox(prepare())), roots: ['/tmp'] };
      const script =
        '(echo x > /tmp/new) 2>/dev/null && echo WROTE; echo "$TMPDIR"; echo x > "$TMPDIR/own" && cat "$TMPDIR/own"';
      const command = { file: 'bash', args: ['-c', script], cwd: '/tmp', env: host.env };
      const confined = await box.confine(
        command,
        { kind: 'reading', show: [] },
        { roots: prepared.roots, view: prepared },
      );
      if (!confined.ok) throw new Error(confined.reason);
      expect((await host.processes.run(confined.command)).stdout.toString('utf8')).toBe('/var/tmp\nx\n');
    });

    it('GT-23: a root that is a link keeps the name it was entered by', async () => {
      const { run, runPlain, base, project } = await setStage();
      await mkdir(join(base, 'names'));
      await mkdir(join(project, 'sub'));
      await symlink('../project', join(base, 'names', 'link'));
      const called = join(base, 'names', 'link', 'sub');
      const at = { cwd: join(project, 'sub'), env: { PWD: called } };
      const script = 'pwd; echo "$PWD"; pwd -P; cd ..; pwd; ls -A; readlink $(dirname "$PWD/x")';
      const ran = await run(script, at);
      expect(ran.output).toBe((await runPlain(script, at)).output);
      expect(ran.output).toContain(called);
      expect((await run('ls /', at)).output).not.toContain('home');
    });

    it('GT-23: the home as root, or inside one: credentials and our own state stay hidden', async () => {
      const { run, base, person } = await setStage();
      const hidden = [
        '.ssh/id',
        '.gnupg/key',
        '.aws/credentials',
        '.config/gh/hosts.yml',
        '.netrc',
        '.docker/config.json',
        '.coppice/trust.json',
        '.claude.json',
        '.claude/.credentials.json',
      ];
      for (const name of hidden) await put(join(person, name), 'PRIVATE\n');
      await put(join(person, '.bashrc'), 'VISIBLE\n');
      const results = await put(join(person, '.coppice/results/one'), 'RESULT\n');
      const readRoots = [join(person, '.coppice/results')];
      for (const root of [person, base]) {
        const ran = await run(`cat ~/.bashrc ${results}; ${look('~')}`, { roots: [root], cwd: root, readRoots });
        expect(ran.output).toMatch(/^VISIBLE\nRESULT\n/);
        expect(ran.output).not.toContain('PRIVATE');
        expect((await run('cat ~/.netrc ~/.ssh/id', { roots: [root], cwd: root })).output).toMatch(
          /(?:.*Permission denied\n){2}/,
        );
      }
    });

    it('GT-23: credentials inside any root are hidden, our own state too; a root inside credentials is not confined', async () => {
      const { run, prepare, person } = await setStage();
      await put(join(person, '.config/gh/hosts.yml'), 'PRIVATE\n');
      await put(join(person, '.ssh/deep/id'), 'PRIVATE\n');
      await put(join(person, '.config/app/settings'), 'VISIBLE\n');
      const config = join(person, '.config');
      expect((await run(look('.'), { roots: [config], cwd: config })).output).toBe('VISIBLE\n');
      for (const root of ['.config/gh', '.ssh', '.ssh/deep', '.coppice']) {
        expect(await prepare({ roots: [join(person, root)] }), root).toMatchObject({
          ok: false,
          reason: expect.stringContaining('never shown'),
        });
      }
      const { base } = await setStage();
      await put(join(base, 'project/state/trust.json'), 'PRIVATE\n');
      await put(join(base, 'project/a'), 'VISIBLE\n');
      const stage = await setStage({ COPPICE_HOME: join(base, 'project/state') });
      const at = { roots: [join(base, 'project')], cwd: join(base, 'project') };
      expect((await stage.run(look('.'), at)).output).toBe('VISIBLE\n');
    });

    it('GT-23: a repository of another user is not confined; with safe.directory set, git still works', async (context) => {
      needRoot(context);
      const { prepare, runPlain, host, project, person } = await setStage();
      await act(host, project, 'git init -q -b main . && echo a > a && git add . && git commit -qm one');
      for (const name of ['.', '.git']) await chown(join(project, name), 4321, 4321);
      expect(await prepare()).toMatchObject({ ok: false, reason: expect.stringContaining('belongs to another user') });
      await put(join(person, '.gitconfig'), `[safe]\n\tdirectory = ${project}\n`);
      expect((await runPlain('git log --oneline')).code).toBe(0);
    });

    it('GT-23: a root, or the folder of a covered file, that is replaced after the look: the command is not run', async () => {
      for (const [script, isRun] of [
        ['mv project moved && ln -s person project', false],
        ['mv project moved && mkdir -p project/sub && echo x > project/sub/.env', false],
        ['mv project/sub project/other && mkdir project/sub && echo x > project/sub/.env', false],
        ['mv project/sub project/other', false],
        ['echo y > project/sub/.new && mv project/sub/.new project/sub/.env', true],
        ['rm project/sub/.env', true],
      ] as const) {
        const { box, prepare, host, base, project } = await setStage();
        await put(join(project, 'sub/.env'), 'PRIVATE\n');
        const prepared = await preparedBox(prepare({ denied: ['.env'] }));
        await act(host, base, script);
        const command = { file: 'bash', args: ['-c', 'cat */.env'], cwd: project, env: host.env };
        expect(
          (await box.confine(command, { kind: 'reading', show: [] }, { roots: prepared.roots, view: prepared })).ok,
          script,
        ).toBe(isRun);
      }
    });

    it('GT-23: a root that was replaced by a link since is not what was meant', async () => {
      const { prepare, base, project, person } = await setStage();
      await put(join(person, 'key'), 'PRIVATE');
      await rm(project, { recursive: true });
      await symlink(person, project);
      expect(await prepare()).toMatchObject({ ok: false, reason: expect.stringContaining('replaced by a link') });
      expect((await prepare({ roots: [join(base, 'none')] })).ok).toBe(false);
    });

    it('GT-23: a folder that may be read like a root is there by its name, also through a link; denied files in it are not', async () => {
      const { run, base } = await setStage();
      await put(join(base, 'real/results/one'), 'RESULT\n');
      await put(join(base, 'real/results/.env'), 'PRIVATE\n');
      await put(join(base, 'real/beside'), 'PRIVATE\n');
      await symlink('real', join(base, 'state'));
      const readRoots = [join(base, 'state/results'), join(base, 'absent')];
      const ran = await run(`cat ${base}/state/results/one; ${look(base)}`, {
        readRoots,
        denied: [`/${base}/**/.env`],
      });
      expect(ran.output).toBe('RESULT\nRESULT\n');
    });

    it('GT-23: the whole file system, or a part of the running system, is not confined', async () => {
      const { prepare } = await setStage();
      for (const root of ['/', '/proc', '/dev/shm', '/sys/kernel'])
        expect((await prepare({ roots: [root] })).ok).toBe(false);
    });
  });

  describe('programs', () => {
    it('GT-23: a toolchain in the home runs, without its credentials', async () => {
      const { person } = await setStage();
      const program = (words: string) => `#!/bin/sh\necho ${words}\n`;
      const made = {
        '.cargo/bin/tool': program('cargo'),
        '.nvm/versions/node/v1/bin/tool2': program('nvm'),
        '.local/lib/node_modules/@me/package/cli.js': '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/data"\n',
        '.local/lib/node_modules/@me/package/data': 'package\n',
      };
      for (const [name, text] of Object.entries(made)) await chmod(await put(join(person, name), text), 0o755);
      for (const name of ['.cargo/credentials.toml', '.local/lib/node_modules/other/key', 'key'])
        await put(join(person, name), 'PRIVATE\n');
      await mkdir(join(person, '.local/bin'));
      await symlink('../lib/node_modules/@me/package/cli.js', join(person, '.local/bin/tool3'));
      const folders = ['.cargo/bin', '.nvm/versions/node/v1/bin', '.local/bin'].map((name) => join(person, name));
      const stage = await setStage({
        HOME: person,
        PATH: ['.', person, 'bin', ...folders, process.env.PATH].join(':'),
      });
      const ran = await stage.run(`tool; tool2; tool3; ${look(person)}; ls -A ${person}`);
      expect(ran.output).toMatch(/^cargo\nnvm\npackage\n/);
      expect(ran.output).not.toContain('PRIVATE');
      expect(ran.output).not.toContain('key');
    });

    it('GT-23: of a folder of the PATH only links to programs are followed, and never to credentials', async () => {
      const { person } = await setStage();
      for (const name of ['private/note', 'private/run', '.ssh/id', 'plain'])
        await put(join(person, name), 'PRIVATE\n');
      await chmod(join(person, '.ssh/id'), 0o755);
      await chmod(await put(join(person, 'programs/run'), '#!/bin/sh\necho ran\n'), 0o755);
      await mkdir(join(person, 'bin'));
      for (const name of ['private', '.ssh/id', 'plain'])
        await symlink(join('..', name), join(person, 'bin', basename(name)));
      await symlink('../programs/run', join(person, 'bin/run'));
      const PATH = [join(person, 'bin'), join(person, '.ssh'), process.env.PATH].join(':');
      const stage = await setStage({ HOME: person, PATH });
      const ran = await stage.run(`run; ${look('-L', person)}`);
      expect(ran.output).toMatch(/^ran\n/);
      expect(ran.output).not.toContain('PRIVATE');
    });

    it('GT-23: libraries that were installed since count: the real list is shown instead of its copy', async () => {
      const { host, project } = await setStage();
      let changes = 0;
      const lstat: typeof host.files.sync.lstat = (path) => {
        const stat = host.files.sync.lstat(path);
        return path === '/etc/ld.so.cache' && stat !== undefined ? { ...stat, ctimeMs: changes } : stat;
      };
      const files = { ...host.files, sync: { ...host.files.sync, lstat } };
      const box = createSandbox({ host: { ...host, files }, roots: [project] });
      const prepared = await preparedBox(
        box.prepare({ roots: [project], readRoots: [], denied: [], fixed: [], wide: false }),
      );
      const shows = async () => {
        const command = { file: 'bash', args: ['-c', 'true'], cwd: project, env: host.env };
        const confined = await box.confine(
          command,
          { kind: 'reading', show: [] },
          { roots: prepared.roots, view: prepared },
        );
        if (!confined.ok) throw new Error(confined.reason);
        expect((await host.processes.run(confined.command)).code).toBe(0);
        return confined.command.args.includes('/etc/ld.so.cache');
      };
      expect(await shows()).toBe(false);
      changes += 1;
      expect(await shows()).toBe(true);
    });

    it('GT-23: a folder of the PATH above a root, or the home, is not shown', async () => {
      const { base, person, project } = await setStage();
      await put(join(base, 'beside'), 'PRIVATE');
      await put(join(person, 'beside'), 'PRIVATE');
      const stage = await setStage({ HOME: person, PATH: [base, person, process.env.PATH].join(':') });
      const ran = await stage.run(look(base), { roots: [project], cwd: project });
      expect(ran.output).not.toContain('PRIVATE');
    });
  });

  describe('what is shown for one command', () => {
    it('GT-23: a file elsewhere, a file of /etc, and a name that is a link', async () => {
      const { run, base } = await setStage();
      const file = await put(join(base, 'data/file'), 'SHOWN\n');
      await put(join(base, 'data/other'), 'PRIVATE\n');
      await symlink('data/file', join(base, 'name'));
      const show = [file, join(base, 'name'), '/etc/fstab'];
      const ran = await run(`cat ${file} ${base}/name; ls ${base}/data; wc -c < /etc/fstab; whoami`, { show });
      expect(ran.output).toMatch(/^SHOWN\nSHOWN\nfile\n\d+\n\w+\n$/);
    });

    it('GT-23: denied files and pipes in a folder that is shown stay covered; the home is not shown as a whole', async () => {
      const { run, host, base, person } = await setStage();
      const folder = join(base, 'data');
      await put(join(folder, 'key'), 'PRIVATE\n');
      await act(host, folder, 'mkfifo pipe');
      const ran = await run(`cat ${folder}/key; (exec 3<>${folder}/pipe) 2>/dev/null && echo OPENED; true`, {
        show: [folder],
        denied: [`/${folder}/key`],
      });
      expect(ran.output).toMatch(/Permission denied\n$/);
      await expect(run('true', { show: [person] })).rejects.toThrow('the home folder as a whole');
    });
  });

  describe('git', () => {
    it('GT-23: the person’s own settings count, as far as they run nothing', async () => {
      const { base, person, project, host } = await setStage();
      await put(join(person, 'ignored'), '*.skip\n');
      await put(
        join(person, '.gitconfig'),
        `[core]\n\texcludesFile = ~/ignored\n\tquotePath = false\n\tpager = touch ${base}/ran\n\tfsmonitor = touch ${base}/ran\n[user]\n\tname = Me\n[http]\n\textraHeader = PRIVATE\n[alias]\n\tst = !touch ${base}/ran\n`,
      );
      await act(host, project, 'git init -q -b main . && touch a.skip ü');
      const stage = await setStage({ HOME: person });
      const ran = await stage.run('git status --short; git config user.name; env', { roots: [project], cwd: project });
      expect(ran.output).toMatch(/^\?\? ü\nMe\n/);
      expect(ran.output).not.toContain('PRIVATE');
      expect(readdirSync(base)).not.toContain('ran');
    });
  });
});
it.skipIf(BOX_WORKS)('GT-23: without a box nothing is confined', expectNoBox);
