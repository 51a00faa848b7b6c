/** A result as a value: every prompt ends with one that fits a schema, or with a reason why not. */

import assert from 'node:assert/strict';
import { createSession } from 'coppice';
import { startSim } from 'coppice/sim';
import * as z from 'zod';
import { scratchEnv } from './scratch-env.mjs';

const Report = z.object({ file: z.string(), bugs: z.array(z.object({ line: z.int(), what: z.string() })) });

const sim = await startSim({
  scenario: [
    // The first try does not fit: the model is informed where, and tries again.
    {
      when: { result: { tool: 'StructuredOutput', error: true } },
      reply: [{ tool: 'StructuredOutput', input: { file: 'a.ts', bugs: [{ line: 3, what: 'off by one' }] } }],
    },
    { reply: [{ tool: 'StructuredOutput', input: { file: 'a.ts', bugs: [{ line: 'three' }] } }] },
  ],
});
const { env, cwd, remove } = await scratchEnv(sim.url);
const session = await createSession({
  cwd,
  env,
  outputSchema: z.toJSONSchema(Report),
  builtInTools: ['Read', 'Grep'],
});
const end = await session.send('Which bugs are in a.ts?');
await session.close();

const report = Report.parse(end.structured);
assert.equal(report.bugs[0]?.line, 3);
assert.equal(end.text, JSON.stringify(report));
assert.match(JSON.stringify(sim.requests[1]?.body.messages), /\/bugs\/0\/line must be integer/);
await sim.close();
await remove();
console.log('ok');
