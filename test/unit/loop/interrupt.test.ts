/** An interruption at every stage: the run ends, every call has a result, and the next run goes on from there. */

import { expect, it } from 'vitest';
import type { ThinkingBlock } from '../../../src/protocol/blocks.js';
import { call, LoopStage, meanwhile, reply, used } from './loop-stage.js';
import type { Answer, Step } from './scripted-model.js';
import { changeTool, lookTool } from './small-tools.js';

const SILENCE: Step = { type: 'silence' };
const HM: ThinkingBlock = { type: 'thinking', thinking: 'hm', signature: 's' };

type Row = {
  readonly answers: (interrupt: Step) => readonly Answer[];
  /** Interrupts from elsewhere than the stream. */
  readonly arrange?: (stage: LoopStage, interrupt: () => void) => void;
  /** The last records of the run. */
  readonly records: readonly string[];
  /** The next run's first request. */
  readonly next: readonly string[];
};

const ROWS: Record<string, Row> = {
  'before a request: nothing is sent': {
    answers: () => [],
    arrange: (_stage, interrupt) => interrupt(),
    records: ['input-admitted person', 'run-ended interrupted'],
    next: ['user: go on'],
  },
  'before the first word: nothing stays': {
    answers: (interrupt) => [reply(interrupt, SILENCE)],
    records: ['turn-started', 'epoch-started session-start', 'run-ended interrupted'],
    next: ['user: go', 'user: on'],
  },
  'while it thinks: nothing stays': {
    answers: (interrupt) => [reply(HM, interrupt, SILENCE)],
    records: ['turn-started', 'epoch-started session-start', 'run-ended interrupted'],
    next: ['user: go', 'user: on'],
  },
  'while it speaks: the words stay, the call does not': {
    answers: (interrupt) => [reply(HM, 'I will', call('a'), interrupt, SILENCE)],
    records: ['epoch-started session-start', 'assistant-replied', 'run-ended interrupted'],
    next: ['user: go', 'assistant: I will', 'user: on'],
  },
  'after a reply: no call is started, each is answered': {
    answers: () => [reply(call('a'), call('b', 'Change'))],
    arrange: (stage, interrupt) => stage.once('assistant-replied', interrupt),
    records: ['call-finished a!', 'call-finished b!', 'message-joined', 'run-ended interrupted'],
    next: [
      'user: go',
      'assistant: Look#a Change#b',
      'user: a!Not started: the person interrupted. b!Not started: the person interrupted.',
      'user: on',
    ],
  },
  'in a call: its result stays, the next is not started': {
    answers: () => [reply(call('a'), call('b', 'Change'))],
    arrange: (stage, interrupt) => stage.once('call-started', interrupt),
    records: ['call-finished a', 'call-finished b!', 'message-joined', 'run-ended interrupted'],
    next: ['user: go', 'assistant: Look#a Change#b', 'user: a=seen b!Not started: the person interrupted.', 'user: on'],
  },
  'with its last words: the run was interrupted all the same': {
    answers: () => [reply('done')],
    arrange: (stage, interrupt) => stage.once('assistant-replied', interrupt),
    records: ['epoch-started session-start', 'assistant-replied', 'run-ended interrupted'],
    next: ['user: go', 'assistant: done', 'user: on'],
  },
};

it.each(Object.entries(ROWS))('LC-2: %s', async (_name, { answers, arrange, records, next }) => {
  const interrupt = () => stage.abort.abort();
  const script = [...answers(meanwhile(interrupt)), reply('still here')];
  const stage: LoopStage = new LoopStage(script, { tools: [lookTool(), changeTool()] });
  arrange?.(stage, interrupt);
  expect((await stage.say('go')).reason).toBe('interrupted');
  expect(stage.records.slice(-records.length)).toEqual(records);
  stage.renew();
  expect(await stage.say('on')).toMatchObject({ reason: 'completed', text: 'still here' });
  expect(stage.model.sent.at(-1)).toEqual(next);
});

it('LC-2, LC-17: the usage of an interrupted reply is charged, whether or not any of it is kept', async () => {
  const interrupt = meanwhile(() => stage.abort.abort());
  const stage: LoopStage = new LoopStage([
    { ...reply(HM, interrupt, SILENCE), usage: used(10, 1) },
    { ...reply('words', interrupt, SILENCE), usage: used(20, 2) },
  ]);
  expect((await stage.say('go')).usage).toEqual(used(10, 1));
  stage.renew();
  expect((await stage.say('on')).usage).toEqual(used(30, 3));
});
