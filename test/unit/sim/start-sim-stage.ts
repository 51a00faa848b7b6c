/** What the tests of start-sim.test.ts share with those of test:long. */

import { type Sim, type SimOptions, startSim } from '../../../src/sim/index.js';

export let sim: Sim;

export const start = async (options: SimOptions) => {
  sim = await startSim(options);
  return sim;
};

export const hello = [{ reply: 'Hello' }];
