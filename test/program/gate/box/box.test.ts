/** What a command in the reading box can't do, against real bubblewrap (scripts/install-bubblewrap.sh). */

import { spawn } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../../support/bundle.js';
import { act, BOX_WORKS, expectNoBox, pathOutsideTmp, put, setStage } from './stage.js';

describe.runIf(BOX_WORKS)('with a box', () => {
  describe('what it lets through', () => {
    it('GT-23: a command gives the same output and exit code as outside', async () => {
      const { run, runPlain, host, project } = await setStage();
      await put(join(project, 'src/a.ts'), 'one\ntwo\n');
      await act(host, project, 'git init -q -b main . && git add . && git commit -qm one && echo three >> src/a.ts');
      for (const script of [
        'pwd; whoami; id -un; hostname; echo "$HOME $USER $PATH $LANG"; ls -l src; stat -c "%U %G %a" src/a.ts',
        'git status --short; git log --format=%an; git diff; git rev-parse --show-toplevel',
        'for f in src/*; do wc -l "$f"; done | sort; diff <(cat src/a.ts) <(echo two); echo "exit: $?"',
        'find . -path ./.git -prune -o -type f -exec wc -l {} +; awk "{ print NR }" src/a.ts; [[ -d src ]] && cat <<< here',
        'grep -rn two src | xargs -n1 echo; node -p 1+1; date +%Y; ls /usr/bin | head -1; exit 7',
        'ls no-such-file; no-such-program',
      ]) {
        const plain = await runPlain(script);
        const boxed = await run(script);
        expect(boxed.output).toBe(plain.output);
        expect(boxed.code).toBe(plain.code);
      }
    });

    it('GT-23: /tmp is its own, at most 256 MB, gone with the command, and where caches point to', async () => {
      const { run } = await setStage({ PATH: pathOutsideTmp() });
      const made = await run('echo x > /tmp/coppice-in-box; ls -A /tmp; echo "$TMPDIR $XDG_CACHE_HOME $GOCACHE"');
      expect(made.output).toBe('coppice-in-box\n/tmp /tmp/cache /tmp/go-build\n');
      expect(existsSync('/tmp/coppice-in-box')).toBe(false);
      expect((await run('ls -A /tmp')).output).toBe('');
      const filled = await run('head -c 300M /dev/zero > /tmp/big; stat -c %s /tmp/big');
      expect(filled.output).toMatch(/^268435456\n.*No space left on device/s);
    });
  });

  describe('what it refuses', () => {
    it('GT-23: writing, anywhere', async () => {
      const { run, project, base, person } = await setStage();
      await put(join(project, 'file'), 'kept');
      const paths = `file new sub/new ${base}/new ${person}/new / /new /usr/new /etc/new /dev/new /dev/shm/new /var/tmp/new /run/new`;
      const ran = await run(
        `for path in ${paths}; do (echo x > "$path") 2>/dev/null && echo "WROTE $path"; (echo x >> "$path") 2>/dev/null && echo "WROTE $path"; done
        rm -f file; mv file other; ln file hard; chmod 777 file; touch file; truncate -s 0 file; mkdir sub
        mount -o remount,bind,rw ${project} && echo REMOUNTED; unshare -Urm true && echo NESTED; echo x > file; true`,
      );
      expect(ran.output).not.toMatch(/WROTE|REMOUNTED|NESTED/);
      expect(readFileSync(join(project, 'file'), 'utf8')).toBe('kept');
      expect(readdirSync(project)).toEqual(['file']);
    });

    it('GT-23: changes of the machine’s devices, also as root; they can be read and written', async () => {
      const { run } = await setStage();
      const devices = ['/dev/null', '/dev/zero', '/dev/urandom'];
      const states = () => devices.map((path) => statSync(path)).map(({ mode, uid, mtimeMs }) => [mode, uid, mtimeMs]);
      const before = states();
      const ran = await run(
        `for d in ${devices.join(' ')}; do
          # With the values it has: a hole must not harm the machine that runs this.
          chmod 666 $d && echo CHANGED; chown 0:0 $d && echo CHANGED; touch -c -r $d $d && echo CHANGED; touch -c $d && echo CHANGED
        done 2>/dev/null
        node -e 'const fs = require("fs"); const fd = fs.openSync("/dev/zero", "r+"); fs.fchmodSync(fd, 0o666); console.log("CHANGED")' 2>/dev/null
        echo x > /dev/null && echo y | tee /dev/null; head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; cat < /dev/null`,
      );
      expect(ran.output).toBe('y\n3\n3\n');
      expect(states()).toEqual(before);
    });

    it('GT-23: the kernel’s settings, also as root', async () => {
      const { run } = await setStage();
      const ran = await run(
        `for f in $(find /proc -maxdepth 4 -type f -perm /222 -not -path '/proc/[0-9]*' 2>/dev/null); do (exec 3>>"$f") 2>/dev/null && echo "OPENED $f"; done
        (echo 1 > /proc/self/oom_score_adj) 2>/dev/null && echo OPENED; grep CapEff /proc/self/status`,
      );
      expect(ran.output).toMatch(/^CapEff:\s0+\n$/);
    });

    it('GT-23: the network, also a server on this machine', async () => {
      let calls = 0;
      const server = createServer(() => {
        calls += 1;
      });
      onTestFinished(() => void server.close());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const { run } = await setStage();
      const ran = await run(`exec 3<>/dev/tcp/127.0.0.1/${port}`);
      expect(ran.code).not.toBe(0);
      expect(calls).toBe(0);
    });

    it('GT-23: sockets of other programs, by any kind of socket that could reach one', async () => {
      const { run, project } = await setStage();
      let calls = 0;
      const server = createServer(() => {
        calls += 1;
      });
      onTestFinished(() => void server.close());
      const path = join(project, 'service.sock');
      await new Promise<void>((resolve) => server.listen(path, resolve));
      const script = `
import socket
def attempt(name, make):
    try:
        make()
        print(name, "made")
    except OSError as error:
        print(name, error.errno)
attempt("stream", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(${JSON.stringify(path)}))
attempt("datagram", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("pair of datagrams", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
attempt("pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM))
attempt("internet", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))`;
      await put(join(project, 'try.py'), script);
      const ran = await run('/usr/bin/python3 try.py');
      expect(ran.output).toBe('stream 97\ndatagram 97\nvsock 97\npair of datagrams 97\npair made\ninternet made\n');
      expect(calls).toBe(0);
    });

    it('GT-23: pipes of the roots for writing, also one that was made since', async () => {
      const { run, host, project } = await setStage();
      const attempt = async (name: string) => {
        await act(host, project, `mkdir -p sub && mkfifo ${name}`);
        // A reader that waits: without a cover, a writer would get through.
        const reader = openSync(join(project, name), constants.O_RDONLY | constants.O_NONBLOCK);
        onTestFinished(() => closeSync(reader));
        const ran = await run(
          `(echo leaked > ${name}) 2>/dev/null; (echo leaked 1<> ${name}) 2>/dev/null; awk 'BEGIN { print "leaked" > "${name}" }'; true`,
        );
        expect(ran.output).not.toContain('leaked');
        const buffer = Buffer.alloc(64);
        expect(readSync(reader, buffer)).toBe(0);
      };
      await attempt('pipe');
      await attempt('sub/later');
    });

    it('GT-23: the home, other disks, keys in the environment', async () => {
      const { run, base, person } = await setStage({
        ANTHROPIC_API_KEY: 'key-one',
        GITHUB_TOKEN: 'key-two',
        AWS_SECRET: 'key-three',
      });
      await put(join(person, '.ssh/id'), 'PRIVATE');
      await put(join(base, 'beside'), 'PRIVATE');
      const ran = await run(
        `cat ${person}/.ssh/id ${base}/beside /proc/1/root${base}/beside; ls -A ${person} ${base}; cat /etc/shadow; ls /home /mnt /srv /var/log
        env; cat /proc/*/environ | tr '\\0' '\\n'`,
      );
      expect(ran.output).not.toMatch(/PRIVATE|key-(?:one|two|three)|TOKEN|root:.*:\d+:0:/);
      expect(ran.output).not.toContain('beside\n');
    });

    it('GT-23: descriptors that whoever started us left open', async () => {
      const { base, project, host } = await setStage();
      const program = await bundle(new URL('./box-program.ts', import.meta.url), base);
      const script = `exec 9<${base} 77<${base}; exec ${process.execPath} ${program} ${project} 'echo /proc/self/fd/*'`;
      expect(await act(host, project, script)).toBe(
        '/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3\n',
      );
    });

    it('GT-23: other processes', async () => {
      const child = spawn('sleep', ['60']);
      onTestFinished(() => void child.kill());
      const { run } = await setStage();
      const ran = await run(
        `kill -9 ${child.pid} 2>/dev/null; echo "kill $?"; ls -d /proc/[0-9]*; ipcs -q | grep -c 0x; ls /proc/${child.pid}`,
      );
      expect(ran.output).toMatch(/^kill 1\n\/proc\/1\n(?:\/proc\/\d\n)*0\n/);
      expect(child.exitCode).toBeNull();
    });
  });

  it('GT-23: after a failure or a refusal one line tells what was hidden, and how to repeat it', async () => {
    const { run, project } = await setStage();
    await put(join(project, '.env'), 'SECRET');
    const denied = ['.env'];
    expect((await run('true', { denied })).explained).toBeUndefined();
    const failed = await run('cat .env', { denied });
    expect(failed.output).toBe('cat: .env: Permission denied\n');
    expect(failed.explained).toContain(`files that may not be read (${project}/.env)`);
    expect(failed.explained).toContain('unconfined: true');
    expect(failed.explained).not.toContain('\n');
    expect((await run('cat /home/x; true')).explained).toContain('unconfined: true');
  });
});
it.skipIf(BOX_WORKS)('GT-23: without a box nothing is confined', expectNoBox);
