/** One call: what the model asked for × what gate, hooks, person and tool do with it. */

import { describe, expect, it } from 'vitest';
import type { GatedCall } from '../../../src/gate/gate.js';
import type { Decision } from '../../../src/protocol/permission.js';
import type { Tool } from '../../../src/tools/tool.js';
import { call, type LoopOptions, LoopStage, reply } from './loop-stage.js';
import type { Step } from './scripted-model.js';
import { changeTool, lookTool } from './small-tools.js';

type Row = {
  readonly asks?: Step;
  readonly options?: Omit<LoopOptions, 'tools'>;
  /** Inputs the tool ran with. */
  readonly ran?: readonly unknown[];
  /** What the model reads. */
  readonly result: string;
  /** Records between the reply and the next message. */
  readonly records: readonly string[];
};

const ASK: Decision = { behavior: 'ask', by: 'mode', reason: 'it changes something' };
const CHANGE = call('a', 'Change', { n: 1 });
const FINISHED = ['call-intended a', 'call-finished a'];
const preToolUse = (output: object) => ({ PreToolUse: [{ hooks: [() => ({ hookSpecificOutput: output })] }] });
const before = (more: object) => preToolUse({ hookEventName: 'PreToolUse', ...more });
const denyNumber = (n: number) => (gated: GatedCall) =>
  JSON.stringify(gated.input) === `{"n":${n}}` ? ({ behavior: 'deny', by: 'rule', reason: `not ${n}` } as const) : ASK;

const ROWS: Record<string, Row> = {
  'GT-4: a denied call is not run, and says why': {
    options: { decide: () => ({ behavior: 'deny', by: 'rule', reason: 'Change is denied' }) },
    result: 'a!Permission denied: Change is denied',
    records: ['permission-answered deny by rule', 'call-finished a!'],
  },
  'GT-11: asked and refused': {
    options: { decide: () => ASK },
    result: 'a!Permission denied: the person said no',
    records: ['permission-answered deny by person', 'call-finished a!'],
  },
  'GT-11: asked and allowed': {
    options: { decide: () => ASK, ask: () => ({ behavior: 'allow', by: 'person' }) },
    ran: [{ n: 1 }],
    result: 'a=changed',
    records: ['permission-answered allow by person', ...FINISHED],
  },
  'GT-11: allowed with another input: that one is run': {
    options: { decide: () => ASK, ask: () => ({ behavior: 'allow', by: 'person', updatedInput: { n: 2 } }) },
    ran: [{ n: 2 }],
    result: 'a=changed',
    records: ['permission-answered allow by person', ...FINISHED],
  },
  'GT-4: allowed with an input that a rule denies: the deny stays': {
    options: { decide: denyNumber(2), ask: () => ({ behavior: 'allow', by: 'person', updatedInput: { n: 2 } }) },
    result: 'a!Permission denied: not 2',
    records: ['permission-answered allow by person', 'permission-answered deny by rule', 'call-finished a!'],
  },
  'GT-14: a hook before denies': {
    options: { hooks: before({ permissionDecision: 'deny', permissionDecisionReason: 'not on a Sunday' }) },
    result: 'a!Permission denied: not on a Sunday',
    records: ['permission-answered deny by hook', 'call-finished a!'],
  },
  'GT-14: a hook before rewrites: what is judged and run is the new input': {
    options: { decide: denyNumber(1), hooks: before({ permissionDecision: 'allow', updatedInput: { n: 3 } }) },
    ran: [{ n: 3 }],
    result: 'a=changed',
    records: FINISHED,
  },
  'GT-4: a hook before rewrites into what a rule denies': {
    options: { decide: denyNumber(3), hooks: before({ permissionDecision: 'allow', updatedInput: { n: 3 } }) },
    result: 'a!Permission denied: not 3',
    records: ['permission-answered deny by rule', 'call-finished a!'],
  },
  'LC-23: an unknown tool: the nearest names': {
    asks: call('a', 'Chnage'),
    result: 'a!There is no tool "Chnage". Nearest: Change.',
    records: ['fault-met unknown-tool', 'call-finished a!'],
  },
  'LC-23: malformed JSON is not run': {
    asks: { type: 'broken-call', id: 'a', name: 'Change', json: '{"n": 1' },
    result: 'a!Not run: the input is not a valid JSON object. It begins: {"n": 1',
    records: ['fault-met unusable-call', 'call-finished a!'],
  },
  'LC-23: an input the tool does not understand is told, not run': {
    asks: call('a', 'Change', ['n']),
    result: 'a!Change: the input is not an object',
    records: ['call-finished a!'],
  },
};

