import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCheckpoint } from '../../../src/session/checkpoint/checkpoint.js';
import { CheckpointWriter } from '../../../src/session/checkpoint/checkpoint-writer.js';
import { COMPACTED, EVENTS, setStage, stateOf } from './checkpoint-keeper-stage.js';

it('DU-10: is written after a compaction, each from the one before; a short transcript gets none', async () => {
  const { transcript, place, host } = await setStage();
  const short = new CheckpointWriter({ host, transcript, place });
  short.compacted(COMPACTED[0] ?? 0);
  await short.idle();
  expect(await readCheckpoint(host.files, transcript, place)).toBeUndefined();
  const keeper = new CheckpointWriter({ host, transcript, place, worthBytes: 0 });
  for (const seq of COMPACTED.slice(0, 5)) {
    keeper.compacted(seq);
    await keeper.idle();
    expect((await readCheckpoint(host.files, transcript, place))?.last.seq).toBe(seq);
  }
  expect((await stat(place.path)).mode & 0o777).toBe(0o600);
  // Of several compactions that come while it works, the last one is used.
  for (const seq of COMPACTED) keeper.compacted(seq);
  await keeper.idle();
  expect((await readCheckpoint(host.files, transcript, place))?.last.seq).toBe(COMPACTED.at(-1));
  await keeper.close();
  const { facts } = await stateOf(host, transcript);
  expect((await stateOf(host, transcript, { checkpoint: place })).facts).toEqual(facts);
});

it('DU-10: a record that is not there, a file that can’t be read or written: no checkpoint, and no harm', async () => {
  const { folder, transcript, place, host } = await setStage();
  for (const keeper of [
    new CheckpointWriter({ host, transcript: join(folder, 'none.jsonl'), place, worthBytes: 0 }),
    new CheckpointWriter({ host, transcript, place: { ...place, path: join(transcript, 'x') }, worthBytes: 0 }),
  ]) {
    keeper.compacted(COMPACTED[0] ?? 0);
    await keeper.close();
  }
  const keeper = new CheckpointWriter({ host, transcript, place, worthBytes: 0 });
  keeper.compacted(EVENTS.length + 7);
  await keeper.idle();
  keeper.compacted(COMPACTED[0] ?? 0);
  await keeper.close();
  expect(await readdir(folder)).toEqual(['s.jsonl']);
});
