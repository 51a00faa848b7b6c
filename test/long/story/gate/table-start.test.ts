/** Trees that once wedged or crashed the start: the program starts before trust, says what it skipped, and ends (GT-32). */

import { execFileSync } from 'node:child_process';
import { linkSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { script } from '../../../story/agents/agents-script.js';
import { buildProgram, runProgram } from '../../../support/program.js';
import type { Stage } from '../../../support/story.js';
import { setStage } from '../../../support/story.js';

type Plant = (stage: Stage, path: string) => Promise<void>;

const fifo: Plant = async (_stage, path) => void execFileSync('mkfifo', [path]);

const proc: Plant = (_stage, path) => symlink('/proc', path);

const device: Plant = (_stage, path) => symlink('/dev/zero', path);

const terminal: Plant = (_stage, path) => symlink('/dev/tty', path);

const system: Plant = (_stage, path) => symlink('/usr', path);

const socket: Plant = async (_stage, path) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
};

const crowd: Plant = async (_stage, path) => {
  await mkdir(path);
  // Links to two files: making them takes a second, new files take many. A file has at most 65,000.
  for (const first of ['a.md', 'b.md']) {
    await writeFile(join(path, first), 'x\n');
    for (let n = 1; n < 50_000; n += 1) linkSync(join(path, first), join(path, `${n}-${first}`));
  }
};

const TREES: readonly (readonly [what: string, name: string, plant: Plant])[] = [
  ['a FIFO', '.git/HEAD', fifo],
  ['a FIFO', '.git/config', fifo],
  ['a FIFO', '.git', fifo],
  ['a FIFO', 'CLAUDE.md', fifo],
  ['a FIFO', 'AGENTS.md', fifo],
  ['a FIFO', '.claude/settings.json', fifo],
  ['a FIFO', '.claude/settings.local.json', fifo],
  ['a FIFO', '.claude/agents/helper.md', fifo],
  ['a FIFO', '.claude/rules/one.md', fifo],
  ['a FIFO', '.mcp.json', fifo],
  ['an endless device', 'CLAUDE.md', device],
  ['an endless device', '.claude/settings.json', device],
  ['a terminal', '.claude/settings.json', terminal],
  ['a socket', '.claude/settings.json', socket],
  ['a socket', '.git/HEAD', socket],
  ['a link to /proc', '.claude/rules', proc],
  ['a link to /usr', '.claude/rules', system],
  ['a link to /proc', '.claude/agents', proc],
  ['a link to /usr', '.claude/agents', system],
  ['a link to /proc', '.claude', proc],
  ['a link to /usr', '.claude/settings.json', system],
  ['a folder of 100,000 entries', '.claude/agents', crowd],
  ['a folder of 100,000 entries', '.claude/rules', crowd],
];

beforeAll(buildProgram);

describe('a hostile tree at the start', () => {
  it.each(TREES)('GT-32: %s as %s', async (_what, name, plant) => {
    const stage = await setStage();
    await stage.write('file.txt', 'x\n');
    const path = join(stage.folder, name);
    await mkdir(dirname(path), { recursive: true });
    await rm(path, { recursive: true, force: true });
    await plant(stage, path);
    await writeFile(join(stage.folder, 'other.txt'), 'x\n');
    stage.sim.use(script({ main: ['It is a repository.'] }));
    const end = await runProgram(['-p', 'MAIN look', '--output-format', 'json'], stage.at);
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).toContain('It is a repository.');
    expect(end.stderr).not.toMatch(/RangeError|heap|Maximum call stack|EISDIR/);
  });
});
