/** ExitPlanMode: only the user ends plan mode, by accepting this plan, this once (EX-15). */

import { describe, expect, it } from 'vitest';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { begin, mainResults, requestOf, saidIn, script } from '../agents/agents-script.js';
import {
  ACCEPT_EDITS,
  answering,
  exitPlan,
  inFolder,
  isThere,
  plan,
  planFile,
  readPlan,
  write,
  YES,
} from './plan-stage.js';

const PLAN = '# Plan\n\n1. write a.txt';
const modes = (stage: Stage) => eventsOf(stage, 'mode-changed').map(({ mode }) => mode);

describe('EX-15: the answers', () => {
  it('EX-15: accepted with acceptEdits: in force before the result is on record, and for the next call', async () => {
    const { questions, onPermission } = answering(ACCEPT_EDITS);
    const { stage, session } = await plan((at) => [[exitPlan(PLAN)], [write(inFolder(at, 'a.txt'))], 'done'], {
      onPermission,
    });
    expectAllAccepted(stage.sim);
    expect(questions).toMatchObject([
      {
        about: 'plan',
        plan: { text: PLAN, file: planFile(session.transcript) },
        call: { tool: 'ExitPlanMode', input: { plan: PLAN, planFilePath: planFile(session.transcript) } },
        offers: [{ kind: 'mode', mode: 'acceptEdits' }],
      },
    ]);
    expect(session.mode).toBe('acceptEdits');
    expect(await stage.read('a.txt')).toBe('x');
    expect(await readPlan(session.transcript)).toBe(`${PLAN}\n`);
    const order = stage.events.flatMap(({ event: { kind } }) =>
      kind === 'mode-changed' || kind === 'call-finished' ? [kind] : [],
    );
    expect(order).toEqual(['mode-changed', 'call-finished', 'call-finished']);
    expect(mainResults(stage)).toEqual([
      {
        text: `The person accepted the plan. It is kept in ${planFile(session.transcript)}. Carry it out.`,
        isError: false,
      },
    ]);
    // The mode is reported as a part of the history, behind the result.
    expect(saidIn(stage.sim.requests[1] as never)).toContain(
      'Plan mode has ended. The session is now in the mode acceptEdits: edits of files in the working folders need no question.',
    );
  });

  it('EX-15: accepted: each edit is asked about', async () => {
    const { questions, onPermission } = answering({ behavior: 'allow' });
    const { stage, session } = await plan((at) => [[exitPlan(PLAN)], [write(inFolder(at, 'a.txt'))], 'done'], {
      onPermission,
    });
    expect(session.mode).toBe('default');
    expect(questions.map(({ about, call }) => [about, call.tool])).toEqual([
      ['plan', 'ExitPlanMode'],
      [undefined, 'Write'],
    ]);
    expect(isThere(stage, 'a.txt')).toBe(true);
  });

  it('EX-15: what was not offered is not chosen: no answer makes the mode wider', async () => {
    for (const always of [
      [{ kind: 'mode', mode: 'bypassPermissions' }],
      [{ kind: 'rule', rule: 'Bash', where: 'session' }],
      'x',
    ]) {
      const { onPermission } = answering({ behavior: 'allow', always: always as never });
      const { session } = await plan([[exitPlan(PLAN)], 'done'], { onPermission });
      expect(session.mode).toBe('default');
    }
  });

  it('EX-15: continue planning: the user’s remark reaches the model, nothing is changed, and it stays in plan mode', async () => {
    const { onPermission } = answering({ behavior: 'deny', reason: 'Use SQLite, not files.' });
    const { stage, session } = await plan((at) => [[exitPlan(PLAN), write(inFolder(at, 'a.txt'))], 'done'], {
      onPermission,
    });
    expect(session.mode).toBe('plan');
    expect(modes(stage)).toEqual([]);
    const [said, written] = mainResults(stage);
    expect(said).toMatchObject({
      isError: true,
      text: expect.stringMatching(/says:\nUse SQLite, not files\.\nPlan mode goes on/),
    });
    expect(written?.text).toContain('plan mode only reads');
    expect(isThere(stage, 'a.txt')).toBe(false);
  });

  it('EX-15: changed by the user: that plan is accepted, without a second question, and the model gets it', async () => {
    const { questions, onPermission } = answering({ ...ACCEPT_EDITS, updatedInput: { plan: 'Only b.txt' } } as never);
    const responses: unknown[] = [];
    const hooks = {
      PostToolUse: [{ hooks: [(input: { tool_response?: unknown }) => void responses.push(input.tool_response)] }],
    };
    const { stage, session } = await plan([[exitPlan(PLAN)], 'done'], { onPermission, hooks: hooks as never });
    expect(questions).toHaveLength(1);
    expect([session.mode, await readPlan(session.transcript)]).toEqual(['acceptEdits', 'Only b.txt\n']);
    expect(mainResults(stage)[0]?.text).toMatch(/changed the plan and accepted it as it is now.*Only b\.txt$/s);
    expect(responses).toEqual([
      { plan: 'Only b.txt', isAgent: false, filePath: planFile(session.transcript), planWasEdited: true },
    ]);
  });

  it('EX-15: a plan that comes back blank is not accepted; one that is not spoken of is as it was', async () => {
    const blank = await plan(
      [[exitPlan(PLAN)], 'done'],
      answering({ behavior: 'allow', updatedInput: { plan: ' \n' } }),
    );
    expect([blank.session.mode, mainResults(blank.stage)[0]?.isError]).toEqual(['plan', true]);
    expect(mainResults(blank.stage)[0]?.text).toContain('came back without a text');
    const same = await plan([[exitPlan(PLAN)], 'done'], answering({ behavior: 'allow', updatedInput: {} }));
    expect([same.session.mode, mainResults(same.stage)[0]?.isError]).toEqual(['default', false]);
  });
});

