/** A session in ten lines, against the simulated model. */

import assert from 'node:assert/strict';
import { createSession } from 'coppice';
import { startSim } from 'coppice/sim';
import { scratchEnv } from './scratch-env.mjs';

const sim = await startSim({ scenario: [{ reply: 'Hello from the model.' }] });
const { env, cwd, remove } = await scratchEnv(sim.url);

const session = await createSession({ cwd, env });
session.watch(({ event }) => {
  if (event.kind === 'text-streamed') process.stdout.write(event.text);
});
const end = await session.send('Say hello.');
await session.close();

assert.equal(end.reason, 'completed');
assert.equal(end.text, 'Hello from the model.');
await sim.close();
await remove();
console.log('\nok');
