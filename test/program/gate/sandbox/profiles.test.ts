/** What a command can do in the profiles `ruled` and `working`, against real bubblewrap. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { chmod, link, mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Profile } from '../../../../src/gate/sandbox/sandbox.js';
import { act, BOX_WORKS, expectNoBox, put, type RunOptions, type Stage, setStage } from '../box/stage.js';

const RULED: Profile = { kind: 'ruled', containers: false };
const WORKING: Profile = { kind: 'working', show: [], git: false };

type Run = (script: string, options?: RunOptions) => ReturnType<Stage['run']>;

async function stageWith(profile: Profile, env: Record<string, string> = {}): Promise<Stage> {
  const stage = await setStage(env);
  const run: Run = (script, options = {}) => stage.run(script, { profile, ...options });
  return { ...stage, run };
}

async function makeRepository({ host, project }: Stage): Promise<void> {
  await act(
    host,
    project,
    `git init -q -b main . && git config user.name a && git config user.email a@b && mkdir -p .git/hooks &&
     echo one > file && git add file && git commit -qm one && git branch other && git tag v1`,
  );
}

const read = (path: string) => readFileSync(path, 'utf8');

describe.runIf(BOX_WORKS)('a command that a rule allows', () => {
  it('GT-34: writes wherever the user may and keeps its environment; its processes are its own', async () => {
    const { run, base, project } = await stageWith(RULED, { MINE: 'kept' });
    const ran =
      await run(`echo x > ${base}/beside; echo y > ${project}/inside; echo $MINE; sleep 60 & kill $!; wait $!; echo $?
      mkdir node_modules && mv node_modules ${base}/moved && id -un && kill -0 ${process.pid}; exit 7`);
    expect(ran.output).toMatch(new RegExp(`^kept\\n143\\n${execFileSync('id', ['-un'])}.*No such process`));
    expect(ran.code).toBe(7);
    expect([existsSync(join(base, 'beside')), existsSync(join(base, 'moved'))]).toEqual([true, true]);
    expect(ran.notes).toEqual([]);
  });

  it('GT-34: commits, branches, tags and stashes work; a remote is not added, and the answer says why', async () => {
    const stage = await stageWith(RULED);
    await makeRepository(stage);
    const ran =
      await stage.run(`echo two > two && git add -A && git commit -qm two && git checkout -qb next && git tag v2
      echo three > two && git stash -q && git stash pop -q && git checkout -q -- two && git log --oneline | wc -l`);
    expect(ran).toMatchObject({ code: 0, output: '2\n', explained: undefined });
    expect(readdirSync(stage.project).sort()).toEqual(['.git', 'file', 'two']);
    const refused = await stage.run('git remote add origin https://example.com/x');
    expect(refused.code).not.toBe(0);
    expect(refused.explained).toContain(`${stage.project}/.git/config`);
    expect(refused.explained).toContain('unconfined: true');
    expect(read(join(stage.project, '.git/config'))).not.toContain('origin');
  });

  it('GT-34: computed paths reach no hook, no configuration, no settings and no start-up file', async () => {
    const stage = await stageWith(RULED);
    const { run, project, person } = stage;
    await makeRepository(stage);
    await put(join(project, '.claude/settings.json'), '{}');
    for (const name of [
      '.bashrc',
      '.ssh/config',
      '.npmrc',
      '.config/git/config',
      '.local/bin/tool',
      '.claude/settings.json',
    ])
      await put(join(person, name), 'mine');
    const config = read(join(project, '.git/config'));
    await run(`
      g=.gi; echo evil > \${g}t/hooks/pre-commit; echo evil >> $(git rev-parse --git-dir)/config; git config core.hooksPath /tmp
      bash -c 'cd .git; echo evil > hooks/post-commit; mv config c; rm -f config; mv hooks h'; mv .git old; rm -rf .claude
      c=.claude; printf evil > $c/settings.json; echo evil > $c/settings.local.json; mv .claude other; echo evil > .mcp.json
      python3 -c 'open(".claude/settings.json","w").write("evil")'; ln .git/config hard && echo evil >> hard
      cd; echo evil >> .bash\${x}rc; echo evil > ~/.ssh/authorized_keys; echo evil >> "$HOME/.npmrc"; rm -f .npmrc; mv .ssh s
      echo evil > .config/git/config; echo evil > .local/bin/ls; git config --global user.name evil; rm -rf ~/.claude
      echo evil > ~/.claude/settings.json; mount -o remount,rw .ssh; unshare -Urm mount -o remount,rw,bind .ssh`);
    expect(read(join(project, '.git/config'))).toBe(config);
    expect(readdirSync(join(project, '.git/hooks')).filter((name) => !name.endsWith('.sample'))).toEqual([]);
    expect(read(join(project, '.claude/settings.json'))).toBe('{}');
    expect(readdirSync(join(project, '.claude'))).toEqual(['settings.json']);
    const left = readdirSync(project).sort();
    expect(left.filter((name) => !name.startsWith('.mcp.json.set-aside-'))).toEqual(['.claude', '.git', 'file']);
    expect(readdirSync(join(person, '.ssh'))).toEqual(['config']);
    expect(readdirSync(join(person, '.local/bin'))).toEqual(['tool']);
    for (const name of ['.bashrc', '.ssh/config', '.npmrc', '.config/git/config', '.claude/settings.json'])
      expect(read(join(person, name)), name).toBe('mine');
  });

  it('GT-34: names that appear in the home are set aside, and neither the root nor the home nor a folder above can be swapped', async () => {
    const { run, person, project } = await stageWith(RULED);
    const ran = await run('echo evil > ~/.zshrc; mkdir -p ~/.config/autostart; echo fine > ~/notes');
    expect(existsSync(join(person, '.zshrc'))).toBe(false);
    expect(existsSync(join(person, '.config/autostart'))).toBe(false);
    expect(read(join(person, 'notes'))).toBe('fine\n');
    expect(ran.notes.filter((note) => note.includes('set-aside'))).toHaveLength(2);
    for (const line of [
      `cd /; mv ${project} ${project}-old`,
      `cd ${join(project, '..')}/..; mv $(basename ${join(project, '..')}) old`,
      'mv ~ ~/../elsewhere',
    ])
      expect((await run(line)).code, line).toBe(1);
    await put(join(person, '.config/git/config'), 'mine');
    await put(join(person, '.local/bin/tool'), 'mine');
    const renamed = await run('cd ~; mv .config c2; mv .local l2; echo evil > .local/bin/tool');
    expect(renamed.code).not.toBe(0);
    expect([read(join(person, '.config/git/config')), read(join(person, '.local/bin/tool'))]).toEqual(['mine', 'mine']);
  });

  it('GT-34: nothing outlives its command, so nothing finds the names free afterwards', async () => {
    const { run, project, person } = await stageWith(RULED);
    await run(
      `setsid bash -c 'touch up; sleep 0.2; mkdir -p .claude; echo {} > .claude/settings.json; echo evil > ~/.zshrc' >/dev/null 2>&1 &
      until [ -e up ]; do sleep 0.02; done`,
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(readdirSync(project)).toEqual(['up']);
    expect(existsSync(join(person, '.zshrc'))).toBe(false);
  });

  it('GT-34: our environment, memory, descriptors and state can’t be read, nor the kernel’s settings changed', async () => {
    const { run, person } = await stageWith(RULED);
    await put(join(person, '.coppice/trust.json'), 'TRUSTED');
    const pid = process.pid;
    const ran =
      await run(`cat /proc/${pid}/environ; head -c 9 /proc/${pid}/mem; ls /proc/${pid}/root/; cat /proc/${pid}/fd/*
      cat ~/.coppice/trust.json; echo evil > ~/.coppice/trust.json; ls -A ~/.coppice; cat /proc/*/environ | tr '\\0' '\\n' | grep VITEST
      (exec 3>>/proc/sys/kernel/core_pattern) && echo OPENED; (exec 3>>/proc/sysrq-trigger) && echo OPENED
      grep CapEff /proc/self/status; (exec 3<>/dev/tty) && echo TERMINAL; true`);
    expect(ran.output).not.toMatch(/TRUSTED|OPENED|TERMINAL|VITEST|\broot\b.*\betc\b/);
    expect(ran.output).toMatch(/CapEff:\s0+\n/);
    expect(read(join(person, '.coppice/trust.json'))).toBe('TRUSTED');
  });

  it('GT-34: sockets that start programs outside are hidden, others stay', async () => {
    const { run, base, host } = await stageWith(RULED);
    const [bus, docker, database] = ['bus', 'docker.sock', '.s.PGSQL.5432'].map((name) => join(base, name));
    for (const path of [bus, docker, database]) {
      const server = createServer((socket) => socket.end());
      onTestFinished(() => void server.close());
      await new Promise<void>((resolve) => server.listen(path, resolve));
    }
    Object.assign(host.env, { DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}`, DOCKER_HOST: `unix://${docker}` });
    const attempt = `for (const path of ${JSON.stringify([bus, docker, database])}) require("net").connect(path).on("error", () => console.log("refused")).on("connect", () => console.log("open"))`;
    const script = `${JSON.stringify(process.execPath)} -e '${attempt}' | sort | uniq -c | tr -s " "`;
    expect((await run(script)).output).toBe(' 1 open\n 2 refused\n');
    expect((await run(script, { profile: { kind: 'ruled', containers: true } })).output).toBe(' 2 open\n 1 refused\n');
  });

  it('GT-35: denied files are masked, wherever they are and by whatever name', async () => {
    const { run, project, person, base } = await stageWith(RULED);
    await put(join(project, '.env'), 'SECRET');
    await link(join(project, '.env'), join(project, 'harmless.txt'));
    await put(join(project, 'keys/inner/a.pem'), 'SECRET');
    await put(join(person, 'vault/a'), 'SECRET');
    await put(join(base, 'single'), 'SECRET');
    const denied = ['.env', 'keys/**', '~/vault/**', `/${base}/single`];
    const ran = await run(
      `cat .env harmless.txt keys/inner/a.pem ~/vault/a ../single; cp .env x; ln .env y; cat x y; mv keys k; cat k/inner/*; tar c . ~/vault | strings`,
      { denied },
    );
    expect(ran.output).not.toContain('SECRET');
    expect(ran.output).toContain('Permission denied');
  });

  it('GT-34: in a worktree of the user’s own, the shared configuration and hooks stay, and commits work', async () => {
    const stage = await stageWith(RULED);
    await makeRepository(stage);
    const { host, project, base } = stage;
    const tree = join(base, 'tree');
    await act(host, project, `git worktree add -q -b mine ${tree}`);
    const config = read(join(project, '.git/config'));
    const ran = await stage.run(
      'git config core.hooksPath /tmp; echo evil > "$(git rev-parse --git-common-dir)/hooks/pre-commit"; echo x > x && git add x && git commit -qm mine && echo ok',
      { roots: [tree], cwd: tree },
    );
    expect(ran.output).toContain('ok\n');
    expect(read(join(project, '.git/config'))).toBe(config);
    expect(existsSync(join(project, '.git/hooks/pre-commit'))).toBe(false);
  });

  describe('in a worktree of ours', () => {
    async function inWorktree() {
      const stage = await stageWith(RULED);
      await makeRepository(stage);
      const { host, project } = stage;
      await act(host, project, 'git worktree add -q -b worktree-w .claude/worktrees/w && git stash list');
      const tree = realpathSync(join(project, '.claude/worktrees/w'));
      const common = join(project, '.git');
      const git = { own: join(common, 'worktrees/w'), common };
      const worktree = { name: 'w', path: tree, branch: 'worktree-w', from: project, git };
      const inTree = (script: string) => stage.run(script, { profile: RULED, roots: [tree], cwd: tree, worktree });
      return { ...stage, tree, common, inTree };
    }

    it('GT-34: commits move its own branch', async () => {
      const { inTree, host, project } = await inWorktree();
      const ran = await inTree(
        'echo x > new && git add -A && git commit -qm new && git status --short && npm --version > v && echo ok',
      );
      expect(ran).toMatchObject({ code: 0, output: 'ok\n', notes: [] });
      expect(await act(host, project, 'git log --format=%s worktree-w')).toBe('new\none\n');
    });

    it('GT-34: no line writes into the main checkout, its hooks, or any other ref', async () => {
      const { inTree, host, project, tree, common } = await inWorktree();
      const state = () =>
        act(
          host,
          project,
          'git for-each-ref | grep -v worktree-w; cat .git/config .git/HEAD; git stash list; ls -A . .git/hooks; git status --short',
        );
      await act(host, project, 'echo stashed > file && git stash -q');
      const before = await state();
      const lines = [
        'x=..; touch $x/$x/$x/q',
        'cd `git rev-parse --git-common-dir`/..; touch q',
        'bash -c "cd ../../..; touch q; echo evil > file"',
        `echo evil > ${common}/hooks/pre-commit`,
        'echo evil > "$(git rev-parse --git-common-dir)/hooks/pre-commit"',
        'git update-ref refs/heads/main HEAD~0; git update-ref refs/tags/v9 HEAD',
        'echo y > y; git add y; git commit -qm y; git fetch -u . HEAD:main; git push . HEAD:main',
        'git config core.hooksPath /tmp; git config --global a.b c',
        'git branch -m main; git branch -m main renamed; git branch -D other; git tag -d v1',
        'git stash clear; git stash drop; git symbolic-ref HEAD refs/heads/main; git symbolic-ref HEAD refs/heads/worktree-w',
        `python3 -c 'import os; os.remove("${project}/file")'`,
        `cd ${project}; git checkout -q other; git reset --hard; rm -rf .git/refs; mv file f`,
        `mv ${tree} ${project}/elsewhere; rm -rf ${project}/.claude/settings.json; touch ${project}/.claude/settings.json`,
        `git worktree remove --force . ; git worktree prune; git gc -q; git pack-refs --all`,
      ];
      for (const line of lines) await inTree(line);
      expect(await state()).toBe(before);
      expect(existsSync(join(project, '.claude/settings.json'))).toBe(false);
      expect(existsSync(join(tree, '.git'))).toBe(true);
    });
  });
});

