/** What the tests of checkpoint-keeper.test.ts share with those of test:long. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { readState } from '../../../src/session/state/read-state.js';
import { scratchFolder } from '../../support/scratch.js';
import { LiveModel, type Step } from '../../unit/session/live-model.js';
import { linesOf } from '../../unit/session/sample-events.js';
import { factsOf } from '../../unit/session/state-facts.js';

export const TURN: Step = { kind: 'turn', calls: [], thinks: true, words: 'ok' };

export const STEPS: Step[] = Array.from({ length: 30 }, () => [TURN, { kind: 'compact' }, TURN] as Step[]).flat();

export const EVENTS = new LiveModel(STEPS).events;

export const COMPACTED = EVENTS.flatMap(({ kind }, index) => (kind === 'history-compacted' ? [index + 1] : []));

export async function setStage() {
  const folder = await scratchFolder();
  const transcript = join(folder, 's.jsonl');
  await writeFile(transcript, Buffer.concat(linesOf(EVENTS)));
  const place = { path: join(folder, 's', 'checkpoint'), version: '1' };
  return { folder, transcript, place, host: nodeHost(folder) };
}

export async function stateOf({ files }: Host, transcript: string, options = {}) {
  const read = await readState(files, transcript, options);
  return read.kind === 'read' ? { folded: read.folded, facts: factsOf(read.state) } : expect.fail(read.kind);
}
