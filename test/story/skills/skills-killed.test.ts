/** The real program killed while a skill is applied, or a child follows one: what a resume makes of it. */

import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';
import { buildProgram } from '../../support/program.js';
import { expectAllAccepted, setStage } from '../../support/story.js';
import { goOn, killed, rawOf, write } from './skills-killed-stage.js';

beforeAll(buildProgram);

it('EX-13 DU-22: while a shell line of a typed skill runs: nothing is admitted, and no process is left', async () => {
  const stage = await setStage([{ reply: 'done' }]);
  await write(stage, 'slow', 'allowed-tools: Bash\n', 'SLOW-TEXT\n\n!`echo $$ > pid; sleep 60`');
  const started = () =>
    stage.read('pid').then(
      (pid) => pid.trim() !== '',
      () => false,
    );
  // Confined, it would end with the program.
  await killed(stage, ['-p', '/slow', '--settings', '{"confineReads":"off"}'], started);
  const pid = await stage.read('pid');
  const end = await goOn(stage, 'hello');
  expect(end.code, end.stderr).toBe(0);
  expectAllAccepted(stage.sim);
  expect(stage.sim.requests).toHaveLength(1);
  expect(rawOf(stage.sim.requests[0])).not.toContain('SLOW-TEXT');
  expect(await isRunning(pid)).toBe(false);
});

describe.each(['auto', 'off'])('EX-2 DU-15: a child that follows a skill, agents resumed: %s', (resume) => {
  async function inChild(byModel: boolean) {
    const held = gate();
    let asked = 0;
    const rules: Rule[] = [
      {
        when: { said: 'SURVEY-TASK' },
        reply: async () => {
          asked += 1;
          await held.opened;
          return 'IT-IS-COLD';
        },
      },
      {
        when: { user: 'begin', not: { result: { tool: 'Skill' } } },
        reply: [{ tool: 'Skill', input: { skill: 'survey' } }],
      },
      { reply: 'done' },
    ];
    const stage = await setStage(rules);
    if (resume === 'auto') Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
    await write(stage, 'survey', 'context: fork\n', 'SURVEY-TASK');
    await killed(stage, ['-p', byModel ? 'begin' : '/survey'], () => asked === 1);
    held.open();
    return stage;
  }

  it('EX-2 DU-15: by the model: its call gets the result, or how to continue', async () => {
    const stage = await inChild(true);
    const end = await goOn(stage, 'more');
    expect(end.code, end.stderr).toBe(0);
    const last = rawOf(stage.sim.requests.at(-1));
    expect(last).toContain(resume === 'auto' ? 'IT-IS-COLD' : 'It can be continued');
    expect(stage.sim.unmatched).toEqual([]);
    expect(
      stage.sim.requests
        .slice(2)
        .map(({ status }) => status)
        .every((status) => status === 200),
    ).toBe(true);
  });
});

/** One that has ended may wait for its parent to look. */
async function isRunning(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid.trim()}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}
