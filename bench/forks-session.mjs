/**
 * One session with a conversation of a megabyte and many forks of it at the same time, through the library: what the
 * process holds before, after, and at its peak. Run with --expose-gc; prints one JSON object.
 */

import { createSession } from '../dist/index.js';

const [, , cwd, count, files] = process.argv;
const forks = Number(count);

const settings = JSON.stringify({ maxConcurrentAgents: forks, fork: { warmupMs: 2_000 } });
const session = await createSession({ cwd, settings });
for (let file = 1; file <= Number(files); file += 1) await session.send(`Read file ${file}.`);

const before = held();
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
    perForkKb: (after - before) / forks / 1024,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
);
await session.close();

/** Everything JavaScript holds on to, at rest. */
function held() {
  for (let time = 0; time < 4; time += 1) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
