/** Rows for projects with hundreds of agent files, and of skills: `-p` there, next to the same in an empty project. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSim } from '../../dist/sim.mjs';
import { compare, row } from '../measure.mjs';

const FILES = 379;
const SKILLS = 200;

export async function measure(stage, runs = 15) {
  const project = join(stage.scratch, 'with-agents');
  await writeAgents(join(project, '.claude', 'agents'));
  const both = join(stage.scratch, 'with-skills');
  await writeAgents(join(both, '.claude', 'agents'));
  await writeSkills(join(both, '.claude', 'skills'));
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
    const rows = [];
    for (const [folder, what] of [
      [project, `${FILES} agent files`],
      [both, `${FILES} agent files and ${SKILLS} skills`],
    ]) {
      await timed(folder);
      const samples = await compare(
        runs,
        () => timed(stage.project),
        () => timed(folder),
      );
      rows.push(row(`start → first request, ${what}, next to none`, 'ms', samples, { ratio: 1.3 }));
    }
    return rows;
  } finally {
    await sim.close();
  }
}

const words = 'Reads the change, names real bugs only, and says how sure it is about each. ';

async function writeSkills(folder) {
  for (let n = 0; n < SKILLS; n += 1) {
    const fields = `description: ${words.repeat(1 + (n % 8)).trim()}\nallowed-tools: Read, Bash(git log:*)`;
    await mkdir(join(folder, `skill-${n}`), { recursive: true });
    await writeFile(join(folder, `skill-${n}`, 'SKILL.md'), `---\n${fields}\n---\n\n${words.repeat(60)}\n`);
  }
}

async function writeAgents(folder) {
  await mkdir(folder, { recursive: true });
  for (let n = 0; n < FILES; n += 1) {
    const fields = `name: agent-${n}\ndescription: ${words.repeat(1 + (n % 8)).trim()}\ntools: Read, Grep, Bash\nmodel: sonnet`;
    const file = join(folder, `agent-${n}.md`);
    await writeFile(file, `---\n${fields}\n---\n\n${words.repeat(60)}\n`);
  }
}
