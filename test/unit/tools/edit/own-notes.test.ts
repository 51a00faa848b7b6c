/** Tools that touch an agent's notes: after what they start with is there, one at a time, with modes of their own. */

import { existsSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { writeTool } from '../../../../src/tools/edit/write.js';
import { readTool } from '../../../../src/tools/read/read.js';
import type { OwnMemory } from '../../../../src/tools/tool.js';
import { gate } from '../../../support/gate.js';
import { type Bench, makeBench } from '../tool-bench.js';

function memoryIn(bench: Bench, more: Partial<OwnMemory> = {}): OwnMemory {
  return {
    folder: bench.path('notes'),
    isPrivate: true,
    prepared: async () => {},
    inTurn: async (work) => ({ ok: true, value: await work() }),
    ...more,
  };
}

it('ME-10 ME-4: a write and a read of a note wait until what the agent starts with is there; others don’t', async () => {
  const bench = await makeBench();
  const isThere = gate();
  const memory = memoryIn(bench, { prepared: () => isThere.opened });
  const writing = bench.say(writeTool, { file_path: 'notes/new.md', content: 'x\n' }, { memory });
  const reading = bench.say(readTool, { file_path: 'notes/MEMORY.md' }, { memory });
  await bench.call(writeTool, { file_path: 'notes-2.md', content: 'y\n' }, { memory });
  expect(bench.read('notes-2.md')).toBe('y\n');
  expect(existsSync(bench.path('notes'))).toBe(false);
  await bench.write('notes/MEMORY.md', 'of the team\n');
  isThere.open();
  expect(await reading).toContain('of the team');
  expect(await writing).toMatch(/^Created /);
});

it('ME-8: a note is changed in the folder’s turn; where that can’t be had, nothing is written', async () => {
  const bench = await makeBench();
  const turns: string[] = [];
  const memory = memoryIn(bench, {
    inTurn: async (work) => {
      turns.push('begun');
      const value = await work();
      turns.push(existsSync(bench.path('notes/a.md')) ? 'written' : 'not written');
      return { ok: true, value };
    },
  });
  await bench.call(writeTool, { file_path: 'notes/a.md', content: 'x\n' }, { memory });
  await bench.call(writeTool, { file_path: 'b.md', content: 'x\n' }, { memory });
  expect(turns).toEqual(['begun', 'written']);
  expect(statSync(bench.path('notes/a.md')).mode & 0o777).toBe(0o600);
  expect(statSync(bench.path('notes')).mode & 0o777).toBe(0o700);
  const held = memoryIn(bench, { inTurn: async () => ({ ok: false, reason: 'held by process 7' }) });
  expect(await bench.say(writeTool, { file_path: 'notes/c.md', content: 'x\n' }, { memory: held })).toMatch(
    /notes\/c\.md was not changed: held by process 7\. Try again\.$/,
  );
  expect(existsSync(bench.path('notes/c.md'))).toBe(false);
});
