/** A project nobody trusts may hold anything where a file of ours is expected: the start skips it (GT-32). */

import { linkSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openAnd, put, THINGS } from '../../../story/gate/hostile/hostile-trees-stage.js';
import { buildProgram } from '../../../support/program.js';
import { scratchFolder } from '../../../support/scratch.js';
import { type Stage, setStage } from '../../../support/story.js';

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

beforeAll(buildProgram);

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

async function runOpen(stage: Stage, path: string): Promise<{ code: string; stderr: string }> {
  try {
    const session = await stage.open({ trust: true });
    return { code: 'opened', stderr: session.warnings.filter((line) => line.includes(path)).join('\n') };
  } catch (error) {
    return { code: 'error', stderr: String(error) };
  }
}
