/** Writing the checkpoint to disk: after a compaction, in the background, and killed at any moment. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { readCheckpoint } from '../../../../src/session/checkpoint/checkpoint.js';
import { CheckpointWriter } from '../../../../src/session/checkpoint/checkpoint-writer.js';
import { readState } from '../../../../src/session/state/read-state.js';
import { bundle } from '../../../support/bundle.js';
import { scratchFolder } from '../../../support/scratch.js';
import { until } from '../../../support/until.js';
import { LiveModel, type Step } from '../live-model.js';
import { linesOf } from '../sample-events.js';
import { factsOf } from '../state-facts.js';

const TURN: Step = { kind: 'turn', calls: [], thinks: true, words: 'ok' };
const STEPS: Step[] = Array.from({ length: 30 }, () => [TURN, { kind: 'compact' }, TURN] as Step[]).flat();
const EVENTS = new LiveModel(STEPS).events;
const COMPACTED = EVENTS.flatMap(({ kind }, index) => (kind === 'history-compacted' ? [index + 1] : []));

async function setStage() {
  const folder = await scratchFolder();
  const transcript = join(folder, 's.jsonl');
  await writeFile(transcript, Buffer.concat(linesOf(EVENTS)));
  const place = { path: join(folder, 's', 'checkpoint'), version: '1' };
  return { folder, transcript, place, host: nodeHost(folder) };
}

async function stateOf({ files }: Host, transcript: string, options = {}) {
  const read = await readState(files, transcript, options);
  return read.kind === 'read' ? { folded: read.folded, facts: factsOf(read.state) } : expect.fail(read.kind);
}

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

it('DU-10, DU-22: killed while it is written, there is the one before, or the new one, or none: never a wrong one', async () => {
  const { folder, transcript, place, host } = await setStage();
  const program = await bundle(new URL('./keep-program.ts', import.meta.url), folder);
  const { facts } = await stateOf(host, transcript);
  const seen = new Set<number | undefined>();
  for (let round = 0; round < 8; round += 1) {
    const args = [program, transcript, place.path, ...COMPACTED.map(String)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let lines = 0;
    child.stdout.on('data', (piece: Buffer) => {
      lines += piece.toString('utf8').split('\n').length - 1;
    });
    // Somewhere in the work on the next one.
    await until(() => lines > round);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const found = await readCheckpoint(host.files, transcript, place);
    seen.add(found?.last.seq);
    if (found !== undefined) expect(COMPACTED).toContain(found.last.seq);
    expect((await stateOf(host, transcript, { checkpoint: place })).facts).toEqual(facts);
  }
  expect(seen.size).toBeGreaterThan(1);
});
