/** What the tests of replay-order.test.ts share with those of test:long. */

import { expect } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';

export const play = async (session: Session) => {
  await session.send('Go.');
  const { stopped } = await session.settled(20_000);
  expect(stopped).toEqual([]);
};