describe('EX-15: what does not end it', () => {
  it('EX-15: no hook, no rule and no bypass accepts a plan', async () => {
    const { questions, onPermission } = answering({ behavior: 'deny' });
    const { stage, session } = await plan([[exitPlan(PLAN)], 'done'], {
      onPermission,
      hooks: YES,
      allowedTools: ['ExitPlanMode'],
    } as never);
    expect(questions).toHaveLength(1);
    expect([session.mode, mainResults(stage)[0]?.isError]).toEqual(['plan', true]);
  });

  it.each(['default', 'acceptEdits', 'bypassPermissions', 'dontAsk'] as const)(
    'EX-15: in the mode %s it is an error without a word of approval (#50176, #30833, #43147)',
    async (permissionMode) => {
      const { questions, onPermission } = answering({ behavior: 'allow' });
      const { stage, session } = await plan([[exitPlan(PLAN)], 'done'], { onPermission, permissionMode, hooks: YES });
      expect(questions).toEqual([]);
      const [result] = mainResults(stage);
      expect(result).toMatchObject({ isError: true, text: expect.stringContaining('not in plan mode') });
      expect(result?.text).not.toMatch(/accept|approv/i);
      expect(session.mode).toBe(permissionMode);
    },
  );

  it('EX-15: twice in one reply: the second is no plan any more; a write before it is refused, one after it is judged by the new mode', async () => {
    const { questions, onPermission } = answering(ACCEPT_EDITS);
    const { stage } = await plan(
      (at) => [
        [write(inFolder(at, 'before.txt')), exitPlan(PLAN), exitPlan(PLAN), write(inFolder(at, 'after.txt'))],
        'done',
      ],
      { onPermission },
    );
    expectAllAccepted(stage.sim);
    expect(questions).toHaveLength(1);
    expect(mainResults(stage).map(({ isError }) => isError)).toEqual([true, false, true, false]);
    expect([isThere(stage, 'before.txt'), isThere(stage, 'after.txt')]).toEqual([false, true]);
  });

  it('EX-15: the same plan again, back in plan mode, is asked about again', async () => {
    const stage = await setStage();
    stage.sim.use(script({ main: [[exitPlan(PLAN)], 'one', [exitPlan(PLAN)], 'two'] }));
    const { questions, onPermission } = answering(ACCEPT_EDITS, { behavior: 'deny' });
    const session = await stage.open({ permissionMode: 'plan', onPermission });
    await session.send(begin());
    await session.setMode('plan');
    await session.send('again');
    expect([questions.length, session.mode]).toEqual([2, 'plan']);
    expect(modes(stage)).toEqual(['acceptEdits', 'plan']);
  });

  it('EX-15: a hook sees plan and planFilePath and nothing else; what it makes of the plan is what the user sees', async () => {
    const seen: unknown[] = [];
    const rewrite = (input: { tool_input?: unknown }) => {
      seen.push(input.tool_input);
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { plan: 'of the hook' } } };
    };
    const { questions, onPermission } = answering({ behavior: 'allow' });
    const asked = exitPlan(PLAN, { allowedPrompts: [{ tool: 'Bash', prompt: 'all' }], planFilePath: '/etc/passwd' });
    const { session } = await plan([[asked], 'done'], {
      onPermission,
      hooks: { PreToolUse: [{ hooks: [rewrite] }] } as never,
    });
    expect(seen).toEqual([{ plan: PLAN, planFilePath: planFile(session.transcript) }]);
    expect(questions[0]?.plan?.text).toBe('of the hook');
    expect(await readPlan(session.transcript)).toBe('of the hook\n');
  });

  it('EX-15: a hook may refuse a plan; then nobody is asked', async () => {
    const no = () => ({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message: 'too long' } },
    });
    const { questions, onPermission } = answering({ behavior: 'allow' });
    const { stage, session } = await plan([[exitPlan(PLAN)], 'done'], {
      onPermission,
      hooks: { PermissionRequest: [{ hooks: [no] }] } as never,
    });
    expect([questions.length, session.mode]).toEqual([0, 'plan']);
    expect(mainResults(stage)[0]?.text).toContain('too long');
  });

  it('EX-15: without a plan nothing is shown', async () => {
    const { questions, onPermission } = answering({ behavior: 'allow' });
    const { stage, session } = await plan([[{ tool: 'ExitPlanMode', input: {} }, exitPlan('  ')], 'done'], {
      onPermission,
    });
    expect([questions.length, session.mode]).toEqual([0, 'plan']);
    expect(mainResults(stage).every(({ isError, text }) => isError && text.includes('nothing was shown'))).toBe(true);
  });

  it('EX-15: the last client leaves while it looks: denied, and still in plan mode; so is the session when it continues', async () => {
    const stage = await setStage();
    stage.sim.use(script({ main: [[exitPlan(PLAN)], 'done'] }));
    const session = await stage.open({ permissionMode: 'plan' });
    const leave = session.attach({ onEvent: () => {}, canAnswer: true });
    const work = session.send(begin());
    await until(() => session.questions().length === 1);
    leave();
    expect(await work).toMatchObject({ reason: 'completed', text: 'done' });
    expect([session.mode, mainResults(stage)[0]?.isError]).toEqual(['plan', true]);
    await session.close();
    const again = await stage.open({ resume: session.id });
    expect(again.mode).toBe('plan');
  });

  it('EX-15: an answer that comes after an interruption is none', async () => {
    const stage = await setStage();
    stage.sim.use(script({ main: [[exitPlan(PLAN)], 'done'] }));
    const session = await stage.open({ permissionMode: 'plan', onPermission: () => new Promise(() => {}) });
    const work = session.send(begin());
    await until(() => session.questions().length === 1);
    const [question] = session.questions();
    session.interrupt();
    expect((await work).reason).toBe('interrupted');
    expect(await session.execute({ type: 'answer', question: question?.id ?? '', answer: ACCEPT_EDITS })).toMatchObject(
      {
        ok: false,
      },
    );
    expect(session.mode).toBe('plan');
  });
});

