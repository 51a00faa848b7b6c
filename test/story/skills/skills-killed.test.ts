/** The real program killed while a skill is taken up, or a child follows one: what a resume makes of it. */

import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Rule, SimRequest } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';
import { buildProgram, runProgram, startProgram } from '../../support/program.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

beforeAll(buildProgram, 120_000);

const rawOf = (request: SimRequest | undefined) => request?.raw.toString('utf8') ?? '';
const write = (stage: Stage, name: string, fields: string, body: string) =>
  stage.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n${fields}---\n${body}\n`);

async function killed(stage: Stage, args: readonly string[], when: () => boolean | Promise<boolean>): Promise<void> {
  const { child, ended } = startProgram([...args, '--trust'], stage.at);
  await until(when);
  child.kill('SIGKILL');
  await ended;
}

const goOn = (stage: Stage, words: string) => runProgram(['--continue', '--trust', '-p', words], stage.at);
/** One that has ended may wait for its parent to look. */
async function isRunning(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid.trim()}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}

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

it('EX-13 DU-22: while a shell line of a typed skill runs: nothing is admitted, and no process is left', async () => {
  const stage = await setStage([{ reply: 'done' }]);
  await write(stage, 'slow', 'allowed-tools: Bash\n', 'SLOW-TEXT\n\n!`echo $$ > pid; sleep 60`');
  const started = () =>
    stage.read('pid').then(
      (pid) => pid.trim() !== '',
      () => false,
    );
  await killed(stage, ['-p', '/slow'], started);
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

  it('EX-2 DU-15: by the model: its call gets the result, or how to go on', async () => {
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

  it('EX-2 DU-15: typed: the prompt was not admitted; what the child found is told', async () => {
    const stage = await inChild(false);
    const end = await goOn(stage, 'more');
    expect(end.code, end.stderr).toBe(0);
    const last = rawOf(stage.sim.requests.at(-1));
    expect(last).toContain(resume === 'auto' ? 'IT-IS-COLD' : 'can be continued with SendMessage');
    expect(last).not.toContain('The person typed /survey');
  });
});
