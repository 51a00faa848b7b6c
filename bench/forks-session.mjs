/**
 * Runs one session with a conversation of a megabyte and many parallel forks of it, through the library. Measures the
 * memory of the process before, after and at its peak. Run with --expose-gc; prints one JSON object.
 */

import * as z from 'zod';
import { createSession, defineTool } from '../dist/index.mjs';

const [, , cwd, count, files] = process.argv;
const forks = Number(count);

let alive = 0;
let letGo = () => {};
const allAlive = new Promise((resolve) => {
  letGo = resolve;
});
/** Every fork calls this after its first request and waits here: all forks are alive, and no body is in flight. */
const hold = defineTool({
  name: 'Hold',
  description: 'Waits for the others.',
  schema: z.object({}),
  readOnly: true,
  run: async () => {
    alive += 1;
    if (alive === forks) setTimeout(letGo, 200);
    await allAlive;
    return 'go on';
  },
});
const settings = JSON.stringify({ maxConcurrentAgents: forks });
const session = await createSession({ cwd, settings, tools: [hold] });
for (let file = 1; file <= Number(files); file += 1) await session.send(`Read file ${file}.`);

const before = held();
let living = before;
allAlive.then(() => {
  living = held();
});
const began = performance.now();
const results = await Promise.all(
  Array.from({ length: forks }, (_, n) => session.fork(`DIRECTIVE ${n}: say that you are done.`)),
);
const wall = (performance.now() - began) / 1000;
await session.settled();
await new Promise((resolve) => setTimeout(resolve, 200));
const after = held();
console.log(
  JSON.stringify({
    completed: results.filter(({ status }) => status === 'completed').length,
    failures: [...new Set(results.flatMap(({ status, line }) => (status === 'completed' ? [] : [line])))],
    wall,
    perLivingForkKb: (living - before) / forks / 1024,
    perEndedForkKb: (after - before) / forks / 1024,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
);
await session.close();

/** The memory in use after a garbage collection. */
function held() {
  for (let time = 0; time < 4; time += 1) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
