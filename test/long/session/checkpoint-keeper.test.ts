/** Writing the checkpoint to disk: after a compaction, in the background, and killed at any moment. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { readCheckpoint } from '../../../src/session/checkpoint/checkpoint.js';
import { COMPACTED, setStage, stateOf } from '../../program/session/checkpoint-keeper-stage.js';
import { bundle } from '../../support/bundle.js';
import { until } from '../../support/until.js';

it('DU-10, DU-22: killed while it is written, there is the one before, or the new one, or none: never a wrong one', async () => {
  const { folder, transcript, place, host } = await setStage();
  const program = await bundle(new URL('../../program/session/keep-program.ts', import.meta.url), folder);
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