it.each(Object.entries(ROWS))('%s', async (_name, { asks = CHANGE, options, ran = [], result, records }) => {
  const inputs: unknown[] = [];
  const change = changeTool(async (input) => {
    inputs.push(input);
    return 'changed';
  });
  const stage = new LoopStage([reply(asks), reply('done')], { ...options, tools: [change] });
  expect((await stage.say('go')).reason).toBe('completed');
  expect(inputs).toEqual(ran);
  expect(stage.model.sent[1]?.at(-1)).toBe(`user: ${result}`);
  expect(between(stage.records)).toEqual(records);
});

it('GT-16, GT-30: each input changed by an answer is judged again; after five changes it is refused', async () => {
  const judged: unknown[] = [];
  let answers = 0;
  const stage = new LoopStage([reply(CHANGE), reply('done')], {
    tools: [changeTool()],
    decide: ({ input }) => {
      judged.push(input);
      return { ...ASK, firm: true };
    },
    ask: () => {
      answers += 1;
      // It gives up in the end: without a limit the test fails, it does not hang.
      return { behavior: 'allow', by: 'person', ...(answers < 20 ? { updatedInput: { n: answers + 1 } } : {}) };
    },
  });
  expect((await stage.say('go')).reason).toBe('completed');
  expect(judged).toEqual([1, 2, 3, 4, 5, 6].map((n) => ({ n })));
  expect(stage.model.sent[1]?.at(-1)).toBe('user: a!Permission denied: the answers changed its input again and again');
});

describe('a tool that breaks its contract', () => {
  const boom = (): never => {
    throw new Error('boom');
  };

  it.each<[string, Partial<Tool>, readonly string[]]>([
    ['parse', { parse: boom }, ['call-finished a!']],
    ['declare', { declare: boom }, ['call-finished a!']],
    ['run, at once', { run: boom }, ['call-intended a', 'call-finished a!']],
    ['run, later', { run: async () => boom() }, ['call-intended a', 'call-finished a!']],
    ['run, with no error', { run: () => Promise.reject('boom') }, ['call-intended a', 'call-finished a!']],
  ])('LC-23: throws in %s: the model is told, the run goes on', async (_where, broken, records) => {
    const stage = new LoopStage([reply(CHANGE, call('b')), reply('done')], {
      tools: [{ ...changeTool(), ...broken }, lookTool()],
    });
    expect(await stage.say('go')).toMatchObject({ reason: 'completed', text: 'done' });
    expect(stage.model.sent[1]?.at(-1)).toBe('user: a!Change broke down: boom b=seen');
    expect(between(stage.records)).toEqual([...records, 'call-finished b']);
  });

  it('LC-2: ignores an abort: after the grace period it is abandoned with its outcome unknown', async () => {
    const hang = changeTool(() => {
      stage.abort.abort();
      return new Promise(() => {});
    });
    const stage: LoopStage = new LoopStage([reply(CHANGE, call('b'))], { tools: [hang, lookTool()] });
    const work = stage.say('go');
    await stage.clock.settle();
    expect(stage.records.at(-1)).toBe('call-intended a');
    expect(stage.clock.next).toBeLessThan(1_000);
    expect((await stage.clock.runWhile(work)).reason).toBe('interrupted');
    expect(stage.records.slice(-4)).toEqual([
      'call-finished a!',
      'call-finished b!',
      'message-joined',
      'run-ended interrupted',
    ]);
    expect(stage.clock.next).toBe(undefined);
  });

  it('LC-2: a tool that ends on its own keeps its own text', async () => {
    const heeds = changeTool(async (_input, { signal }) => {
      stage.abort.abort();
      return signal.aborted ? 'ended early' : 'never';
    });
    const stage: LoopStage = new LoopStage([reply(CHANGE), reply('done')], { tools: [heeds] });
    expect((await stage.say('go')).reason).toBe('interrupted');
    stage.renew();
    await stage.say('on');
    expect(stage.model.sent[1]?.slice(-2)).toEqual(['user: a=ended early', 'user: on']);
  });
});

it('GT-16: hooks after a call add to the result; one that ends the run does so with every call answered', async () => {
  const stop = ({ tool_name }: { tool_name: string }) =>
    tool_name === 'Change'
      ? { continue: false, stopReason: 'enough' }
      : { hookSpecificOutput: { hookEventName: 'PostToolUse' as const, additionalContext: 'mind the step' } };
  const stage = new LoopStage([reply(call('a'), CHANGE_B, call('c')), reply('done')], {
    tools: [lookTool(), changeTool()],
    hooks: { PostToolUse: [{ hooks: [stop] }] },
  });
  expect(await stage.say('go')).toMatchObject({ reason: 'hook_stopped', line: 'enough' });
  await stage.say('on');
  expect(stage.model.sent[1]?.slice(-2)).toEqual([
    'user: a=seen mind the step b=changed c=seen mind the step',
    'user: on',
  ]);
});

const CHANGE_B = call('b', 'Change');

/** What was recorded from the first reply to the message after it. */
function between(records: readonly string[]): string[] {
  const from = records.indexOf('assistant-replied') + 1;
  return records.slice(from, records.indexOf('message-joined', from));
}
