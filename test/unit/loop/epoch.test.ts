/** Another mode, model or tools asked for while an agent works: in force at the next safe point, never before. */

import { describe, expect, it } from 'vitest';
import type { Switch } from '../../../src/loop/agent.js';
import { applySwitches } from '../../../src/loop/epoch.js';
import type { ThinkingBlock } from '../../../src/protocol/blocks.js';
import { TranscriptError } from '../../../src/session/transcript/append-port.js';
import { call, LoopStage, meanwhile, OPUS, reply, SONNET } from './loop-stage.js';
import { changeTool, lookTool } from './small-tools.js';

const HM: ThinkingBlock = { type: 'thinking', thinking: 'hm', signature: 's' };
const ACCEPT_EDITS: Switch = { kind: 'mode', mode: 'acceptEdits' };
const toSonnet = (stage: LoopStage): Switch => ({ kind: 'epoch', next: ({ tools }) => stage.epoch(SONNET, tools) });
const models = (stage: LoopStage) => stage.model.requests.map(({ prefix }) => prefix.model);

describe('another model', () => {
  it('FK-25: requested in the middle of a reply: the pair stays whole, the old thinking does not reach the new one', async () => {
    const ask = meanwhile(() => stage.agent.switches.push(toSonnet(stage)));
    const stage: LoopStage = new LoopStage([reply(HM, ask, 'I look', call('a')), reply('done')], {
      tools: [lookTool()],
    });
    expect((await stage.say('go')).reason).toBe('completed');
    expect(models(stage)).toEqual([OPUS, SONNET]);
    expect(stage.model.sent[1]).toEqual(['user: go', 'assistant: I look Look#a', 'user: a=seen']);
    expect(stage.records.slice(4)).toEqual([
      'assistant-replied',
      'call-finished a',
      'history-mended',
      'message-joined',
      'turn-started',
      'epoch-started model-switch',
      'assistant-replied',
      'run-ended completed',
    ]);
    expect(stage.kept).toEqual(stage.model.requests.map(({ prefix }) => prefix.sha256));
  });

  it('FK-25: requested in a call: parallel calls and their results go to the new one together', async () => {
    const look = lookTool(async ({ n }) => {
      if (n === 1) stage.agent.switches.push(toSonnet(stage));
      return `saw ${n}`;
    });
    const calls = [call('a', 'Look', { n: 1 }), call('b', 'Change'), call('c', 'Look', { n: 2 })];
    const stage: LoopStage = new LoopStage([reply(HM, ...calls), reply('done')], { tools: [look, changeTool()] });
    await stage.say('go');
    expect(models(stage)).toEqual([OPUS, SONNET]);
    expect(stage.model.sent[1]?.slice(1)).toEqual([
      'assistant: Look#a Change#b Look#c',
      'user: a=saw 1 b=changed c=saw 2',
    ]);
  });

  it('FK-25: requested with the final reply: it waits for the next run', async () => {
    const ask = meanwhile(() => stage.agent.switches.push(toSonnet(stage)));
    const stage: LoopStage = new LoopStage([reply('one', ask), reply('two')]);
    await stage.say('go');
    expect(stage.agent.switches).toHaveLength(1);
    await stage.say('on');
    expect(models(stage)).toEqual([OPUS, SONNET]);
    expect(stage.agent.switches).toHaveLength(0);
  });

  it('FK-25: the same model again leaves thinking and epoch as they are', async () => {
    const ask = meanwhile(() => stage.agent.switches.push({ kind: 'epoch', next: () => stage.epoch(OPUS) }));
    const stage: LoopStage = new LoopStage([reply(HM, ask, call('a')), reply('done')], { tools: [lookTool()] });
    await stage.say('go');
    expect(stage.model.sent[1]?.[1]).toBe('assistant: (hm) Look#a');
    expect(stage.records.filter((record) => record.startsWith('epoch-started'))).toHaveLength(1);
  });
});

it('GT-5: another mode requested in a call: parallel calls are judged by the old one, the next turn by the new one', async () => {
  const judged: string[] = [];
  const change = changeTool(async (_input, { callId }) => {
    if (callId === 'a') stage.agent.switches.push(ACCEPT_EDITS);
    return 'changed';
  });
  const answers = [reply(call('a', 'Change'), call('b', 'Change')), reply(call('c', 'Change')), reply('done')];
  const stage: LoopStage = new LoopStage(answers, {
    tools: [change],
    decide: ({ id }) => {
      judged.push(`${id} ${stage.agent.requester.mode}`);
      return { behavior: 'allow', by: 'test' };
    },
  });
  await stage.say('go');
  expect(judged).toEqual(['a default', 'b default', 'c acceptEdits']);
  const at = stage.records.indexOf('mode-changed acceptEdits');
  expect(stage.records.slice(at - 1, at + 2)).toEqual([
    'call-finished b',
    'mode-changed acceptEdits',
    'message-joined',
  ]);
});

it('FK-25: other tools requested in a reply are available with the next request, and begin an epoch', async () => {
  const tools = [lookTool(), lookTool(async () => 'new', 'New')];
  const ask = meanwhile(() => stage.agent.switches.push({ kind: 'epoch', next: () => stage.epoch(OPUS, tools) }));
  const stage: LoopStage = new LoopStage([reply(ask, call('a', 'New')), reply(call('b', 'New')), reply('done')], {
    tools: [lookTool()],
  });
  await stage.say('go');
  expect(stage.model.requests.map(({ prefix }) => prefix.tools.map(({ name }) => name).join())).toEqual([
    'Look',
    'Look,New',
    'Look,New',
  ]);
  expect(stage.model.sent[1]?.at(-1)).toContain('a!There is no tool "New"');
  expect(stage.model.sent[2]?.at(-1)).toBe('user: b=new');
  expect(stage.records.filter((record) => record.startsWith('epoch-started'))).toEqual([
    'epoch-started session-start',
    'epoch-started tools-changed',
  ]);
});

it('GT-5: while an agent only waits for its children, the mode is applied and nothing else', async () => {
  const stage = new LoopStage([]);
  stage.agent.switches.push(toSonnet(stage), ACCEPT_EDITS);
  await applySwitches(stage.agent, 'mode');
  expect(stage.agent.state.mode).toBe('acceptEdits');
  expect(stage.agent.epoch.model.id).toBe(OPUS);
  expect(stage.agent.switches).toHaveLength(1);
});

it.each<[string, string, (stage: LoopStage) => Switch]>([
  ['mode', 'mode-changed', () => ACCEPT_EDITS],
  ['model', 'history-mended', toSonnet],
])(
  'DU-4: another %s that can not be saved is not in force, and is taken up at the next safe point',
  async (_what, record, asked) => {
    const stage = new LoopStage([reply(HM, 'one'), reply('two')]);
    await stage.say('go');
    stage.agent.switches.push(asked(stage));
    stage.log.refuses = ({ kind }) => kind === record;
    await expect(stage.say('on')).rejects.toThrow(TranscriptError);
    expect(stage.agent.state.mode).toBe('default');
    expect(stage.agent.epoch.model.id).toBe(OPUS);
    stage.log.refuses = () => false;
    await stage.run();
    expect(stage.records).toEqual(expect.arrayContaining([expect.stringContaining(record)]));
    expect(stage.agent.switches).toHaveLength(0);
    expect(stage.model.sent[1]?.at(-1)).toBe('user: on');
  },
);
