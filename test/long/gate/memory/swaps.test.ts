/** Somebody swaps the folders of the notes, or a note, for a link while they are used (ME-3, GT-28). */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMemory } from '../../../../src/context/memory/find-memory.js';
import { readMemory } from '../../../../src/context/memory/read-memory.js';
import { FilesRead } from '../../../../src/tools/files-read.js';
import type { Tool } from '../../../../src/tools/tool.js';
import { swappingHost } from '../../../support/hosts/swapping-host.js';
import {
  CANARY,
  edit,
  type MemoryBench,
  makeMemoryBench,
  outsideOf,
  put,
  read,
  write,
} from '../../../unit/gate/memory/memory-bench.js';

const SWAPS = 1_200;

/** What is swapped, and what takes its place: outside, with the same names below it. */
const LEVELS = [
  ['the note', 'MEMORY.md'],
  ['the folder', '.'],
  ['agent-memory-local', '..'],
  ['.claude', '../..'],
] as const;

type Swapped = {
  readonly bench: MemoryBench;
  readonly path: string;
  readonly target: string;
  swap(): Promise<void>;
  /** As it was in the beginning. */
  restore(): Promise<void>;
};

async function stage(level: string): Promise<Swapped> {
  const bench = await makeMemoryBench({ isLocked: false });
  await put(join(bench.memory, 'MEMORY.md'), 'mine\n');
  await put(join(bench.memory, 'topics/a.md'), 'mine\n');
  const twin = join(bench.outside, 'agent-memory-local/mem');
  for (const name of ['MEMORY.md', 'topics/a.md', `${CANARY}.md`]) await put(join(twin, name), `mine ${CANARY}\n`);
  const targets: Readonly<Record<string, string>> = { '.': twin, '..': dirname(twin), '../..': bench.outside };
  const [path, target] = [join(bench.memory, level), targets[level] ?? join(twin, level)];
  return {
    bench,
    path,
    target,
    swap: async () => {
      renameSync(path, `${path}.aside`);
      symlinkSync(target, path);
    },
    restore: async () => {
      if (existsSync(`${path}.aside`)) {
        rmSync(path);
        renameSync(`${path}.aside`, path);
      }
      for (const name of ['new.md', 'x']) rmSync(join(bench.memory, name), { recursive: true, force: true });
      writeFileSync(join(bench.memory, 'MEMORY.md'), 'mine\n');
    },
  };
}

const CALLS: readonly (readonly [string, Tool, object])[] = [
  ['Read', read, { file_path: 'MEMORY.md' }],
  ['Read, a missing note', read, { file_path: `${CANARY.slice(0, -1)}b.md` }],
  ['Write, a known note', write, { file_path: 'MEMORY.md', content: 'new' }],
  ['Write, a new note', write, { file_path: 'new.md', content: 'new' }],
  ['Write, new folders', write, { file_path: 'x/y/new.md', content: 'new' }],
  ['Edit', edit, { file_path: 'MEMORY.md', old_string: 'mine', new_string: 'new' }],
];

describe.each(LEVELS)('%s is swapped for a link to outside', (_what, level) => {
  it.each(CALLS)('ME-3 GT-28: %s does not follow it, at whatever step it appears', async (_name, tool, input) => {
    const { bench, swap, restore } = await stage(level);
    const before = outsideOf({ top: bench.outside, memory: bench.memory });
    for (let step = -1; ; step += 1) {
      await restore();
      const files = new FilesRead();
      await bench.call(read, { file_path: 'MEMORY.md' }, { context: { files } });
      const { host, steps } = swappingHost(bench.host, step, swap);
      const between = step === -1 ? swap : async () => {};
      const said = await bench.call(tool, input, { context: { host, files }, between });
      expect(said.text, `step ${step}`).not.toContain(CANARY);
      expect(outsideOf({ top: bench.outside, memory: bench.memory }), `step ${step}`).toEqual(before);
      if (step >= 0 && steps() <= step) {
        // Left alone, it works.
        expect(said.refused).toBe(_name.includes('missing'));
        return;
      }
    }
  });

  it(`ME-3 GT-28: ${SWAPS} swaps while notes are read, written and changed: nothing lands or is read outside`, async () => {
    const { bench, path, target } = await stage(level);
    const before = outsideOf({ top: bench.outside, memory: bench.memory });
    const swapper = spawn(process.execPath, ['test/fixtures/swap-folder.mjs', path, target, `${SWAPS}`]);
    const ended = once(swapper, 'exit');
    await once(swapper.stdout, 'data');
    let [worked, refused] = [0, 0];
    for (let count = 0; swapper.exitCode === null; count += 1) {
      const [, tool, input] = CALLS[count % CALLS.length] ?? [];
      if (tool === undefined || input === undefined) throw new Error('no call');
      const said = await bench.call(tool, input);
      expect(said.text).not.toContain(CANARY);
      if (said.refused) refused += 1;
      else worked += 1;
      const { files } = bench.host;
      expect(JSON.stringify(await readMemory(files, bench.memory))).not.toContain(CANARY);
    }
    expect((await ended)[0]).toBe(0);
    expect(outsideOf({ top: bench.outside, memory: bench.memory })).toEqual(before);
    // Both were met.
    expect(worked).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    const left = readdirSync(bench.top, { recursive: true, encoding: 'utf8' });
    expect(left.filter((name) => basename(name).endsWith('coppice-tmp'))).toEqual([]);
  });

  it('ME-3 GT-28: what an agent is given at its start is not from there, at whatever step it appears', async () => {
    const { bench, swap, restore } = await stage(level);
    for (let step = 0; ; step += 1) {
      await restore();
      const { host, steps } = swappingHost(bench.host, step, swap);
      const root = bench.agent.folder;
      const found = await findMemory(host, { scope: 'local', type: 'mem', known: [], root });
      const text = found.ok ? await readMemory(host.files, found.place.folder) : found.reason;
      expect(JSON.stringify(text), `step ${step}`).not.toContain(CANARY);
      if (steps() <= step) {
        expect(text).toMatchObject({ kind: 'read', text: 'mine\n' });
        return;
      }
    }
  });
});

it('ME-3: a note that becomes another name of a file elsewhere is not read or written, at whatever step', async () => {
  for (const [, tool, input] of CALLS.filter(([name]) => !/missing|new/.test(name))) {
    for (let step = 0; ; step += 1) {
      const { bench, path, target } = await stage('MEMORY.md');
      const files = new FilesRead();
      await bench.call(read, { file_path: 'MEMORY.md' }, { context: { files } });
      const { host, steps } = swappingHost(bench.host, step, async () => {
        rmSync(path);
        linkSync(target, path);
      });
      const said = await bench.call(tool, input, { context: { host, files } });
      expect(said.text, `step ${step}`).not.toContain(CANARY);
      expect(await bench.host.files.read(target).then(String)).toBe(`mine ${CANARY}\n`);
      const found = await readMemory(swappingHost(bench.host, step, async () => {}).host.files, bench.memory);
      if (steps() > step) expect(found).toMatchObject({ kind: 'refused' });
      else break;
    }
  }
});
