/** Beta features and the task budget on the wire, and what is refused before it gets there. */

import { beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../../src/front/sdk/open-session.js';
import { agentCall } from '../../support/agent-call.js';
import { buildProgram, runProgram } from '../../support/program.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';

const BETA = 'context-1m-2025-08-07';
const BUDGETS = 'task-budgets-2026-03-13';
const betas = ({ sim }: Stage) => sim.requests.map(({ headers }) => headers['anthropic-beta']);
const outputs = ({ sim }: Stage) => sim.requests.map(({ body }) => body.output_config);
const WITH_CHILD = [
  { when: { user: 'task of the child' }, reply: 'child says so' },
  { when: { result: { tool: 'Agent' } }, reply: 'end' },
  { reply: [agentCall('task of the child', { description: 'c' })] },
];

describe('beta features', () => {
  it('CL-2: are in the header of every agent’s requests', async () => {
    const stage = await setStage(WITH_CHILD);
    const other = 'fine-grained-2025-05-14';
    await (await stage.open({ betas: [BETA, other, BETA] })).send('go');
    expectAllAccepted(stage.sim);
    expect(betas(stage)).toEqual(Array(3).fill(`${BETA},${other}`));
  });

  it('CL-2: without any there is no such header', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await (await stage.open()).send('go');
    expect(betas(stage)).toEqual([undefined]);
  });

  it.each(['', 'a b', 'a\r\nx-evil: 1', 'ä'])('CL-1: %j is no name of one', async (name) => {
    const { folder, env } = await setStage();
    const opened = await openSession({ cwd: folder, env, betas: [name] });
    expect(opened).toMatchObject({ ok: false, kind: 'usage', reason: expect.stringContaining('betas: ') });
  });
});

describe('the task budget', () => {
  const told = { type: 'tokens', total: 50_000 };

  it('CL-2: is stated to the main agent, with the effort, with the beta feature that it needs', async () => {
    const stage = await setStage(WITH_CHILD);
    await (await stage.open({ model: 'sonnet', effort: 'low', taskBudget: 50_000, betas: [BETA] })).send('go');
    expectAllAccepted(stage.sim);
    const [main, child, again] = outputs(stage);
    expect(main).toEqual({ effort: 'low', task_budget: told });
    expect(child?.task_budget).toBeUndefined();
    expect(again).toEqual(main);
    expect(betas(stage)).toEqual([`${BUDGETS},${BETA}`, BETA, `${BUDGETS},${BETA}`]);
  });

  it('CL-2 FK-25: a session that continues keeps it; another one is applied', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const first = await stage.open({ taskBudget: 50_000 });
    await first.send('one');
    await first.close();
    const second = await stage.open({ resume: first.id });
    await second.send('two');
    await second.close();
    await (await stage.open({ resume: first.id, taskBudget: 70_000 })).send('three');
    expectAllAccepted(stage.sim);
    expect(outputs(stage).map((output) => output?.task_budget?.total)).toEqual([50_000, 50_000, 70_000]);
  });

  it('CL-2: what is not said again is kept, also next to what is, and in a turn on the fallback model', async () => {
    const stage = await setStage([
      { when: { model: 'sonnet', user: 'busy' }, fault: { kind: 'overloaded', retryAfter: 3_600 } },
      { reply: 'ok' },
    ]);
    const thinking = { type: 'disabled' } as const;
    const first = await stage.open({ model: 'sonnet', thinking, effort: 'high', taskBudget: 50_000 });
    await first.send('one');
    await first.close();
    const second = await stage.open({ resume: first.id, fallbackModel: 'haiku' });
    await second.send('busy');
    await second.close();
    await (await stage.open({ resume: first.id, effort: 'low' })).send('three');
    const asked = stage.sim.requests.map(({ body }) => [body.thinking, body.output_config]);
    const before = [thinking, { effort: 'high', task_budget: told }];
    expect(asked).toEqual([before, before, before, [thinking, { effort: 'low', task_budget: told }]]);
  });

  it('CL-2 FK-25: it stays in a turn on the fallback model', async () => {
    const stage = await setStage([
      { when: { model: 'sonnet' }, fault: { kind: 'overloaded', retryAfter: 3_600 } },
      { reply: 'ok' },
    ]);
    await (await stage.open({ model: 'sonnet', fallbackModel: 'haiku', taskBudget: 50_000 })).send('one');
    expect(outputs(stage).map((output) => output?.task_budget)).toEqual([told, told]);
  });

  it.each([0, -5, 1.5, Number.NaN])('CL-1: %d is none', async (taskBudget) => {
    const { folder, env } = await setStage();
    const opened = await openSession({ cwd: folder, env, taskBudget });
    expect(opened).toMatchObject({ ok: false, reason: expect.stringContaining('task budget') });
  });
});

describe('the flags', () => {
  beforeAll(buildProgram);

  it('CL-5: say the same', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const run = (...flags: string[]) => runProgram(['-p', 'hi', ...flags], stage.at);
    await run('--model=sonnet', `--betas=${BETA}`, '--task-budget=50000', '--thinking=disabled');
    await run('--model=claude-haiku-4-5', '--max-thinking-tokens=4000');
    const end = await run('--model=sonnet', '--max-thinking-tokens=4000', '--thinking-display=omitted');
    expectAllAccepted(stage.sim);
    expect(stage.sim.requests.map(({ body }) => body.thinking)).toEqual([
      { type: 'disabled' },
      { type: 'enabled', budget_tokens: 4_000 },
      { type: 'adaptive', display: 'omitted' },
    ]);
    expect(outputs(stage)[0]?.task_budget?.total).toBe(50_000);
    expect(betas(stage)[0]).toBe(`${BUDGETS},${BETA}`);
    expect(end.stderr).toContain('takes no budget (4000 tokens)');
  });
});
