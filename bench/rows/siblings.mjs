/**
 * Rows for what forks of one reply see of each other: all calls, or each its own, and what `auto` takes. 8, 32 and 200
 * forks with directives of 100 and 2,000 tokens: input cost of their first requests, wall time, start of the last one.
 */

import { join } from 'node:path';
import { startSim } from '../../dist/sim.mjs';
import { writeFiles } from '../stage.mjs';

const SIZES = [8, 32, 200];
const DIRECTIVES = [100, 2_000];
const MODES = ['all', 'own', 'auto'];
const TTFT_MS = 300;
const FILES = 4;
const FILE_BYTES = 34_000;
const CHARACTERS_PER_TOKEN = 4;
/** Of the default model, in dollars per million tokens. */
const PRICES = { input: 4, cacheRead: 0.2, cacheWrite: 5 };
/** `auto` may cost so much more than the cheaper one, to start sooner. */
const NEARLY = 1.05;

export async function measure(stage, runs = 1) {
  await writeFiles(stage, 'parent', FILES, FILE_BYTES);
  const rows = [];
  for (const size of SIZES) {
    for (const tokens of DIRECTIVES) rows.push(...(await rowsOf(stage, size, tokens, runs)));
  }
  return rows;
}

async function rowsOf(stage, size, tokens, runs) {
  const samples = Object.fromEntries(MODES.map((mode) => [mode, []]));
  for (let run = 0; run < runs; run += 1) {
    // Alternately, so that other load affects all of them.
    for (const mode of MODES) samples[mode].push(await play(stage, size, tokens, mode));
  }
  const name = (mode, what) => `${size} forks, directives of ${tokens} tokens, siblings ${mode}: ${what}`;
  const cheaper = Math.min(...['all', 'own'].map((mode) => median(samples[mode], 'cents')));
  const figure = (mode, key, unit, what, target) => ({
    name: name(mode, what),
    unit,
    ours: median(samples[mode], key),
    ...(target === undefined ? {} : { target }),
    samples: { ours: samples[mode].map((sample) => sample[key]) },
  });
  return [
    ...MODES.map((mode) =>
      figure(
        mode,
        'cents',
        '¢',
        'input cost',
        mode === 'auto' ? { most: Math.round(cheaper * NEARLY * 100) / 100 } : undefined,
      ),
    ),
    ...MODES.map((mode) => figure(mode, 'wall', 's', 'wall')),
    ...MODES.map((mode) => figure(mode, 'lastStart', 'ms', 'last one starts after')),
  ];
}

async function play(stage, size, tokens, siblings) {
  const words = 'look at it once more '.repeat((tokens * CHARACTERS_PER_TOKEN) / 21);
  let spawned = 0;
  let lastStart = 0;
  const reply = (request) => {
    if (request.said.some((text) => text.includes('<fork-boilerplate>'))) {
      lastStart = performance.now();
      return 'Scope: done';
    }
    if (request.nth <= FILES)
      return [{ tool: 'Read', input: { file_path: join(stage.project, `parent${request.nth}.txt`) } }];
    if (request.nth > FILES + 1) return 'All is done.';
    spawned = performance.now();
    return Array.from({ length: size }, (_, n) => ({
      tool: 'Agent',
      input: { fork: true, description: `Part ${n}`, prompt: `DIRECTIVE ${n}: ${words}` },
    }));
  };
  const sim = await startSim({ scenario: [{ reply }], ttftMs: TTFT_MS, keepBodies: false });
  try {
    const settings = JSON.stringify({ maxConcurrentAgents: size, fork: { siblings } });
    const began = performance.now();
    await stage.start(stage.program('-p', 'Read, then hand out.', '--settings', settings), sim.url).ended;
    const wall = (performance.now() - began) / 1000;
    const forks = sim.requests.slice(FILES + 1, -1);
    if (forks.length !== size || sim.requests.some(({ status }) => status !== 200)) throw new Error(sim.report());
    const cents = forks.reduce((sum, { usage }) => sum + centsOf(usage), 0);
    return { wall, lastStart: lastStart - spawned, cents };
  } finally {
    await sim.close();
  }
}

function centsOf(usage) {
  const millionths =
    usage.input_tokens * PRICES.input +
    usage.cache_read_input_tokens * PRICES.cacheRead +
    usage.cache_creation_input_tokens * PRICES.cacheWrite;
  return millionths / 10_000;
}

function median(samples, key) {
  const sorted = samples.map((sample) => sample[key]).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
