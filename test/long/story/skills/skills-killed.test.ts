/** The real program killed while a skill is taken up, or a child follows one: what a resume makes of it. */

import { beforeAll, describe, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { goOn, killed, rawOf, write } from '../../../story/skills/skills-killed-stage.js';
import { gate } from '../../../support/gate.js';
import { buildProgram, runProgram } from '../../../support/program.js';
import { expectAllAccepted, setStage } from '../../../support/story.js';

beforeAll(buildProgram);

it('EX-8 DU-14 FK-25: in a turn on another model: the person’s comes back, without what the other thought', async () => {
  const stage = await setStage([
    {
      when: { model: 'haiku' },
      reply: [{ thinking: 'OF-HAIKU' }, { tool: 'Bash', input: { command: 'touch begun; sleep 30' } }],
    },
    { reply: [{ thinking: 'OF-SONNET' }, 'done'] },
  ]);
  await write(stage, 'quick', 'model: haiku\nallowed-tools: Bash\n', 'Be quick.');
  await runProgram(['-p', 'hello', '--trust', '--model', 'sonnet'], stage.at);
  await killed(stage, ['--continue', '-p', '/quick'], () =>
    stage.read('begun').then(
      () => true,
      () => false,
    ),
  );
  const end = await goOn(stage, 'go on');
  expect(end.code, end.stderr).toBe(0);
  expectAllAccepted(stage.sim);
  expect(stage.sim.requests).toHaveLength(3);
  const [first, , third] = stage.sim.requests.map((request) => rawOf(request).split('"messages":')[0]);
  expect(third).toBe(first);
  expect(rawOf(stage.sim.requests[2])).not.toContain('OF-HAIKU');
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

  it('EX-2 DU-15: typed: the prompt was not admitted; what the child found is told', async () => {
    const stage = await inChild(false);
    const end = await goOn(stage, 'more');
    expect(end.code, end.stderr).toBe(0);
    const last = rawOf(stage.sim.requests.at(-1));
    expect(last).toContain(resume === 'auto' ? 'IT-IS-COLD' : 'can be continued with SendMessage');
    expect(last).not.toContain('The person typed /survey');
  });
});
