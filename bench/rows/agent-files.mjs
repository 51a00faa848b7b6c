/** A row for a project with hundreds of agent files: `-p` there, next to the same in an empty project. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSim } from '../../dist/sim.mjs';
import { compare, row } from '../measure.mjs';

const FILES = 379;

export async function measure(stage, runs = 15) {
  const project = join(stage.scratch, 'with-agents');
  await writeAgents(join(project, '.claude', 'agents'));
  const sim = await startSim({ scenario: [{ reply: 'Hello.' }] });
  const timed = async (folder) => {
    const arrival = sim.received(sim.requests.length + 1).then(() => performance.now());
    const began = performance.now();
    const { ended } = stage.start(stage.program('-p', 'hello', '--trust'), sim.url, { project: folder });
    await Promise.race([arrival, ended]);
    await ended;
    return (await arrival) - began;
  };
  try {
    // What was written just now is parsed each time: the files are to be there for a while.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await timed(project);
    const samples = await compare(
      runs,
      () => timed(stage.project),
      () => timed(project),
    );
    return [row(`start → first request, ${FILES} agent files, next to none`, 'ms', samples, { ratio: 1.3 })];
  } finally {
    await sim.close();
  }
}

async function writeAgents(folder) {
  await mkdir(folder, { recursive: true });
  const words = 'Reads the change, names real bugs only, and says how sure it is about each. ';
  for (let n = 0; n < FILES; n += 1) {
    const fields = `name: agent-${n}\ndescription: ${words.repeat(1 + (n % 8)).trim()}\ntools: Read, Grep, Bash\nmodel: sonnet`;
    const file = join(folder, `agent-${n}.md`);
    await writeFile(file, `---\n${fields}\n---\n\n${words.repeat(60)}\n`);
  }
}
