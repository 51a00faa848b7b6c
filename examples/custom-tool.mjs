/** A tool of your own: the model calls it, your code answers. */

import assert from 'node:assert/strict';
import { createSession, defineTool } from 'coppice';
import { startSim } from 'coppice/sim';
import * as z from 'zod';
import { scratchEnv } from './scratch-env.mjs';

const weather = defineTool({
  name: 'Weather',
  description: 'The weather in a city, in one line.',
  schema: z.object({ city: z.string().describe('The name of the city') }),
  readOnly: true,
  run: async ({ city }) => `It rains in ${city}.`,
});

const sim = await startSim({
  scenario: [
    { when: { result: { tool: 'Weather' } }, reply: 'Take an umbrella: {{result}}' },
    { when: { tool: 'Weather' }, reply: [{ tool: 'Weather', input: { city: 'Lisbon' } }] },
  ],
});
const { env, cwd, remove } = await scratchEnv(sim.url);
const session = await createSession({ cwd, env, tools: [weather] });
const calls = [];
session.watch(({ event }) => {
  if (event.kind === 'call-started') calls.push([event.tool, event.input]);
});
const end = await session.send('Do I need an umbrella?');
await session.close();

assert.deepEqual(calls, [['Weather', { city: 'Lisbon' }]]);
assert.equal(end.text, 'Take an umbrella: It rains in Lisbon.');
await sim.close();
await remove();
console.log('ok');
