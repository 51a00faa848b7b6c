/** Over sessions made up at random: the restored state equals the live one, and the next request is valid. */

import { describe, expect, it } from 'vitest';
import { repairHistory } from '../../../src/session/repair/repair-history.js';
import { type ReadState, readState } from '../../../src/session/state/read-state.js';
import fc from '../../support/fast-check.js';
import { holding } from '../../unit/session/in-memory-file.js';
import { LiveModel } from '../../unit/session/live-model.js';
import { steps } from '../../unit/session/live-steps.js';
import { linesOf, nextMessages, problemOf, show } from '../../unit/session/sample-events.js';
import { factsOf } from '../../unit/session/state-facts.js';

async function readLines(lines: readonly Buffer[]): Promise<ReadState> {
  const read = await readState(holding(Buffer.concat(lines)), '/s.jsonl');
  if (read.kind !== 'read') throw new Error(read.kind);
  return read;
}

describe('reading a session back', () => {
  it('DU-10, failures 10, 48: cut after any record, the state is the one it was live, byte for byte, thinking included', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (made) => {
        const live = new LiveModel(made);
        const lines = linesOf(live.events);
        for (let cut = 1; cut <= lines.length; cut += 1) {
          const { state } = await readLines(lines.slice(0, cut));
          expect(factsOf(state), `after record ${cut}`).toEqual(live.snapshots[cut - 1]);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('DU-12: cut off after any record, the next request is valid and repeats the accepted bytes', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (made, at) => {
        const live = new LiveModel(made);
        const cut = 1 + (at % live.events.length);
        const { state } = await readLines(linesOf(live.events).slice(0, cut));
        const repaired = repairHistory(state);
        expect(repaired.edits).toEqual([]);
        const messages = nextMessages(state, repaired);
        expect(problemOf(messages, state.accepted)).toBeUndefined();
        const accepted = live.snapshots[cut - 1]?.accepted ?? 0;
        expect(show(messages).slice(0, accepted)).toEqual(show(state.history).slice(0, accepted));
        expect(show(messages).slice(0, state.history.length)).toEqual(show(state.history));
      }),
      { numRuns: 300 },
    );
  });

  it('DU-12, failures 29: with any records lost from the middle, the next request is valid, and the repair is made once', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), async (made, lost) => {
        const { events } = new LiveModel(made);
        const gone = new Set(lost.map((index) => index % events.length));
        const left = linesOf(events).filter((_, index) => !gone.has(index));
        const { state } = await readLines(left);
        const repaired = repairHistory(state);
        expect(problemOf(nextMessages(state, repaired))).toBeUndefined();
        const edits = linesOf([...events, ...repaired.edits]).slice(events.length);
        const { state: again } = await readLines([...left, ...edits]);
        expect(show(again.history)).toEqual(show(repaired.messages));
        expect(repairHistory(again).edits).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