describe.runIf(BOX_WORKS)('file commands in acceptEdits', () => {
  it('GT-36: change files in the roots and nothing else, without a network', async () => {
    const stage = await stageWith(WORKING);
    const { run, base, project, person } = stage;
    await makeRepository(stage);
    await put(join(project, 'old/a'), 'a');
    await put(join(person, 'mine'), 'mine');
    const ran =
      await run(`mkdir -p new/deep && cp old/a new/deep/b && mv old/a new/a && rm -r old && touch t file && ln -s a l &&
      chmod 700 new/a && sed -i s/a/c/ new/deep/b && echo x | tee out > out2 && rmdir gone 2>/dev/null; ls; stat -c %a new/a`);
    expect(ran.output).toBe('file\nl\nnew\nout\nout2\nt\n700\n');
    expect(read(join(project, 'new/deep/b'))).toBe('c');
    expect(readdirSync(project)).not.toContain('.claude');
    const refused =
      await run(`echo x > ${base}/beside; echo x > ${person}/mine; echo evil > .git/hooks/pre-commit; rm -rf .git
      echo evil > .mcp.json; mkdir -p .claude; echo evil > .claude/settings.json; exec 3<>/dev/tcp/192.0.2.1/9; echo x > /tmp/own`);
    expect(refused.explained).toContain('unconfined: true');
    expect(readdirSync(base).sort()).toEqual(['person', 'project']);
    expect(read(join(person, 'mine'))).toBe('mine');
    expect(readdirSync(project).sort()).toEqual(['.git', 'file', 'l', 'new', 'out', 'out2', 't']);
    expect(await act(stage.host, project, 'git fsck && git log --format=%s')).toBe('one\n');
    expect(readdirSync(join(project, '.git/hooks')).filter((name) => !name.endsWith('.sample'))).toEqual([]);
  });

  it('GT-36: keep what an Edit rule is about, and don’t see what a Read rule denies', async () => {
    const { run, project } = await stageWith(WORKING);
    for (const name of ['fixed/a', 'deep/package.lock', '.env', 'free']) await put(join(project, name), 'before');
    const options = { fixed: ['fixed/**', '*.lock'], denied: ['.env'] };
    const ran = await run(
      'echo x > fixed/a; rm -rf fixed deep; echo x > fixed/b; mv fixed f; cat .env; rm -f .env; rm free',
      options,
    );
    expect(ran.output).not.toContain('before');
    expect(ran.explained).toContain(join(project, 'fixed'));
    for (const name of ['fixed/a', 'deep/package.lock', '.env']) expect(read(join(project, name)), name).toBe('before');
    expect([readdirSync(join(project, 'fixed')), existsSync(join(project, 'free'))]).toEqual([['a'], false]);
  });

  it('GT-36: git add, mv and rm change the index and objects, and no ref, log or configuration', async () => {
    const stage = await stageWith({ ...WORKING, git: true });
    await makeRepository(stage);
    const { run, project, host } = stage;
    const head = await act(host, project, 'git for-each-ref; cat .git/config');
    const ran = await run('echo two > two && git add two && git mv file moved && git status --short');
    expect(ran).toMatchObject({ code: 0, output: 'R  file -> moved\nA  two\n' });
    const refused =
      await run(`git commit -qm no; git update-ref refs/heads/main HEAD; git branch new; git config a.b c; git tag t
      echo evil > .git/hooks/pre-commit; echo evil > .git/HEAD; echo evil > .git/info/attributes; rm -rf .git/refs .git/logs .git/objects/pack`);
    expect(refused.code).not.toBe(0);
    expect(await act(host, project, 'git for-each-ref; cat .git/config')).toBe(head);
    expect(await act(host, project, 'git commit -qm later && git show --stat --format=%s')).toContain(
      '2 files changed',
    );
  });

  it('GT-22: a commit in a worktree of ours moves its branch and nothing else', async () => {
    const stage = await stageWith({ ...WORKING, git: true });
    await makeRepository(stage);
    const { host, project } = stage;
    await act(host, project, 'git worktree add -q -b worktree-w .claude/worktrees/w');
    const tree = join(project, '.claude/worktrees/w');
    const git = { own: join(project, '.git/worktrees/w'), common: join(project, '.git') };
    const worktree = { name: 'w', path: tree, branch: 'worktree-w', from: project, git };
    const env = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
    const before = await act(host, project, 'git for-each-ref refs/heads/main refs/heads/other');
    const ran = await stage.run(
      'echo x > new && git add -A && git commit -qm new; git update-ref refs/heads/main HEAD',
      {
        ...{ roots: [tree], cwd: tree, worktree, env },
      },
    );
    expect(ran.output).toBe('');
    expect(await act(host, project, 'git log --format=%s worktree-w')).toBe('new\none\n');
    expect(await act(host, project, 'git for-each-ref refs/heads/main refs/heads/other')).toBe(before);
  });
});

