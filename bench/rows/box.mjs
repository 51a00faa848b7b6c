/** A command in the reading box, with the most files covered that it allows. The floor runs the same command plainly. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, notYet, row } from '../measure.mjs';
import { loadSource } from '../source.mjs';

const MASKS = 20;

export async function measure(stage, runs = 60) {
  const { createSandbox, nodeHost, readPathPattern } = await loadSource(
    stage,
    `export { createSandbox } from './src/gate/sandbox/create-sandbox.js';
     export { readPathPattern } from './src/gate/permissions/rules/path-pattern.js';
     export { nodeHost } from './src/host/node-host.js';`,
  );
  const project = join(stage.project, 'boxed');
  await mkdir(project, { recursive: true });
  for (let index = 0; index < MASKS; index += 1) await stage.write(`boxed/${index}.key`, 'secret\n');
  const host = nodeHost(project, {
    PATH: process.env.PATH,
    HOME: stage.home,
    COPPICE_HOME: join(stage.home, '.coppice'),
  });
  const box = createSandbox({ host, trusted: true, roots: [project] });
  const status = await box.status();
  const names = ['a confined command', `the same, ${MASKS} files covered`];
  if (status.kind !== 'on') return names.map((name) => notYet(name, status.reason));
  const command = { file: 'bash', args: ['-c', 'true'], cwd: project, env: host.env };
  const plainly = () => timed(() => host.processes.run(command));
  const confined = (denied) =>
    timed(async () => {
      const request = { roots: [project], readRoots: [], denied, fixed: [], wide: false };
      const { view } = await box.prepare(request);
      const boxed = await box.confine(command, { kind: 'reading', show: [] }, { roots: [project], view });
      const { code } = await host.processes.run(boxed.command);
      if (code !== 0) throw new Error(`a confined command ended with ${code}`);
    });
  const covered = [readPathPattern('*.key', 'deny', project)];
  await confined(covered);
  return [
    row(names[0], 'ms', await compare(runs, plainly, () => confined([])), { ratio: 1, plus: 10 }),
    row(names[1], 'ms', await compare(runs, plainly, () => confined(covered)), { ratio: 1, plus: 10 }),
  ];
}

async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
