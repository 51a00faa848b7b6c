import { describe, it } from 'vitest';
import type { SimRequest } from '../../../../src/sim/index.js';

import { AS_BEFORE, messagesIn, placeOldSession } from '../../../story/durability/old/old-session.js';
import { expectAsBefore, expectNothingLost, oldStage } from '../../../story/durability/old/old-transcripts-stage.js';

describe('a session of version 1', () => {
  it('DU-11, DU-12: cut after any of its records it comes to what it came to', async () => {
    const stage = await oldStage();
    const came: unknown[] = [];
    for (let records = 1; records <= 144; records += 1) {
      await placeOldSession(stage, records);
      const session = await stage.open(AS_BEFORE);
      const { mode } = session;
      const before = stage.sim.requests.length;
      await session.send('What now?');
      const [request] = stage.sim.requests.slice(before);
      came.push({ records, mode, sent: messagesIn(stage, request as SimRequest) });
      await session.close();
    }
    expectNothingLost(stage);
    await expectAsBefore('cut', came);
  });
});
