/** What a sandboxed command can and can't do, against real bubblewrap (scripts/install-bubblewrap.sh). */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Host } from '../../../../src/host/host.js';
import { expectRefusal, makeRepository, put, SANDBOX_WORKS, setStage } from './stage.js';

describe.runIf(SANDBOX_WORKS)('with a sandbox', () => {
  describe('what it lets through', () => {
    it('GT-19: a command writes in the roots, answers its exit code, and sees its environment without our keys', async () => {
      const { run, project } = await setStage('required', { ANTHROPIC_API_KEY: 'secret', MINE: 'kept' });
      const ran = await run('echo made > made; env; cat /proc/*/environ | tr "\\0" "\\n"; exit 7');
      expect(ran.code).toBe(7);
      expect(readFileSync(join(project, 'made'), 'utf8')).toBe('made\n');
      expect(ran.output).toContain('MINE=kept');
      expect(ran.output).not.toContain('secret');
      expect(ran.notes).toEqual([]);
    });

    it('GT-19: git works in it: add and commit, also with every stub in place', async () => {
      const { run, project, host } = await setStage();
      await makeRepository(host, project);
      const ran = await run(
        'echo two > two && git add -A && git commit -qm two && git status --short && git show --stat',
      );
      expect(ran.output).toContain('1 file changed');
      expect(ran.output).not.toContain('.vscode');
      expect(ran.code).toBe(0);
      expect(readdirSync(project).sort()).toEqual(['.git', 'file', 'two']);
    });

    it('keeps /tmp from one command to the next, apart from the machine’s own, and removes it at the end', async () => {
      const { run, sandbox, home } = await setStage();
      await run('echo kept > /tmp/coppice-kept');
      expect((await run('cat /tmp/coppice-kept')).output).toBe('kept\n');
      expect(existsSync('/tmp/coppice-kept')).toBe(false);
      await sandbox.close();
      expect(readdirSync(join(home, 'sandbox'))).toEqual([]);
    });
  });

  describe('what it refuses', () => {
    it('GT-19: writing outside the roots, also as root, and remounting to get there', async () => {
      const { run, outside } = await setStage();
      const ran = await run(`
      echo x > ${outside}/a
      mount -o remount,rw / && echo REMOUNTED; mount -o remount,bind,rw ${outside} && echo REMOUNTED
      mount --bind /tmp ${outside} && echo MOUNTED; umount -l / && echo UNMOUNTED
      unshare -Urm true && echo NESTED; unshare -m true && echo NESTED
      nsenter -t 1 -m true && echo ENTERED; chroot / true && echo CHROOTED
      echo x > ${outside}/b; echo x > /etc/coppice-test; echo x > /usr/coppice-test
      grep Cap /proc/self/status`);
      expect(ran.output).not.toMatch(/REMOUNTED|MOUNTED|NESTED|CHROOTED/);
      expect(ran.output).toMatch(/CapEff:\s0+\n/);
      expect(ran.output).toMatch(/CapBnd:\s0+\n/);
      expect(readdirSync(outside)).toEqual([]);
      expect(existsSync('/etc/coppice-test') || existsSync('/usr/coppice-test')).toBe(false);
    });

    it('GT-19: the kernel’s own settings can’t be opened for writing', async () => {
      const { run } = await setStage();
      const ran =
        await run(`for f in $(find /proc/sys /sys /proc/irq /proc/bus /proc/sysrq-trigger -type f -perm /222 2>/dev/null); do
      (exec 3>>"$f") 2>/dev/null && echo "OPENED $f"; done; echo looked`);
      expect(ran.output).toBe('looked\n');
    });

    it('GT-19: hooks and config of git, present', async () => {
      const { run, project, host } = await setStage();
      await makeRepository(host, project);
      const config = await readFile(join(project, '.git/config'), 'utf8');
      await run(`
      echo evil > .git/hooks/pre-commit; echo evil >> .git/config; git config core.fsmonitor evil
      rm -f .git/config; mv .git/config .git/c; mv .git/hooks .git/h; mv .git old; rm -rf .git/hooks
      ln .git/config hard; echo evil >> hard; chmod 777 .git/config
      cp -r .git copy && rm -rf .git; mount --move .git/hooks /tmp; echo evil > .git/config.lock; mv .git/config.lock .git/config
      exec 3<>.git/config && echo evil >&3`);
      expect(await readFile(join(project, '.git/config'), 'utf8')).toBe(config);
      expect(readdirSync(join(project, '.git/hooks')).filter((name) => !name.endsWith('.sample'))).toEqual([]);
      expect(existsSync(join(project, 'old'))).toBe(false);
    });

    it('GT-19: protected names that are absent stay so, and nothing is left in their place', async () => {
      const { run, project } = await setStage();
      const ran = await run(`
      mkdir .claude; mkdir -p .claude/agents; echo '{}' > .claude/settings.json; echo '{}' > .mcp.json
      git init -q . ; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; mkdir -p .vscode .husky .idea; echo x > .vscode/tasks.json
      echo x > .envrc; rmdir .claude .git .mcp.json; mv .claude c; ln -s /etc .vscode; touch mine; ls -A`);
      expect(ran.output).toContain('mine');
      expect(readdirSync(project)).toEqual(['mine']);
      expect(ran.notes).toEqual([]);
    });

    it('GT-19: .claude present, with and without settings in it', async () => {
      const { run, project } = await setStage();
      await put(join(project, '.claude/settings.json'), '{}');
      await run(`echo evil > .claude/settings.json; echo evil > .claude/settings.local.json; mkdir .claude/agents; mv .claude c
      rm -rf .claude; ln -s /tmp .claude/hooks`);
      expect(readdirSync(join(project, '.claude'))).toEqual(['settings.json']);
      expect(await readFile(join(project, '.claude/settings.json'), 'utf8')).toBe('{}');
    });

    it('GT-19: where hooks are absent in a repository, and where they are kept elsewhere', async () => {
      const { run, project, host } = await setStage();
      await makeRepository(host, project);
      await put(join(project, 'githooks/pre-commit'), 'good');
      await host.processes.run({
        file: 'bash',
        args: ['-c', 'rm -rf .git/hooks; git config core.hooksPath githooks'],
        cwd: project,
        env: host.env,
      });
      await run(
        'mkdir -p .git/hooks; echo evil > .git/hooks/post-commit; echo evil > githooks/pre-commit; mv githooks g',
      );
      expect(existsSync(join(project, '.git/hooks'))).toBe(false);
      expect(await readFile(join(project, 'githooks/pre-commit'), 'utf8')).toBe('good');
    });

    it('GT-19: repositories and settings inside the root, and on the way to the working folder', async () => {
      const { run, project, host } = await setStage();
      await mkdir(join(project, 'packages/sub'), { recursive: true });
      await makeRepository(host, join(project, 'packages/sub'));
      await put(join(project, 'a/b/c/d/e/f/.mcp.json'), '{}');
      await run(
        'echo evil > packages/sub/.git/hooks/pre-commit; echo evil >> packages/sub/.git/config; cd packages/sub; mv .git g',
      );
      expect(existsSync(join(project, 'packages/sub/.git/hooks/pre-commit'))).toBe(false);
      expect(await readFile(join(project, 'packages/sub/.git/config'), 'utf8')).not.toContain('evil');
      await run('echo evil > .mcp.json', { cwd: join(project, 'a/b/c/d/e/f') });
      expect(await readFile(join(project, 'a/b/c/d/e/f/.mcp.json'), 'utf8')).toBe('{}');
    });

    it('GT-19: our home can’t be read or written, the tool results we name can be read', async () => {
      const { run, home, base } = await setStage();
      await put(join(home, 'trust.json'), 'TRUSTED');
      const ran = await run(
        `cat ${home}/trust.json; ls -A ${home}; cat /proc/1/root${home}/trust.json; echo x > ${home}/trust.json; find ${base} -name trust.json -path '*coppice*' -exec cat {} + 2>/dev/null`,
      );
      expect(ran.output).not.toContain('TRUSTED');
      expect(await readFile(join(home, 'trust.json'), 'utf8')).toBe('TRUSTED');
    });

    it('GT-19: a link in the project does not open or show what is outside', async () => {
      const { run, project, outside, home } = await setStage();
      await put(join(home, 'trust.json'), 'TRUSTED');
      await put(join(outside, 'repo/HEAD'), 'x');
      await symlink(join(home, 'trust.json'), join(project, '.mcp.json'));
      await symlink(join(outside, 'repo'), join(project, '.git'));
      await symlink(outside, join(project, 'way'));
      const ran = await run(`cat .mcp.json; echo x > .git/new; echo x > way/new; echo x > ${outside}/repo/new`);
      expect(ran.output).not.toContain('TRUSTED');
      expect(readdirSync(outside)).toEqual(['repo']);
      expect(readdirSync(join(outside, 'repo'))).toEqual(['HEAD']);
    });

    it('GT-19: processes of the machine can’t be seen, signalled or traced', async () => {
      const { run } = await setStage();
      const pid = process.pid;
      const ran =
        await run(`kill -9 ${pid}; echo "kill $?"; ls /proc/${pid} >&2; echo "ls $?"; cat /proc/${pid}/environ >&2; echo "cat $?"
      echo /proc/[0-9]*; kill -9 -1; true`);
      expect(ran.output).toMatch(/^kill 1\nls 2\ncat 1\n\/proc\/1 \/proc\/2\n/);
    });

    it('GT-19: a server on this machine can’t be reached, unless the network was granted', async () => {
      const { run } = await setStage();
      let calls = 0;
      const server = createServer((socket) => {
        calls += 1;
        socket.end('hello\n');
      });
      onTestFinished(() => void server.close());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
      expect((await run(script)).code).not.toBe(0);
      expect(calls).toBe(0);
      expect((await run(script, { grant: { network: true } })).output).toBe('hello\n');
      expect((await run(script)).code).not.toBe(0);
      expect(calls).toBe(1);
    });

    it('GT-30: no socket that a program listens on can be connected to, wherever it is and whatever its name', async () => {
      const { run, base, project, home } = await setStage('required', { SSH_AUTH_SOCK: '/nowhere' });
      await put(join(project, 'sub/file'));
      const others = await mkdtemp('/tmp/coppice-test-');
      onTestFinished(() => rm(others, { recursive: true }));
      const paths = [
        join(base, 'a b.sock'),
        join(base, 'person/odd\u00fc'),
        join(project, 'sub/in-root'),
        join(others, 'x'),
      ];
      let calls = 0;
      for (const path of paths) await listenOn(path, () => calls++);
      // Made by a relative name, which the kernel lists as it was given.
      const script = `process.chdir(${JSON.stringify(base)}); require('net').createServer().listen('relative', () => console.log('up'))`;
      const child = spawn(process.execPath, ['-e', script]);
      onTestFinished(() => void child.kill());
      await once(child.stdout, 'data');
      const node = JSON.stringify(process.execPath);
      const attempt = `for (const path of ${JSON.stringify([...paths, join(base, 'relative')])}) require("net").connect(path).on("error", (e) => console.log(e.code)).on("connect", () => process.exit(9))`;
      const ran = await run(`ls -A /run; echo "sock=$SSH_AUTH_SOCK"; ls -A /tmp; ${node} -e '${attempt}'`);
      expect(ran.output).toMatch(/^coppice-run-\S+\nsock=\n(?:(?:ECONNREFUSED|ENOENT|EACCES)\n){5}$/);
      expect(ran.code).toBe(0);
      expect(calls).toBe(0);
      expect(readdirSync(home)).toEqual(['box', 'sandbox']);
      // A command's own sockets work.
      const own = `const s = require('net').createServer(() => process.exit(7)); s.listen('own', () => require('net').connect('own'))`;
      expect((await run(`cd /tmp; ${node} -e "${own}"`)).code).toBe(7);
    });
  });

  describe('what appears although it could not be held', () => {
    it('GT-19: a protected name without a stub is set aside and named', async () => {
      const { run, project, host } = await setStage();
      await makeRepository(host, project);
      const ran = await run('echo evil > .bashrc; echo ../evil > .git/commondir; echo fine > README');
      const names = readdirSync(project);
      expect(names).not.toContain('.bashrc');
      expect(names).toContain('README');
      expect(names.some((name) => name.startsWith('.bashrc.set-aside-'))).toBe(true);
      expect(existsSync(join(project, '.git/commondir'))).toBe(false);
      expect(ran.notes).toHaveLength(2);
      expect(ran.notes.join()).toContain(`${project}/.bashrc is a protected name`);
    });

    it('GT-19: a folder does not become a repository by itself', async () => {
      const { run, project } = await setStage();
      const ran = await run(
        'mkdir objects refs; echo "ref: refs/heads/main" > HEAD; echo "[core] fsmonitor = evil" > config',
      );
      expect(existsSync(join(project, 'HEAD'))).toBe(false);
      expect(ran.notes.join()).toContain('HEAD');
    });

    it('GT-19: a protected link that is replaced, or whose missing target is made', async () => {
      const { run, project } = await setStage();
      await put(join(project, 'real.json'), '{}');
      await symlink('real.json', join(project, '.mcp.json'));
      await symlink('later', join(project, '.envrc'));
      const ran = await run('echo evil > .mcp.json; rm .mcp.json; echo evil > .mcp.json; echo evil > later');
      expect(await readFile(join(project, 'real.json'), 'utf8')).toBe('{}');
      expect(existsSync(join(project, '.mcp.json'))).toBe(false);
      expect(existsSync(join(project, 'later'))).toBe(false);
      expect(ran.notes).toHaveLength(2);
    });

    it('GT-19: we follow no link a command made on the way', async () => {
      const { run, project, outside } = await setStage();
      await put(join(outside, 'later'), 'theirs');
      await symlink('sub/later', join(project, '.envrc'));
      const ran = await run(`ln -s ${outside} sub`);
      expect(await readFile(join(outside, 'later'), 'utf8')).toBe('theirs');
      expect(ran.notes.join()).toContain('check it before you use it');
    });

    it('GT-19: a name whose stub can’t be made is checked afterwards', async () => {
      const { run, project } = await setStage('required', {}, refuseStub);
      const ran = await run('mkdir .vscode; echo evil > .vscode/tasks.json; mkdir .idea');
      expect(readdirSync(project)).toHaveLength(1);
      expect(readdirSync(project)[0]).toMatch(/^\.vscode\.set-aside-/);
      expect(ran.notes.join()).toContain('.vscode is a protected name');
    });
  });

  async function listenOn(path: string, heard: () => void): Promise<void> {
    const server = createServer(heard);
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(path, resolve));
  }

  /** A disk on which `.vscode` can't be made by us. */
  function refuseStub(host: Host): Host {
    const makeFolder: Host['files']['makeFolder'] = async (path, mode) => {
      if (path.endsWith('.vscode')) throw new Error('no room');
      return host.files.makeFolder(path, mode);
    };
    return { ...host, files: { ...host.files, makeFolder } };
  }

  describe('what is granted', () => {
    it('GT-19: a path is opened for one command, and for no other', async () => {
      const { run, outside } = await setStage();
      await run(`echo x > ${outside}/first`, { grant: { writable: [outside] } });
      await run(`echo x > ${outside}/second`);
      expect(readdirSync(outside)).toEqual(['first']);
    });

    it('GT-19: a protected name is opened only by naming it, present or absent', async () => {
      const { run, project, host } = await setStage();
      await run('git init -q .', { grant: { writable: [join(project, '.git')] } });
      expect(existsSync(join(project, '.git/HEAD'))).toBe(true);
      await run('echo x > .git/hooks/a; echo x >> .git/config', { grant: { writable: [join(project, '.git')] } });
      expect(existsSync(join(project, '.git/hooks/a'))).toBe(false);
      await run('echo x > .git/hooks/a', { grant: { writable: [join(project, '.git/hooks')] } });
      expect(existsSync(join(project, '.git/hooks/a'))).toBe(true);
      expect(host.folder).toBe(project);
    });

    it('GT-30: a path that is a link now is not what was shown, and is not opened', async () => {
      const { run, outside, base, project } = await setStage();
      await symlink(outside, join(base, 'link'));
      await symlink(base, join(project, 'up'));
      for (const path of [join(base, 'link'), join(project, 'up/absent'), join(project, 'up/outside')]) {
        const ran = await run(`echo x > ${outside}/made`, { grant: { writable: [path] } });
        expect(ran.output, path).toMatch(/a link leads elsewhere now|does not exist/);
      }
      expect(readdirSync(outside)).toEqual([]);
    });

    it('GT-19: our home, the whole machine and what does not exist can’t be granted', async () => {
      const { run, home, base } = await setStage();
      for (const path of [home, join(base, 'person'), '/', '/proc/sys', '/run', join(base, 'nothing'), 'relative']) {
        const ran = await run('true', { grant: { writable: [path] } });
        expect(ran.code, path).toBeNull();
        expect(ran.output).toContain(`can't open ${path}`);
      }
    });
  });
});
it.skipIf(SANDBOX_WORKS)('GT-19: where there is no sandbox, required refuses', expectRefusal);
