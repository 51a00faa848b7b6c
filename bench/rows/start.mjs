/** Rows for start-up: `--version`, and the time from process start until the first request arrives. */

import { startSim } from '../../dist/sim.mjs';
import { compare, row } from '../measure.mjs';

export async function measure(stage, runs = 25) {
  return [
    await version(stage, runs),
    await firstRequest(stage, runs, stage.program, ['start → first request', { ratio: 1.6 }]),
    await firstRequest(stage, runs, await stage.unwritableProgram(), [
      'start → first request, installation not writable',
      { ratio: 1.6 },
    ]),
    await firstRequest(stage, Math.min(runs, 9), stage.neverRunProgram, [
      'start → first request, very first start',
      { ratio: 2.2 },
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
  const timed = async ({ args, as }) => {
    const arrival = sim.received(sim.requests.length + 1).then(() => performance.now());
    const began = performance.now();
    const { ended } = stage.start(args, sim.url, as);
    await Promise.race([arrival, ended]);
    await ended;
    return (await arrival) - began;
  };
  try {
    // Not measured: the start that makes the compile cache.
    if (program !== stage.neverRunProgram) await timed(asStart(await program('-p', 'hello')));
    const samples = await compare(
      runs,
      () => timed({ args: stage.floor('session', stage.templateFile, 'hello') }),
      async () => timed(asStart(await program('-p', 'hello'))),
    );
    return row(name, 'ms', samples, target);
  } finally {
    await sim.close();
  }
}

/** A command, or a command and who runs it. */
function asStart(start) {
  return Array.isArray(start) ? { args: start } : start;
}
