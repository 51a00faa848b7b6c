/** How the main agent is asked to think: by option, by command, after a resume; and what a model does not take. */

import { describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../../src/engine/session-options.js';
import { openSession } from '../../../src/front/sdk/open-session.js';
import type { ThinkingChoice } from '../../../src/protocol/commands.js';
import { agentCall } from '../../support/agent-call.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

const SAYS = [{ reply: [{ thinking: 'hm' }, 'hello'] }];
const BUDGETED = 'claude-haiku-4-5';
const asked = ({ sim }: Stage) => sim.requests.map(({ body }) => body.thinking);
const lines = (stage: Stage) => eventsOf(stage, 'line-shown').map(({ line }) => line);

async function sent(options: SessionOptions) {
  const stage = await setStage(SAYS);
  const session = await stage.open(options);
  await session.send('hi');
  expectAllAccepted(stage.sim);
  return { thinking: asked(stage)[0], warnings: session.warnings };
}

describe('the option', () => {
  const SHOWN = { type: 'adaptive', display: 'summarized' } as const;
  it.each<[string, ThinkingChoice, unknown]>([
    ['sonnet', { type: 'adaptive' }, SHOWN],
    ['sonnet', { type: 'adaptive', display: 'omitted' }, { type: 'adaptive', display: 'omitted' }],
    ['sonnet', { type: 'enabled' }, SHOWN],
    ['sonnet', { type: 'disabled' }, { type: 'disabled' }],
    ['opus', { type: 'adaptive', display: 'omitted' }, { type: 'adaptive', display: 'omitted' }],
    [BUDGETED, { type: 'enabled', budgetTokens: 5_000 }, { type: 'enabled', budget_tokens: 5_000 }],
    [
      BUDGETED,
      { type: 'enabled', budgetTokens: 5_000, display: 'summarized' },
      { type: 'enabled', budget_tokens: 5_000, display: 'summarized' },
    ],
    [BUDGETED, { type: 'disabled' }, undefined],
  ])('CL-2: %s takes %j as it is', async (model, thinking, wire) => {
    expect(await sent({ model, thinking })).toEqual({ thinking: wire, warnings: [] });
  });

  it.each<[string, ThinkingChoice, unknown, RegExp]>([
    ['opus', { type: 'disabled' }, SHOWN, /claude-opus-5-5 always thinks/],
    ['sonnet', { type: 'enabled', budgetTokens: 5_000 }, SHOWN, /takes no budget \(5000 tokens\)/],
    [
      BUDGETED,
      { type: 'enabled', budgetTokens: 500 },
      { type: 'enabled', budget_tokens: 1_024 },
      /1024 tokens, not 500/,
    ],
    [BUDGETED, { type: 'enabled', budgetTokens: 90_000 }, { type: 'enabled', budget_tokens: 30_976 }, /not 90000/],
    [BUDGETED, { type: 'adaptive' }, { type: 'enabled', budget_tokens: 10_000 }, /it has 10000 tokens/],
    ['nobody-1', { type: 'adaptive' }, undefined, /nobody-1 is not known to support thinking/],
  ])('CL-2: what %s does not take of %j is reported', async (model, thinking, wire, line) => {
    const { thinking: found, warnings } = await sent({ model, thinking });
    expect(found).toEqual(wire);
    expect(warnings).toEqual([expect.stringMatching(line)]);
  });

  it.each([
    { type: 'sometimes' },
    { type: 'enabled', budgetTokens: 0.5 },
    { type: 'enabled', budgetTokens: -1 },
    { type: 'adaptive', display: 'loud' },
    { type: 'adaptive', budget: 5 },
  ])('CL-1: %j is refused', async (thinking) => {
    const { folder, env } = await setStage();
    const opened = await openSession({ cwd: folder, env, thinking: thinking as ThinkingChoice });
    expect(opened).toMatchObject({ ok: false, kind: 'usage', reason: expect.stringMatching(/^thinking: /) });
  });

  it('CL-2: over the settings; children think as the settings say', async () => {
    const stage = await setStage([
      { when: { user: 'task of the child' }, reply: 'child says so' },
      { when: { result: { tool: 'Agent' } }, reply: 'end' },
      { reply: [agentCall('task of the child', { description: 'c' })] },
    ]);
    await stage.settings({ alwaysThinkingEnabled: false, subagents: { thinking: true } });
    const session = await stage.open({ model: 'sonnet', thinking: { type: 'adaptive', display: 'omitted' } });
    expect(await session.send('go')).toMatchObject({ text: 'end' });
    const omitted = { type: 'adaptive', display: 'omitted' };
    expect(asked(stage)).toEqual([omitted, { type: 'adaptive', display: 'summarized' }, omitted]);
  });

  it('CL-2: thinking that is not shown goes back as it came: signed and without its text', async () => {
    const stage = await setStage([{ reply: [{ thinking: 'SECRET' }, 'hello'] }]);
    const session = await stage.open({ model: 'sonnet', thinking: { type: 'adaptive', display: 'omitted' } });
    await session.send('one');
    await session.send('two');
    expectAllAccepted(stage.sim);
    const [, second] = stage.sim.requests.map(({ raw }) => raw.toString('utf8'));
    expect(second).toContain('"type":"thinking","thinking":""');
    expect(eventsOf(stage, 'thinking-streamed')).toEqual([]);
  });
});

describe('the command', () => {
  const set = (thinking: ThinkingChoice | null) => ({ type: 'set-thinking', thinking }) as const;

  it('CL-3 FK-25: counts from the next safe point on, as a new epoch; null is what it was opened with', async () => {
    const stage = await setStage(SAYS);
    const session = await stage.open({ model: 'sonnet', thinking: { type: 'adaptive', display: 'omitted' } });
    await session.send('one');
    expect(await session.execute(set({ type: 'disabled' }))).toEqual({ ok: true });
    await session.send('two');
    expect(await session.execute(set(null))).toEqual({ ok: true });
    await session.send('three');
    expectAllAccepted(stage.sim);
    const omitted = { type: 'adaptive', display: 'omitted' };
    expect(asked(stage)).toEqual([omitted, { type: 'disabled' }, omitted]);
    expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual([
      'session-start',
      'effort-switch',
      'effort-switch',
    ]);
  });

  it('CL-3: before the first prompt it holds for that; the same again changes nothing', async () => {
    const stage = await setStage(SAYS);
    const session = await stage.open({ model: 'sonnet' });
    await session.execute(set({ type: 'disabled' }));
    await session.send('one');
    await session.execute(set({ type: 'disabled' }));
    await session.send('two');
    expect(asked(stage)).toEqual([{ type: 'disabled' }, { type: 'disabled' }]);
    expect(eventsOf(stage, 'epoch-started')).toHaveLength(1);
  });

  it('CL-3: what the model does not take is reported, also when the user changes to such a model', async () => {
    const stage = await setStage(SAYS);
    const session = await stage.open({ model: 'sonnet' });
    await session.execute(set({ type: 'enabled', budgetTokens: 5_000 }));
    await session.setModel(BUDGETED);
    expect(lines(stage)).toEqual([expect.stringContaining('takes no budget (5000 tokens)')]);
    await session.execute(set({ type: 'disabled' }));
    await session.setModel('opus');
    expect(lines(stage)).toHaveLength(2);
    expect(lines(stage)[1]).toContain('always thinks');
  });

  it('CL-1 CL-3: nonsense is refused and changes nothing', async () => {
    const stage = await setStage(SAYS);
    const session = await stage.open({ model: 'sonnet' });
    const done = await session.execute(set({ type: 'enabled', budgetTokens: Number.NaN }));
    expect(done).toMatchObject({ ok: false, reason: expect.stringContaining('whole number') });
    await session.send('one');
    expect(asked(stage)).toEqual([{ type: 'adaptive', display: 'summarized' }]);
  });

  it('CL-3 DU-14: a session that continues has what it had last, unless it is asked for another', async () => {
    const stage = await setStage(SAYS);
    const first = await stage.open({ model: 'sonnet' });
    await first.execute(set({ type: 'disabled' }));
    await first.send('one');
    await first.close();
    const second = await stage.open({ resume: first.id });
    await second.send('two');
    await second.close();
    const third = await stage.open({ resume: first.id, thinking: { type: 'adaptive' } });
    await third.send('three');
    expectAllAccepted(stage.sim);
    const types = asked(stage).map((thinking) => thinking?.type);
    expect(types).toEqual(['disabled', 'disabled', 'adaptive']);
  });

  it('CL-3 EX-8: it holds in the turn of a skill that asks for another model', async () => {
    const stage = await setStage(SAYS);
    await stage.write('.claude/skills/quick/SKILL.md', '---\ndescription: d\nmodel: haiku\n---\nBe quick.\n');
    const session = await stage.open({ model: 'sonnet', trust: true, thinking: { type: 'disabled' } });
    await session.send('/quick');
    expect(stage.sim.requests[0]?.body.model).toContain('haiku');
    expect(asked(stage)).toEqual([{ type: 'disabled' }]);
  });
});
