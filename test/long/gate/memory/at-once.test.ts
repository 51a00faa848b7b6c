/** Several change one note at once, in one process and in several: nothing is lost, and nobody's death stops the others (ME-8). */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Job, keepNotes } from '../../../program/gate/memory/note-keeper.js';
import { bundle } from '../../../support/bundle.js';
import { scratchFolder } from '../../../support/scratch.js';

const TIMES = 12;

type Stage = { readonly home: string; readonly folder: string; readonly note: string };

async function stage(): Promise<Stage> {
  const home = await scratchFolder();
  const folder = join(home, '.claude/agent-memory/r');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'MEMORY.md'), 'start\nend\n');
  return { home, folder, note: join(folder, 'MEMORY.md') };
}

const job = ({ home, folder }: Stage, tag: string, times = TIMES): Job => ({
  home,
  memory: { folder, isPrivate: true },
  append: { note: 'MEMORY.md', tag, times },
});

/** What a process said it wrote, whole lines. */
function start(program: string, one: Job): { child: ChildProcess; said: () => string[]; ended: Promise<unknown[]> } {
  const child = spawn(process.execPath, [program, '--keep', JSON.stringify([one])], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    out += piece;
  });
  child.stderr?.resume();
  return { child, said: () => out.split('\n').slice(0, -1), ended: once(child, 'close') };
}

/** The note, line by line. Always whole: its first and last line are there whenever it is checked. */
function lines(note: string): string[] {
  const text = readFileSync(note, 'utf8');
  expect(text.startsWith('start\n') && text.endsWith('end\n'), JSON.stringify(text)).toBe(true);
  return text.split('\n').slice(1, -2);
}

const all = (tags: readonly string[], times = TIMES) =>
  tags.flatMap((tag) => Array.from({ length: times }, (_, nth) => `${tag} ${nth}`)).sort();

describe('ME-8: one note, several writers', () => {
  it('ME-8: agents of one session: no line is lost', async () => {
    const place = await stage();
    const tags = ['a', 'b', 'c'];
    await Promise.all(tags.map((tag) => keepNotes(job(place, tag), () => void lines(place.note))));
    expect(lines(place.note).sort()).toEqual(all(tags));
    expect(readdirSync(place.folder)).toEqual(['MEMORY.md']);
  });

  it('ME-8: processes: no line is lost, the file is always whole, no lock is left', async () => {
    const place = await stage();
    const program = await bundle(
      new URL('../../../program/gate/memory/note-keeper.ts', import.meta.url),
      await scratchFolder(),
    );
    const tags = ['a', 'b'];
    const started = tags.map((tag) => start(program, job(place, tag)));
    let looked = 0;
    const ends = Promise.all(started.map(({ ended }) => ended));
    let isOver = false;
    void ends.then(() => {
      isOver = true;
    });
    while (!isOver) {
      lines(place.note);
      looked += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await ends).map(([code]) => code)).toEqual([0, 0]);
    expect(looked).toBeGreaterThan(10);
    expect(lines(place.note).sort()).toEqual(all(tags));
    expect(readdirSync(place.folder)).toEqual(['MEMORY.md']);
    expect(readdirSync(join(place.home, '.coppice/locks'))).toEqual([]);
  });

  it('ME-8: one is killed while it has the turn: the next takes it over', async () => {
    const place = await stage();
    const program = await bundle(
      new URL('../../../program/gate/memory/note-keeper.ts', import.meta.url),
      await scratchFolder(),
    );
    const { append: _append, ...holding } = job(place, 'dead');
    const dying = start(program, { ...holding, hold: true });
    while (!dying.said().includes('held'))
      await once(dying.child.stdout as NonNullable<ChildProcess['stdout']>, 'data');
    expect(readdirSync(join(place.home, '.coppice/locks'))).toHaveLength(1);
    dying.child.kill('SIGKILL');
    await keepNotes(job(place, 'alive', 2), () => {});
    expect(lines(place.note)).toEqual(['alive 0', 'alive 1']);
    expect(readdirSync(join(place.home, '.coppice/locks'))).toEqual([]);
  });

  it('ME-8: one is killed in the middle: what it said is there, and the other continues', async () => {
    const place = await stage();
    const program = await bundle(
      new URL('../../../program/gate/memory/note-keeper.ts', import.meta.url),
      await scratchFolder(),
    );
    for (const round of [1, 2]) {
      const tag = `dead${round}`;
      const dying = start(program, job(place, tag, 10_000));
      while (dying.said().length < 3) await once(dying.child.stdout as NonNullable<ChildProcess['stdout']>, 'data');
      dying.child.kill('SIGKILL');
      // At once: its lock may still be there, and it is not yet known to be dead.
      await keepNotes(job(place, `alive${round}`, 4), () => void lines(place.note));
      await dying.ended;
      const there = lines(place.note);
      for (const line of dying.said()) expect(there).toContain(line);
      expect(there.filter((line) => line.startsWith('alive'))).toHaveLength(4 * round);
      // Written in order, each once, whole.
      const own = there.filter((line) => line.startsWith(`${tag} `));
      expect(own).toEqual(own.map((_, nth) => `${tag} ${nth}`));
    }
  });
});
