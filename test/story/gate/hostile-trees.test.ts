/** A project nobody trusts may hold anything where a file of ours is expected: the start skips it (GT-32). */

import { execFileSync } from 'node:child_process';
import { linkSync } from 'node:fs';
import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildProgram, runProgram, startProgram } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';
import { type Stage, setStage } from '../../support/story.js';

beforeAll(buildProgram, 120_000);

/** Makes something at a path. Its folder is there; the path is not. */
type Thing = (path: string) => Promise<unknown>;

const THINGS: Readonly<Record<string, Thing>> = {
  'a pipe': async (path) => execFileSync('mkfifo', [path]),
  'a socket': async (path) => {
    // A socket's path must be short; it is moved to its place.
    const folder = await scratchFolder();
    const server = createServer().listen(join(folder, 's'));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    await rename(join(folder, 's'), path);
  },
  'a link to a device that never ends': (path) => symlink('/dev/zero', path),
  'a link to a file of the kernel': (path) => symlink('/proc/kmsg', path),
  'a link to /proc': (path) => symlink('/proc', path),
  'a link to /usr': (path) => symlink('/usr', path),
  'a link in a circle': (path) => symlink(path, path),
  'a gigabyte': async (path) => {
    await writeFile(path, '');
    await truncate(path, 1024 ** 3);
  },
  'a folder': (path) => mkdir(path),
};

const FILES = [
  'CLAUDE.md',
  'AGENTS.md',
  'CLAUDE.local.md',
  '.claude/CLAUDE.md',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/rules/x.md',
  '.claude/agents/x.md',
  '.git/HEAD',
];
const FOLDERS = ['.claude/rules', '.claude/agents'];
/** Not opened at the start, so there is nothing to tell. */
const SILENT = ['.git', '.claude', '.mcp.json', '.gitignore'];
/** What is no obstacle there. */
const FINE = new Set([
  '.claude/rules a folder',
  '.claude/agents a folder',
  '.claude/rules/x.md a folder',
  '.claude/agents/x.md a folder',
]);

async function put(stage: Stage, place: string, thing: Thing): Promise<string> {
  const path = join(stage.folder, place);
  await mkdir(dirname(path), { recursive: true });
  await thing(path);
  return path;
}

/** The session opens and works; lines that name the path are given back. */
async function openAnd(stage: Stage, path: string): Promise<readonly string[]> {
  const session = await stage.open();
  expect(await session.send('hi')).toMatchObject({ reason: 'completed', text: 'ok' });
  return session.warnings.filter((line) => line.includes(path));
}

describe.each(Object.entries(THINGS))('%s', (what, thing) => {
  it.each([...FILES, ...FOLDERS])('GT-32 in the place of %s is skipped with one line', async (place) => {
    const stage = await setStage([{ reply: 'ok' }]);
    const path = await put(stage, place, thing);
    expect(await openAnd(stage, path)).toHaveLength(FINE.has(`${place} ${what}`) ? 0 : 1);
  });

  it.each(SILENT)('GT-32 in the place of %s stops nothing', async (place) => {
    const stage = await setStage([{ reply: 'ok' }]);
    await openAnd(stage, await put(stage, place, thing));
  });

  it('GT-32 as what CLAUDE.md imports is skipped', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('CLAUDE.md', 'words @evil.md');
    await put(stage, 'evil.md', thing);
    expect(await openAnd(stage, 'evil.md')).toHaveLength(1);
    expect(JSON.stringify(stage.sim.requests[0]?.body.messages)).toContain('words @evil.md');
  });

  it('GT-32 in a trusted folder it does not stop the start for good either', async () => {
    for (const place of [...FILES, ...FOLDERS]) {
      const stage = await setStage([{ reply: 'ok' }]);
      const path = await put(stage, place, thing);
      const { code, stderr } = await runOpen(stage, path);
      // Settings that can't be read are an error there: a rule may be missing.
      expect([code, stderr].join(' '), place).toMatch(place.includes('settings') ? /^error .*cannot read/ : /^opened/);
    }
  });
});

async function runOpen(stage: Stage, path: string): Promise<{ code: string; stderr: string }> {
  try {
    const session = await stage.open({ trust: true });
    return { code: 'opened', stderr: session.warnings.filter((line) => line.includes(path)).join('\n') };
  } catch (error) {
    return { code: 'error', stderr: String(error) };
  }
}

