/** Rows for 8, 32 and 200 forks: wall time, start of the last one, CPU, memory, and cache reads. */

import { startSim } from '../../dist/sim.mjs';
import { compare, notYet, row } from '../measure.mjs';
import { usageOf } from '../stage.mjs';
import { PROMPT, prepareWorkload, requestsOf, workloadScenario } from '../workload.mjs';

const SIZES = [8, 32, 200];
const TTFT_MS = 300;

export async function measure(stage, runs = 3) {
  const agent = stage.template.tools.find(({ name }) => name === 'Agent');
  if (agent?.input_schema.properties.fork === undefined) {
    return SIZES.map((size) => notYet(`${size} children`, 'the first request declares no Agent tool with fork'));
  }
  await prepareWorkload(stage);
  const samples = new Map();
  for (const size of SIZES) {
    const settings = JSON.stringify({ maxConcurrentAgents: size });
    samples.set(
      size,
      await compare(
        size > 100 ? 1 : runs,
        () => play(stage, size, stage.floor('children', stage.templateFile, PROMPT)),
        () => play(stage, size, stage.program('-p', PROMPT, '--settings', settings)),
      ),
    );
  }
  return [...SIZES.flatMap((size) => rowsOf(size, samples.get(size))), memoryPerChild(samples)];
}

async function play(stage, size, args) {
  const starts = [];
  let spawned = 0;
  let last;
  let pid;
  const heard = async ({ who, nth }) => {
    if (who === 'parent' && nth === 5) spawned = performance.now();
    if (who !== 'parent' && nth === 1) starts.push(performance.now());
    if (who === 'parent' && nth === 6) last = await usageOf(pid);
  };
  const sim = await startSim({ scenario: workloadScenario(stage, size, heard), ttftMs: TTFT_MS, keepBodies: false });
  try {
    const began = performance.now();
    const process = stage.start(args, sim.url);
    pid = process.pid;
    await process.ended;
    const wall = performance.now() - began;
    const { requests } = sim;
    if (requests.length !== requestsOf(size) || requests.some(({ status }) => status !== 200))
      throw new Error(sim.report());
    return {
      wall: wall / 1000,
      lastStart: Math.max(...starts) - spawned,
      cpu: last.cpuMs / requests.length,
      ...cacheOf(sim),
      ...last,
    };
  } finally {
    await sim.close();
  }
}

/** The share of the parent's cached tokens that the first child's first request read. */
function cacheOf({ requests }) {
  const parent = requests[4].usage;
  const child = requests[5].usage;
  const had = parent.cache_read_input_tokens + parent.cache_creation_input_tokens;
  return { cacheRead: (100 * child.cache_read_input_tokens) / had };
}

function rowsOf(size, samples) {
  const of = (what, unit, target, pick) => row(`${size} children: ${what}`, unit, samples, target, pick);
  return [
    of('wall, TTFT 300 ms', 's', { ratio: 1.3 }, ({ wall }) => wall),
    of('last child starts after', 'ms', { ratio: 1.5, plus: TTFT_MS }, ({ lastStart }) => lastStart),
    of('CPU per request', 'ms', { ratio: 1.4 }, ({ cpu }) => cpu),
    of('peak memory', 'MB', size === 32 ? { most: 130 } : undefined, ({ peakMb }) => peakMb),
    // The floor does not manage the cache, so there is nothing to compare with.
    {
      ...of("parent's tokens the first child reads from the cache", '%', { least: 100 }, ({ cacheRead }) => cacheRead),
      floor: undefined,
    },
  ];
}

function memoryPerChild(samples) {
  const [small, big] = [samples.get(8), samples.get(32)];
  const perChild = (side) => big[side].map((sample, run) => (sample.pssMb - small[side][run].pssMb) / (32 - 8));
  return row('memory per further child (PSS)', 'MB', { floor: perChild('floor'), ours: perChild('ours') }, { most: 2 });
}
