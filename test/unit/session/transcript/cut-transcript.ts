/** Transcripts cut off at many bytes: what is read back is what was whole before the cut (DU-21). */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { DurableEvent } from '../../../../src/protocol/events.js';
import { repairHistory } from '../../../../src/session/repair/repair-history.js';
import { createState } from '../../../../src/session/state/agent-state.js';
import { readState, type StateRead } from '../../../../src/session/state/read-state.js';
import { repairTail } from '../../../../src/session/transcript/read-transcript.js';
import { Transcript } from '../../../../src/session/transcript/transcript.js';
import { withoutSync } from '../../../support/hosts/faulty-host.js';
import { scratchFolder } from '../../../support/scratch.js';
import { holding } from '../in-memory-file.js';
import { LiveModel, type Step } from '../live-model.js';
import { linesOf, nextMessages, problemOf, show } from '../sample-events.js';
import { factsOf, type StateFacts } from '../state-facts.js';

const real = withoutSync(nodeHost('/'));
const call = (effects: boolean, order: number) => ({ effects, order, input: '{ "10":1,"2":"é😀" }' });
const STEPS: readonly Step[] = [
  { kind: 'turn', calls: [call(true, 1), call(false, 0)], thinks: true, words: 'zwei' },
  { kind: 'prompt', words: 'and \u2028 then' },
  { kind: 'turn', calls: [], thinks: true, words: 'done' },
  { kind: 'end' },
  { kind: 'notice', run: 1 },
  { kind: 'compact' },
  { kind: 'turn', calls: [call(true, 0), call(true, 1), call(false, 2)], thinks: true, words: '' },
  { kind: 'interrupted', words: 'I was' },
  { kind: 'prompt', words: 'go on' },
  { kind: 'rewind', to: 1 },
  { kind: 'turn', calls: [], thinks: false, words: 'so be it' },
];

const EMPTY: StateFacts = factsOf(createState());

function found(read: StateRead) {
  if (read.kind !== 'read') throw new Error(read.kind);
  return read;
}

/** In memory: between records, and at every `stride`th byte. */
export async function expectCutsRead(stride: number): Promise<void> {
  const live = new LiveModel(STEPS);
  const lines = linesOf(live.events);
  const whole = Buffer.concat(lines);
  let records = 0;
  let end = 0;
  for (let cut = 0; cut <= whole.length; cut += 1) {
    while (records < lines.length && end + (lines[records]?.length ?? 0) <= cut) end += lines[records++]?.length ?? 0;
    if (cut % stride !== 0 && cut !== end) continue;
    const read = found(await readState(holding(whole.subarray(0, cut)), '/s.jsonl'));
    const { state, damage } = read;
    expect(read.records).toBe(records);
    expect(damage).toMatchObject({ lines: 0, tailBytes: cut - end });
    expect(factsOf(state), `cut at ${cut}`).toEqual(live.snapshots[records - 1] ?? EMPTY);
    // Between two whole records the state is the same: the request is checked once.
    if (cut === end) expect(problemOf(nextMessages(state), state.accepted), `cut at ${cut}`).toBeUndefined();
  }
  expect(records).toBe(live.events.length);
}

/** On disk, in the last three records: at their borders, and at every `stride`th byte. */
export async function expectCutsRepaired(stride: number): Promise<void> {
  const folder = await scratchFolder();
  const live = new LiveModel(STEPS.slice(0, 7));
  const lines = linesOf(live.events.slice(0, -1));
  const whole = Buffer.concat(lines);
  const from = whole.length - Buffer.concat(lines.slice(-3)).length;
  // Each costs a dozen file calls: those at the borders, and some between.
  const borders = lines
    .slice(-3)
    .map((_, index) => whole.length - Buffer.concat(lines.slice(lines.length - 1 - index)).length);
  const near = [...borders, whole.length].flatMap((at) => [at - 1, at, at + 1]);
  for (let cut = from; cut <= whole.length; cut += 1) {
    if ((cut - from) % stride !== 0 && !near.includes(cut)) continue;
    const path = join(folder, String(cut), 's.jsonl');
    await mkdir(join(path, '..'));
    await writeFile(path, whole.subarray(0, cut));
    const tail = await repairTail(real, path);
    const read = found(await readState(real.files, path));
    const { state, damage } = read;
    expect(damage).toEqual({ lines: 0, tailBytes: 0, told: [] });
    const aside = tail.ok && tail.setAside ? await readFile(tail.setAside.path) : Buffer.alloc(0);
    expect(Buffer.concat([await readFile(path), aside])).toEqual(whole.subarray(0, cut));
    const repaired = repairHistory(state);
    const expected = nextMessages(state, repaired);
    expect(problemOf(expected, state.accepted)).toBeUndefined();

    const end = read.end ? { end: read.end } : {};
    const transcript = await Transcript.open({ host: real, path, ...end, onSuspect: () => {} });
    const seqs: number[] = [];
    const emit = (event: DurableEvent) => transcript.append(event, transcript.end.seq + 1);
    for (const edit of repaired.edits) await emit(edit);
    for (const one of repaired.closed) {
      if (one.kind === 'made') seqs.push(await emit(one.event));
      if (one.kind === 'recorded') seqs.push(one.seq);
    }
    seqs.push(...state.pending.map((input) => input.seq));
    if (seqs.length > 0) await emit({ kind: 'message-joined', from: seqs });
    await transcript.close();
    const again = found(await readState(real.files, path)).state;
    expect(show(again.history)).toEqual(show(expected).slice(0, again.history.length));
    expect(repairHistory(again)).toMatchObject({ edits: [], closed: [], repairs: [] });
    expect(again.pending).toEqual([]);
  }
}