describe('EX-15: headless', () => {
  it('EX-15: the plan is the result: the run ends at once and well, nothing is denied, and plan mode continues', async () => {
    const { stage, session, end } = await plan(
      (at) => [['Look:', exitPlan(PLAN), write(inFolder(at, 'a.txt'))], 'more'],
      {
        hooks: YES,
      },
    );
    expect(end).toMatchObject({ reason: 'completed', text: PLAN, turns: 1 });
    expect(stage.sim.requests).toHaveLength(1);
    expect(session.mode).toBe('plan');
    expect(isThere(stage, 'a.txt')).toBe(false);
    expect(eventsOf(stage, 'permission-answered').map(({ tool }) => tool)).toEqual(['Write']);
    // The conversation can continue, and nobody has said yes.
    await session.send('And?');
    expectAllAccepted(stage.sim);
    expect(JSON.stringify(stage.sim.requests[1]?.body.messages)).toContain('nobody has looked at the plan');
  });
});

describe('EX-4: the model by mode', () => {
  it('EX-4 AG-10: opusplan is opus while it plans and sonnet from the next turn on, once the plan is accepted', async () => {
    const { onPermission } = answering(ACCEPT_EDITS);
    const { stage } = await plan([[exitPlan(PLAN)], 'done'], { onPermission, model: 'opusplan' });
    expectAllAccepted(stage.sim);
    expect(stage.sim.requests.map(({ body }) => body.model)).toEqual(['claude-opus-5-5', 'claude-sonnet-5-5']);
  });

  it('EX-4 AG-10: a session on opusplan that continues in plan mode is on sonnet once its plan is accepted', async () => {
    const stage = await setStage();
    await stage.settings({ model: 'opusplan' });
    stage.sim.use(script({ main: ['hm', [exitPlan(PLAN)], 'done'] }));
    const first = await stage.open({ permissionMode: 'plan' });
    await first.send(begin());
    await first.close();
    const session = await stage.open({ resume: first.id, ...answering(ACCEPT_EDITS) });
    await session.send('go on');
    expect(stage.sim.requests.map(({ body }) => body.model)).toEqual([
      'claude-opus-5-5',
      'claude-opus-5-5',
      'claude-sonnet-5-5',
    ]);
  });
});

