/**
 * Records the review again: `npm run record`, with ANTHROPIC_API_KEY set. Without a key the scenario speaks for the
 * model. No key is in the recording, and no path of this machine: it can be committed.
 */

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseScenario, startSim } from 'coppice/sim';
import { openProject, PROJECT } from './open-project.mjs';

const file = join(PROJECT, 'test/scenarios/review.yaml');
const parsed = parseScenario(await readFile(file, 'utf8'), file);
if (!parsed.ok) throw new Error(parsed.mistakes.join('\n'));
const { ANTHROPIC_API_KEY: key } = process.env;
const sim = key === undefined ? await startSim({ scenario: parsed.scenario }) : undefined;
const env = sim === undefined ? { ANTHROPIC_API_KEY: key } : { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'any' };

const recording = join(PROJECT, 'test/review.recording.jsonl');
await rm(recording, { force: true });
const { session, close } = await openProject({ env, record: recording });
const end = await session.send('Review src/price.mjs.');
await close();
await sim?.close();
console.log(end.text);
