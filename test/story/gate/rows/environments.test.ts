/** Environments around the sandbox that once opened it: other processes, shims, links on the PATH, CDPATH, a person's tokens. */

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BOX_WORKS } from '../../../program/gate/box/stage.js';
import { type Stage, setStage } from '../../../support/story.js';
import { CANARY, makeRepository, runLines } from './rows-stage.js';

/** A process of the user's own with a secret in its environment. */
function startOther(): number {
  const child = spawn('sleep', ['600'], { env: { PATH: process.env.PATH, OTHER_SECRET: CANARY }, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
}

/** What the line prints for the person, outside: the trap works. */
const outside = (stage: Stage, line: string, env: Stage['env'] = stage.env) =>
  execFileSync('/bin/bash', ['-c', line], { cwd: stage.folder, env, encoding: 'utf8', stdio: 'pipe' });

const trace = (stage: Stage) => join(dirname(stage.folder), 'trace');

async function plant(stage: Stage, folder: string, names: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    await writeFile(join(folder, name), `#!/bin/sh\necho planted\n: > ${trace(stage)}\n`);
    await chmod(join(folder, name), 0o755);
  }
}

describe.runIf(BOX_WORKS)('other processes', () => {
  it('GT-23: no spelling of ps shows an environment of others, ours with its key among them, and the answer says so', async () => {
    const stage = await setStage();
    const pid = startOther();
    const lines = [
      `ps -ef -p ${pid} -o args -ww`,
      `ps -ef -p ${process.pid} -o args -ww`,
      'ps auxeww',
      `ps eww ${pid}`,
      `tr '\\0' '\\n' < /proc/${pid}/environ`,
      'ps -ef',
    ];
    expect(outside(stage, lines[0] ?? '')).toContain(CANARY);
    const results = await runLines(stage, lines);
    for (const [index, { text }] of results.entries()) {
      expect(text, lines[index]).not.toContain(CANARY);
      expect(text, lines[index]).not.toContain('test-key');
      expect(text, lines[index]).not.toContain('sleep 600');
    }
    expect(results[5]).toMatchObject({ isError: false, text: expect.stringMatching(/ps -ef[\s\S]*could not see/) });
    expect(results[5]?.text.match(/could not see processes.*unconfined: true/g)).toHaveLength(1);
  });

  it('GT-23: id, whoami, ls -la, uptime and free answer usefully, and need no such line', async () => {
    const stage = await setStage();
    await stage.write('a.txt', 'a\n');
    const results = await runLines(stage, ['id -un', 'whoami', 'ls -la a.txt', 'uptime', 'free -m']);
    const user = (process.getuid?.() ?? 0) === 0 ? 'root' : /\w+/;
    expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, false]);
    expect(results[0]?.text.trim()).toMatch(user);
    expect(results[1]?.text.trim()).toBe(results[0]?.text.trim());
    expect(results[2]?.text).toContain(` ${results[0]?.text.trim()} `);
    expect(results[3]?.text).toContain('load average');
    expect(results[4]?.text).toMatch(/Mem: +[1-9]/);
    expect(results.filter(({ text }) => text.includes('could not see'))).toEqual([]);
  });
});

describe.each(BOX_WORKS ? ['auto', 'off'] : ['off'])('confineReads %s', (confineReads) => {
  it('GT-27: a version query with a shim on the PATH runs no program that an untrusted repository names', async () => {
    const stage = await setStage();
    await stage.settings({ confineReads });
    await stage.write('.tool-versions', 'nodejs path:./tools\npython path:./tools\n');
    await plant(stage, join(stage.folder, 'tools', 'bin'), ['node', 'python3']);
    const shims = join(stage.home, '.asdf', 'shims');
    await mkdir(shims, { recursive: true });
    for (const name of ['node', 'python3']) {
      await writeFile(join(shims, name), `#!/bin/sh\nexec "$PWD/tools/bin/${name}" "$@"\n`, { mode: 0o755 });
    }
    const env = { ...stage.env, PATH: `${shims}:${stage.env.PATH}` };
    expect(outside(stage, 'node --version', env)).toContain('planted');
    rmSync(trace(stage));
    const results = await runLines(stage, ['node --version', 'python3 --version', 'node -v; true'], { env });
    for (const { text } of results) expect(text).not.toContain('planted');
    expect(existsSync(trace(stage))).toBe(false);
  });

  it('GT-23: a PATH entry that leads into the repository, plainly or by a link, starts none of its programs', async () => {
    const stage = await setStage();
    await stage.settings({ confineReads });
    const tools = join(stage.folder, 'tools');
    await plant(stage, tools, 'df free uptime ls node cp mkfifo rm git bash sh cat mount'.split(' '));
    const link = join(stage.home, 'bin');
    await symlink(tools, link);
    for (const first of [link, tools]) {
      const env = { ...stage.env, PATH: `${first}:${stage.env.PATH}` };
      const lines = ['df', 'free', 'uptime', 'ls -la', 'node --version', 'cat nothing; ls'];
      expect(outside(stage, 'df', env)).toContain('planted');
      rmSync(trace(stage));
      const results = await runLines(stage, lines, { env });
      for (const { text } of results) expect(text).not.toContain('planted');
      expect(existsSync(trace(stage))).toBe(false);
    }
  });

  it('GT-23: an exported CDPATH leads no command out of the roots, to write or to read', async () => {
    const stage = await setStage();
    await stage.settings({ confineReads });
    const keys = join(dirname(stage.folder), 'others', 'keys');
    await mkdir(keys, { recursive: true });
    await mkdir(join(stage.folder, 'keys'));
    await writeFile(join(keys, 'id'), CANARY);
    const options = { env: { ...stage.env, CDPATH: dirname(keys) }, permissionMode: 'acceptEdits' as const };
    expect(outside(stage, 'cd keys && cat id', options.env)).toContain(CANARY);
    const results = await runLines(stage, ['cd keys && touch x', 'cd keys && cat id', 'cd keys; ls'], options);
    for (const { text } of results) expect(text).not.toContain(CANARY);
    expect(readdirSync(keys)).toEqual(['id']);
    // What was meant works.
    expect(results[0]?.isError).toBe(false);
    expect(readdirSync(join(stage.folder, 'keys'))).toEqual(['x']);
  });

  it('GT-23: the person’s own git settings, with a token in them, are not printed unasked', async () => {
    const stage = await setStage();
    await stage.settings({ confineReads });
    await makeRepository(stage);
    const text = `[user]\n\tname = Kim\n[url "https://${CANARY}@example.com/"]\n\tinsteadOf = https://example.com/\n[http]\n\textraHeader = ${CANARY}\n`;
    await writeFile(join(stage.home, '.gitconfig'), text);
    const lines = ['git config --global --list', 'git config --list', 'git config --get http.extraHeader'];
    for (const line of lines) expect(outside(stage, line)).toContain(CANARY);
    const results = await runLines(stage, lines, { trust: true });
    expect(results.filter((result) => result.text.includes(CANARY))).toEqual([]);
  });
});
