/** The agent of this project: with a scripted model, and with a recorded one. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseScenario, startSim } from 'coppice/sim';
import { openProject, PROJECT } from './open-project.mjs';

test('the reviewer has its prompt, reads, and can change nothing', async (t) => {
  const file = join(PROJECT, 'test/scenarios/review.yaml');
  const parsed = parseScenario(await readFile(file, 'utf8'), file);
  assert.ok(parsed.ok, 'mistakes' in parsed ? parsed.mistakes.join('\n') : '');
  const sim = await startSim({ scenario: parsed.scenario });
  t.after(() => sim.close()); // also if the project can't be opened: an open server would keep the run from ending
  const { session, close } = await openProject({ env: { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'any' } });
  const end = await session.send('Review src/price.mjs.');
  await close();
  assert.match(end.text, /does not round/);
  const [, child] = sim.requests;
  assert.match(JSON.stringify(child?.body.system), /You review code/);
  assert.deepEqual(child?.body.tools?.map(({ name }) => name).sort(), ['Glob', 'Grep', 'Read']);
});

test('the recorded review is still what the project asks for', async () => {
  const { session, close } = await openProject({ replay: join(PROJECT, 'test/review.recording.jsonl') });
  const end = await session.send('Review src/price.mjs.');
  await close();
  assert.equal(session.replay?.difference, undefined, session.replay?.difference);
  assert.deepEqual(session.replay?.missing, []);
  assert.match(end.text, /round/);
});
