/** Your own tools: the model calls them, your code runs. */

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

/** With a JSON Schema instead of zod: `parse` checks the input. */
const umbrella = defineTool({
  name: 'Umbrella',
  description: 'How many umbrellas are at home.',
  inputSchema: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] },
  parse: ({ color }) =>
    typeof color === 'string'
      ? { ok: true, input: color }
      : { ok: false, reason: 'Umbrella: give a "color", as a string.' },
  readOnly: true,
  run: async (color) => `Two umbrellas are ${color}.`,
});

const sim = await startSim({
  scenario: [
    { when: { result: { tool: 'Umbrella', error: true } }, reply: [{ tool: 'Umbrella', input: { color: 'red' } }] },
    { when: { result: { tool: 'Umbrella' } }, reply: 'Take an umbrella: {{result}}' },
    { when: { result: { tool: 'Weather' } }, reply: [{ tool: 'Umbrella', input: { color: 7 } }] },
    { when: { tool: 'Weather' }, reply: [{ tool: 'Weather', input: { city: 'Lisbon' } }] },
  ],
});
const { env, cwd, remove } = await scratchEnv(sim.url);
const session = await createSession({ cwd, env, tools: [weather, umbrella] });
/** @type {unknown[]} */
const calls = [];
session.watch(({ event }) => {
  if (event.kind === 'call-started') calls.push([event.tool, event.input]);
});
const end = await session.send('Do I need an umbrella?');
await session.close();

// A call that `parse` refused is never started.
assert.deepEqual(calls, [
  ['Weather', { city: 'Lisbon' }],
  ['Umbrella', 'red'],
]);
assert.equal(end.text, 'Take an umbrella: Two umbrellas are red.');
await sim.close();
await remove();
console.log('ok');
