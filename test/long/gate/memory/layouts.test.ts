/** Generated folders full of links, and generated ways into them: an agent's notes are all it can read or write (ME-3). */

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import fc from '../../../support/fast-check.js';
import {
  CANARY,
  edit,
  type MemoryBench,
  makeMemoryBench,
  outsideOf,
  put,
  read,
  tries,
  write,
} from '../../../unit/gate/memory/memory-bench.js';

const NAMES = ['a', 'b', 'A', 'MEMORY.md', 'a.md', 'b.md', 'B.md', 'é.md', 'e\u0301.md', 'x y.md', 'mem', 'mem-evil'];
const name = fc.constantFrom(...NAMES);
const inside = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

/** What is put at a path in the notes. Targets are made when the folders are known. */
type Piece = { readonly at: string; readonly kind: string; readonly to: string };
const piece: fc.Arbitrary<Piece> = fc.record({
  at: inside,
  kind: fc.constantFrom('folder', 'note', 'link', 'link', 'link', 'hard', 'pipe'),
  to: fc.oneof(
    inside,
    inside.map((path) => `MEMORY/${path}`),
    inside.map((path) => `./${path}`),
    fc.constantFrom('OUTSIDE', 'OUTSIDE/secret.md', 'OUTSIDE/missing.md', 'OUTSIDE/new/deep', 'EVIL', 'EVIL/x.md'),
    fc.constantFrom('..', '../..', '../mem-evil/x.md', '../../../a.md', '/', '/proc/self/cwd', '/proc/self/root', '.'),
    fc.constantFrom('MEMORY', 'MEMORY/../mem-evil', 'OUTSIDE/../outside', 'HOME/.ssh/id_rsa', '/dev/zero', ''),
  ),
});

/** What an agent may give. */
const step = fc.oneof(
  { weight: 4, arbitrary: name },
  fc.constantFrom(
    '..',
    '.',
    '',
    'secret.md',
    'id_rsa',
    'missing.md',
    'x.md',
    'passwd',
    'a.md.',
    'a.md ',
    'ａ.md',
    'A.MD',
  ),
);
const given = fc
  .tuple(
    fc.constantFrom('', '', '', 'MEMORY/', 'MEMORY//', 'OUTSIDE/', 'EVIL/', '~/', '/', './', '../', 'MEMORY-evil/'),
    fc.array(step, { minLength: 1, maxLength: 5 }),
    fc.constantFrom('', '', '', '/', '//', '/.', '.', '/..', '\0', '.md'),
  )
  .map(([start, steps, end]) => `${start}${steps.join('/')}${end}`);

function build({ memory, outside, top }: MemoryBench, pieces: readonly Piece[]): void {
  for (const { at, kind, to } of pieces) {
    const path = join(memory, at);
    try {
      mkdirSync(dirname(path), { recursive: true });
      // What is built must not go through a link: the outside stays as it is.
      if (realpathSync(dirname(path)) !== dirname(path)) continue;
      if (kind === 'folder') mkdirSync(path);
      else if (kind === 'note') writeFileSync(path, `note ${at}\n`, { flag: 'wx' });
      else if (kind === 'pipe') execFileSync('mkfifo', [path], { stdio: 'ignore' });
      else if (kind === 'hard') linkSync(join(outside, 'secret.md'), path);
      else symlinkSync(placed(to, { memory, outside, top }), path);
    } catch {
      // Something is there already, or on the way.
    }
  }
}

function placed(path: string, { memory, outside, top }: Pick<MemoryBench, 'memory' | 'outside' | 'top'>): string {
  return path
    .replace('MEMORY/', `${memory}/`)
    .replace(/^MEMORY(?=$|-)/, memory)
    .replace('OUTSIDE', outside)
    .replace('EVIL', `${memory}-evil`)
    .replace('HOME', join(top, 'home'));
}

/** How a piece itself is tried: as it is, and as a folder with something in it. */
const ENDS = ['', '/secret.md', '/new.md'];

describe('ME-3: whatever is in the folder, and however it is named', () => {
  it('ME-3: nothing outside is read or written, and what is plainly inside works', async () => {
    const bench = await makeMemoryBench({ isLocked: false });
    let worked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 8 }),
        fc.array(given, { minLength: 1, maxLength: 5 }),
        async (pieces, paths) => {
          rmSync(bench.memory, { recursive: true, force: true });
          mkdirSync(bench.memory, { recursive: true });
          build(bench, pieces);
          const before = outsideOf(bench);
          const ways = [...paths, ...pieces.map(({ at, to }) => `${at}${ENDS[to.length % ENDS.length]}`)];
          for (const path of ways.map((way) => placed(way, bench))) {
            for (const [tool, input] of tries(path)) {
              const said = await bench.call(tool, input);
              expect(said.text, `${tool.name} ${path}`).not.toContain(CANARY);
              if (!said.refused) worked += 1;
            }
          }
          expect(outsideOf(bench)).toEqual(before);
          // Not by refusing everything.
          const note = `plain-${worked}.md`;
          expect(await bench.call(write, { file_path: note, content: 'one' })).toMatchObject({ refused: false });
          const deep = join(bench.memory, 'new folder', note);
          expect(await bench.call(write, { file_path: deep, content: 'one' })).toMatchObject({ refused: false });
          const change = { file_path: deep, old_string: 'one', new_string: 'two' };
          expect(await bench.call(edit, change)).toMatchObject({ refused: false });
          expect((await bench.call(read, { file_path: deep })).text).toContain('two');
          expect(readFileSync(deep, 'utf8')).toBe('two');
        },
      ),
      { numRuns: 60 },
    );
    expect(worked).toBeGreaterThan(50);
  });

  it('ME-3: names of what is outside are not told either', async () => {
    const bench = await makeMemoryBench();
    await put(join(bench.outside, 'note-canary.md'), 'x');
    symlinkSync(bench.outside, join(bench.memory, 'link'));
    for (const path of ['link/note-canary.mc', 'link/../../mem-evil/x.mc', '../mem-evil/x.mc'])
      expect((await bench.call(read, { file_path: path })).text).not.toMatch(/note-canary\.md|x\.md/);
  });
});
