/** Runs with every test file: files share a process, so a loop that one leaves behind would take a core from all others. */

import { afterAll } from 'vitest';

const LOOKS = 20;
const PAUSE_MS = 5;

afterAll(async () => {
  for (let look = 0; look < LOOKS; look += 1) {
    if (!process.getActiveResourcesInfo().includes('Immediate')) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error('a loop of setImmediate still runs when the tests of this file have ended');
});