it('EX-4: the model is informed of plan mode and of its end, as history, once each; the prefix stays', async () => {
  const stage = await setStage();
  stage.sim.use(script({ main: ['ok'] }));
  const session = await stage.open();
  await session.send(begin());
  for (const mode of ['plan', 'plan', 'default', 'plan'] as const) await session.setMode(mode);
  await session.send('one');
  await session.send('two');
  await session.setMode('default');
  await session.send('three');
  await session.setMode('acceptEdits');
  await session.send('four');
  expectAllAccepted(stage.sim);
  const told = stage.sim.requests.map((request) => {
    const said = saidIn(request);
    return [said.split('in plan mode').length - 1, said.split('Plan mode has ended').length - 1];
  });
  expect(told).toEqual([
    [0, 0],
    [1, 0],
    [1, 0],
    [1, 1],
    [1, 1],
  ]);
  const begun = saidIn(requestOf(stage.sim, 'one'));
  for (const words of ['<system-reminder>', planFile(session.transcript), 'ExitPlanMode'])
    expect(begun).toContain(words);
  expect(eventsOf(stage, 'epoch-started')).toHaveLength(1);
  const [first, ...others] = stage.sim.requests.map(({ body }) => JSON.stringify([body.system, body.tools]));
  expect(others.every((prefix) => prefix === first)).toBe(true);
});

it('EX-4: what a summary or /clear took away is reported again', async () => {
  const stage = await setStage();
  stage.sim.use(script({ main: ['ok'] }));
  const session = await stage.open({ permissionMode: 'plan' });
  for (const words of [begin(), 'more', 'and more']) await session.send(words);
  for (const type of ['compact', 'clear'] as const) {
    expect(await session.execute({ type })).toEqual({ ok: true });
    await session.send('on');
    const said = saidIn(stage.sim.requests.at(-1) as never);
    expect(said.split('The one file you may write').length - 1).toBe(1);
  }
  expectAllAccepted(stage.sim);
});

it('EX-4: an agent without ExitPlanMode is not told of it', async () => {
  const stage = await setStage();
  stage.sim.use(script({ main: ['ok'] }));
  const reader = { name: 'reader', description: 'd', tools: ['Read'] };
  const session = await stage.open({
    permissionMode: 'plan',
    agent: 'reader',
    agents: { reader: { ...reader, prompt: 'p' } },
  } as never);
  await session.send(begin());
  const said = saidIn(stage.sim.requests[0] as never);
  expect([said.includes('give it as your answer'), said.includes('ExitPlanMode')]).toEqual([true, false]);
});