describe.runIf(BOX_WORKS)('a command that only reads', () => {
  it('GT-23: says who the user is, and how the machine is', async () => {
    const { run, runPlain, project } = await setStage();
    await put(join(project, 'file'));
    for (const script of [
      'whoami',
      'id -un; id -u; id -gn',
      'ls -la file',
      'ls -la | tail -1',
      'free | wc -l',
      'hostname',
    ])
      expect((await run(script)).output, script).toBe((await runPlain(script)).output);
    expect((await run('uptime; cat /proc/loadavg /proc/uptime')).output).toMatch(
      /load average: .*\n[\d.]+ [\d.]+ .*\n[\d.]+ [\d.]+\n/,
    );
    expect((await run('ps -ef | wc -l; df . | wc -l; mount | head -1 | wc -l')).output).toMatch(/^\d\n2\n1\n$/);
    expect((await run('cat /proc/*/environ | tr "\\0" "\\n" | grep -c VITEST')).output).toBe('0\n');
  });

  it('GT-23: a hard link is no other name for a denied file, nor for one in a denied folder', async () => {
    const { run, project } = await setStage();
    await put(join(project, '.env'), 'SECRET');
    await put(join(project, 'private/key'), 'SECRET');
    await mkdir(join(project, 'src'));
    await link(join(project, '.env'), join(project, 'src/notes'));
    await link(join(project, 'private/key'), join(project, 'src/other'));
    await symlink('src/notes', join(project, 'name'));
    await put(join(project, 'src/plain'), 'plain');
    await chmod(join(project, 'src/plain'), 0o644);
    const ran = await run('cat .env src/* name; grep -r SECRET .', { denied: ['.env', 'private/**'] });
    expect(ran.output).toContain('plain');
    expect(ran.output).not.toContain('SECRET');
  });
});
it.skipIf(BOX_WORKS)('GT-34: without a box nothing is confined', expectNoBox);
