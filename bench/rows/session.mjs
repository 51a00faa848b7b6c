/** Rows for a longer session: 40 turns, with 7 files of 33 KB read at the start, so that most requests have 230 KB. */

import { join } from 'node:path';
import { startSim } from '../../dist/sim.mjs';
import { compare, row } from '../measure.mjs';
import { usageOf, writeFiles } from '../stage.mjs';

const TURNS = 40;
const BIG_FILES = 7;

export async function measure(stage, runs = 7) {
  await writeFiles(stage, 'big', BIG_FILES, 33_000);
  await writeFiles(stage, 'small', TURNS, 150);
  let pid;
  let seen = [];
  const reply = async ({ nth }) => {
    seen[nth] = await usageOf(pid);
    if (nth === TURNS) return 'Done.';
    const name = nth <= BIG_FILES ? `big${nth}.txt` : `small${nth}.txt`;
    return [{ tool: 'Read', input: { file_path: join(stage.project, name) } }];
  };
  const sim = await startSim({ scenario: [{ reply }], keepBodies: false });
  const used = async (args) => {
    seen = [];
    const before = sim.requests.length;
    const process = stage.start(args, sim.url);
    pid = process.pid;
    await process.ended;
    const requests = sim.requests.slice(before);
    if (requests.length !== TURNS || requests.some(({ status }) => status !== 200)) throw new Error(sim.report());
    const [first, full, last] = [seen[1], seen[BIG_FILES + 1], seen[TURNS]];
    return {
      cpu: last.cpuMs / TURNS,
      furtherCpu: (last.cpuMs - full.cpuMs) / (TURNS - BIG_FILES - 1),
      startCpu: first.cpuMs,
      growthKb: ((last.pssMb - full.pssMb) * 1024) / (TURNS - BIG_FILES - 1),
      pss: last.pssMb,
      peak: last.peakMb,
    };
  };
  try {
    const samples = await compare(
      runs,
      () => used(stage.floor('session', stage.templateFile, 'Read the files.')),
      () => used(stage.program('-p', 'Read the files.')),
    );
    return [
      row(`${TURNS} turns: CPU per request`, 'ms', samples, { ratio: 1.4 }, ({ cpu }) => cpu),
      row(
        `${TURNS} turns: CPU per further request of 230 KB`,
        'ms',
        samples,
        { ratio: 1.4 },
        ({ furtherCpu }) => furtherCpu,
      ),
      row('CPU until the first request', 'ms', samples, undefined, ({ startCpu }) => startCpu),
      row(`${TURNS} turns: memory (PSS) at the end`, 'MB', samples, undefined, ({ pss }) => pss),
      row(`${TURNS} turns: memory per further turn`, 'KB', samples, undefined, ({ growthKb }) => growthKb),
      row(`${TURNS} turns: peak memory`, 'MB', samples, undefined, ({ peak }) => peak),
    ];
  } finally {
    await sim.close();
  }
}