describe('very much of it', () => {
  it('GT-32 a folder of 100,000 entries in any of these places is skipped with one line', async () => {
    const folder = await scratchFolder();
    const many = join(folder, 'many');
    await mkdir(many);
    // Links are made much faster than files. A file has at most 65,000.
    for (const first of ['a.md', 'b.md']) {
      await writeFile(join(many, first), 'x\n');
      for (let n = 1; n < 50_000; n += 1) linkSync(join(many, first), join(many, `${n}-${first}`));
    }
    for (const place of [...FILES, ...FOLDERS]) {
      const stage = await setStage([{ reply: 'ok' }]);
      const path = join(stage.folder, place);
      await mkdir(dirname(path), { recursive: true });
      await rename(many, path);
      expect(await openAnd(stage, path), place).toHaveLength(1);
      await rename(path, many);
    }
    await rm(many, { recursive: true });
  });

  it('GT-32 imports, rules and definitions are read up to a limit, and one line says so', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('CLAUDE.md', Array.from({ length: 20_000 }, (_, n) => `@no/${n}.md`).join('\n'));
    for (let n = 0; n < 12; n += 1) await stage.write(`.claude/rules/${n}.md`, 'x'.repeat(3 * 1024 * 1024));
    for (let n = 0; n < 40; n += 1) await stage.write(`.claude/agents/${n}.md`, 'x'.repeat(900 * 1024));
    const session = await stage.open();
    expect(session.warnings.filter((line) => line.includes('the instructions name more than'))).toHaveLength(1);
    expect(session.warnings.filter((line) => /^agent files: \d+ skipped/.test(line))).toHaveLength(1);
  });
});

describe('what takes long to read', () => {
  it('GT-32 endless mentions, fences, front matter and rules come to an end', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('CLAUDE.md', ' @a.b'.repeat(800_000));
    await stage.write('CLAUDE.local.md', '```\n'.repeat(900_000));
    const fields = Array.from({ length: 40_000 }, (_, n) => `k${n}: [a, {b: c}]`).join('\n');
    for (let n = 0; n < 15; n += 1) await stage.write(`.claude/agents/a${n}.md`, `---\nname: a${n}\n${fields}\n---\n`);
    const deny = Array.from({ length: 150_000 }, (_, n) => `Bash(x${n}:*)`);
    await stage.write('.claude/settings.json', JSON.stringify({ permissions: { deny } }));
    const session = await stage.open();
    expect(session.warnings.filter((line) => line.startsWith('agent files: 15 skipped'))).toHaveLength(1);
  });
});

describe('the program', () => {
  async function plantAll(): Promise<Stage> {
    const stage = await setStage([{ reply: 'ok' }]);
    const { 'a pipe': pipe, 'a link to /proc': proc, 'a link to a device that never ends': device } = THINGS;
    for (const place of [
      'CLAUDE.md',
      'CLAUDE.local.md',
      '.claude/settings.json',
      '.git/HEAD',
      '.mcp.json',
      '.gitignore',
    ]) {
      await put(stage, place, pipe as Thing);
    }
    await put(stage, '.claude/settings.local.json', device as Thing);
    await put(stage, '.claude/rules', proc as Thing);
    await put(stage, '.claude/agents/x.md', pipe as Thing);
    return stage;
  }

  it('GT-32 starts, tells each on a line, and answers; so do its other commands', async () => {
    const stage = await plantAll();
    const { code, stdout, stderr } = await runProgram(['-p', 'hi'], stage.at);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
    for (const name of [
      'CLAUDE.md',
      'CLAUDE.local.md',
      'settings.json',
      'settings.local.json',
      'HEAD',
      'rules',
      'x.md',
    ]) {
      expect(
        stderr.split('\n').filter((line) => line.includes(`/${name}`)),
        name,
      ).toHaveLength(1);
    }
    for (const args of [['config'], ['agents'], ['doctor'], ['permissions', 'test', 'git status']]) {
      expect((await runProgram(args, stage.at)).signal, args.join(' ')).toBeNull();
    }
    const plain = await runProgram(['--plain'], { ...stage.at, input: 'n\nhi\n/exit\n' });
    expect(plain.stdout).toContain('ok');
  });

  it('GT-32 can be interrupted while it starts', async () => {
    const stage = await plantAll();
    const program = startProgram(['-p', 'hi'], stage.at);
    program.child.kill('SIGINT');
    const end = await program.ended;
    expect(end.signal === 'SIGINT' || end.code === 130, JSON.stringify(end)).toBe(true);
  });
});
