/** Whatever is in the folders: taking never loses a byte of mine, and going back gives it back (ME-5). */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MemoryDone } from '../../../../src/context/memory/snapshots/memory-lock.js';
import { mergeMemory } from '../../../../src/context/memory/snapshots/merge-memory.js';
import { publishMemory } from '../../../../src/context/memory/snapshots/publish-memory.js';
import { listBackups, rollBackMemory } from '../../../../src/context/memory/snapshots/roll-back-memory.js';
import { takeMemory } from '../../../../src/context/memory/snapshots/take-memory.js';
import fc from '../../../support/fast-check.js';
import {
  type MemoryStage,
  memoryStage,
  replaceAll,
  snapshotJson,
  syncedJson,
  treeOf,
} from '../../../unit/context/memory/snapshots/memory-stage.js';

const RUNS = process.env.KILLS === 'all' ? 500 : 25;

const name = fc
  .oneof(
    fc.constantFrom(
      'MEMORY.md',
      'a.md',
      'A.MD',
      'b.md',
      ' .md',
      '-rf.md',
      '.md',
      '.hidden.md',
      'snapshot.json',
      'plan.json',
    ),
    fc.constantFrom(
      'notes.txt',
      'next',
      'folder',
      'base',
      '..md',
      'a\nb.md',
      '日本語.md',
      'é.md',
      'é.md',
      '"q".md',
      '\x1b[31m.md',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  )
  .filter(
    (text) =>
      !/[/\0]/.test(text) &&
      text !== '.' &&
      text !== '..' &&
      Buffer.byteLength(text) < 200 &&
      text !== '.snapshot-synced.json',
  );
const content = fc.oneof(
  fc.constantFrom('', '\n', 'no end', 'crlf\r\n', '\ufefftext\n', '<<<<<<< HEAD\n').map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ maxLength: 40 }).map((text) => Buffer.from(text)),
);
const path = fc.oneof(
  { weight: 3, arbitrary: name },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('sub', 'd.md', 'x y'), name).map((parts) => parts.join('/')) },
);
/** No name is a file and a folder at once. */
const tree = fc.dictionary(path, content, { maxKeys: 8 }).map((files) => {
  const folders = new Set(Object.keys(files).flatMap((file) => (file.includes('/') ? [file.split('/')[0]] : [])));
  return Object.fromEntries(Object.entries(files).filter(([file]) => !folders.has(file)));
});

describe('ME-5: nothing of mine is ever lost', () => {
  it('ME-5 property: take, and back', async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, async (mine, team) => {
        const stage = await stageOf(mine, team);
        const before = treeOf(stage.mine);
        const done = await takeMemory(stage.host, stage.place);
        expect(done).toMatchObject({ ok: true });
        // What is not a text is there as before, the texts are the snapshot's, and the backup has all there was.
        expect(textsIn(stage.mine)).toEqual(textsIn(stage.team));
        expect(restOf(treeOf(stage.mine), textsIn(stage.team))).toEqual(restOf(before, textsIn(stage.team)));
        await checkBackup(stage, done, before);
        if (!done.ok || done.backup === undefined) return;
        expect(await rollBackMemory(stage.host, stage.place, {})).toMatchObject({ ok: true });
        expect(withoutStamp(treeOf(stage.mine))).toEqual(withoutStamp(before));
      }),
      { numRuns: RUNS },
    );
  });

  it('ME-5 property: whatever is done, one thing after another, every state there was is kept', async () => {
    const step = fc.record({
      what: fc.constantFrom('take', 'merge', 'publish', 'rollBack', 'write', 'team'),
      files: tree,
    });
    await fc.assert(
      fc.asyncProperty(tree, tree, fc.array(step, { minLength: 1, maxLength: 5 }), async (mine, team, steps) => {
        const stage = await stageOf(mine, team);
        const { host, place } = stage;
        for (const [index, { what, files }] of steps.entries()) {
          const before = treeOf(stage.mine);
          if (what === 'team')
            replaceAll(stage.team, { ...files, 'snapshot.json': snapshotJson(`2026-11-0${index + 3}T00:00:00Z`) });
          if (what === 'write') replaceAll(stage.mine, files);
          if (what === 'take') await checkBackup(stage, await takeMemory(host, place), before);
          if (what === 'merge') await checkBackup(stage, await mergeMemory(host, place), before);
          if (what === 'rollBack') await checkBackup(stage, await rollBackMemory(host, place, {}), before);
          if (what === 'publish') {
            await publishMemory(host, place, { force: true });
            expect(withoutStamp(treeOf(stage.mine))).toEqual(withoutStamp(before));
          }
        }
        const names = (await listBackups(host, place)).map((backup) => backup.name);
        expect(names).toEqual([...names].sort().reverse());
      }),
      { numRuns: RUNS },
    );
  });
});

function stageOf(mine: Record<string, Buffer>, team: Record<string, Buffer>): Promise<MemoryStage> {
  const stamps = { mine: syncedJson('2026-11-01T00:00:00Z'), team: snapshotJson('2026-11-02T00:00:00Z') };
  return memoryStage({ ...mine, '.snapshot-synced.json': stamps.mine }, { ...team, 'snapshot.json': stamps.team });
}

/** Where something changed, it is in the backup as it was; otherwise it is in its place. */
async function checkBackup(
  { mine, beside }: MemoryStage,
  done: MemoryDone,
  before: Record<string, string> | undefined,
) {
  if (done.ok && done.backup !== undefined) expect(treeOf(join(beside, 'backups', done.backup))).toEqual(before);
  else expect(withoutStamp(treeOf(mine))).toEqual(withoutStamp(before));
}

function textsIn(folder: string): Record<string, string> {
  const all = Object.entries(treeOf(folder) ?? {});
  return Object.fromEntries(all.filter(([file]) => /^[^/]*\.md$/is.test(file)));
}

/** Without texts and the stamp, and without folders whose name is a text's now. */
function restOf(all: Record<string, string> | undefined, texts: Record<string, string>) {
  const isRest = (file: string) => !/^[^/]*\.md$/is.test(file) && texts[file.split('/')[0] ?? ''] === undefined;
  return withoutStamp(Object.fromEntries(Object.entries(all ?? {}).filter(([file]) => isRest(file))));
}

function withoutStamp(all: Record<string, string> | undefined): Record<string, string> {
  const { '.snapshot-synced.json': _, ...rest } = all ?? {};
  return rest;
}
