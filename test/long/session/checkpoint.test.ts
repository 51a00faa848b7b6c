/** A checkpoint: reading with it equals reading everything, or it is not used. */

import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import {
  allOf,
  checkpointAfter,
  damage,
  holding,
  PLACE,
  read,
  TRANSCRIPT,
} from '../../unit/session/checkpoint/checkpoint-stage.js';
import { LiveModel } from '../../unit/session/live-model.js';
import { steps } from '../../unit/session/live-steps.js';
import { linesOf, show } from '../../unit/session/sample-events.js';

describe('the state read through a checkpoint', () => {
  it('DU-10: is the state read whole, with compactions, rewinds and repairs before and after it', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, fc.nat(), async (before, after, at) => {
        const lines = linesOf(new LiveModel([...before, { kind: 'compact' }, ...after]).events);
        const content = { [TRANSCRIPT]: Buffer.concat(lines) };
        const whole = await read(holding(content));
        const seq = 1 + (at % lines.length);
        const checkpoint = (await checkpointAfter(content, seq)) ?? expect.fail('no checkpoint');
        const through = await read(holding({ ...content, [PLACE.path]: checkpoint }), { checkpoint: PLACE });
        expect(allOf(through)).toEqual(allOf(whole));
        expect(show(through.state.history)).toEqual(show(whole.state.history));
        const skipped = Buffer.concat(lines.slice(0, seq)).length;
        expect(through.folded).toBe(whole.folded - skipped);
        // A second checkpoint would be the same as well: one is made from the other.
        expect(through.point && allOf({ ...through, ...through.point })).toEqual(
          whole.point && allOf({ ...whole, ...whole.point }),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('DU-10, DU-11: also with lost, damaged, repeated and rewritten records, and with segments', async () => {
    const fault = fc.record({
      kind: fc.constantFrom('lost', 'damaged', 'repeated', 'rewritten', 'unknown'),
      at: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fault, { maxLength: 4 }),
        fc.nat(),
        fc.nat(),
        fc.nat(),
        async (made, faults, at, cut, back) => {
          const lines = linesOf(new LiveModel(made).events);
          const kept = damage(lines, faults);
          const middle = cut % (kept.length + 1);
          const content = {
            [TRANSCRIPT]: Buffer.concat(kept.slice(0, middle)),
            // A segment starts with the unsynced records of the one before.
            '/s.1.jsonl': Buffer.concat(kept.slice(Math.max(0, middle - (back % 4)))),
          };
          const checkpoint = await checkpointAfter(content, 1 + (at % lines.length));
          if (checkpoint === undefined) return;
          const whole = await read(holding(content));
          const through = await read(holding({ ...content, [PLACE.path]: checkpoint }), { checkpoint: PLACE });
          expect(allOf(through)).toEqual(allOf(whole));
        },
      ),
      { numRuns: 250 },
    );
  });
});
