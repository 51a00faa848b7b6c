/** Rows for start-up: `--version`, and the time from process start until the first request arrives. */

import { startSim } from '../../dist/sim.mjs';
import { compare, row } from '../measure.mjs';

export async function measure(stage, runs = 25) {
  return [
    await version(stage, runs),
    await firstRequest(stage, runs, stage.program, ['start → first request', { ratio: 2 }]),
    await firstRequest(stage, Math.min(runs, 7), stage.neverRunProgram, [
      'the same, the first time after an installation',
      undefined,
    ]),
  ];
}

async function version(stage, runs) {
  const timed = async (args) => {
    const began = performance.now();
    await stage.start(args).ended;
    return performance.now() - began;
  };
  const samples = await compare(
    runs,
    () => timed(stage.floor('version')),
    () => timed(stage.program('--version')),
  );
  return row('--version', 'ms', samples, { ratio: 2 });
}

async function firstRequest(stage, runs, program, [name, target]) {
  const sim = await startSim({ scenario: [{ reply: 'Hello.' }] });
  const timed = async (args) => {
    const arrival = sim.received(sim.requests.length + 1).then(() => performance.now());
    const began = performance.now();
    const { ended } = stage.start(args, sim.url);
    await Promise.race([arrival, ended]);
    await ended;
    return (await arrival) - began;
  };
  try {
    const samples = await compare(
      runs,
      () => timed(stage.floor('session', stage.templateFile, 'hello')),
      async () => timed(await program('-p', 'hello')),
    );
    return row(name, 'ms', samples, target);
  } finally {
    await sim.close();
  }
}
