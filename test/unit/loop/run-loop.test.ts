/** What the model does, and what the run comes to: its end, its records in order, the messages that were sent. */

import { describe, expect, it } from 'vitest';
import { call, type LoopOptions, LoopStage, meanwhile, reply } from './loop-stage.js';
import type { Answer } from './scripted-model.js';
import { changeTool, lookTool } from './small-tools.js';

type Row = {
  readonly answers: readonly Answer[];
  readonly options?: LoopOptions;
  readonly end: { readonly reason: string; readonly text?: string; readonly turns?: number; readonly line?: unknown };
  readonly records: readonly string[];
  /** The last request, a line per message. */
  readonly sent: readonly string[];
};

const BEGUN = ['input-admitted person', 'message-joined', 'turn-started', 'epoch-started session-start'];
const CUT = 'Your reply was cut off at the output limit. Go on exactly where it stopped.';

const ROWS: Record<string, Row> = {
  'LC-22: a plain reply ends the run': {
    answers: [reply('hello')],
    end: { reason: 'completed', text: 'hello', turns: 1 },
    records: [...BEGUN, 'assistant-replied', 'run-ended completed'],
    sent: ['user: go'],
  },
  'LC-22: a call is run and its result goes back': {
    answers: [reply('I look', call('a')), reply('done')],
    options: { tools: [lookTool()] },
    end: { reason: 'completed', text: 'done', turns: 2 },
    records: [
      ...BEGUN,
      'assistant-replied',
      'call-finished a',
      'message-joined',
      'turn-started',
      'assistant-replied',
      'run-ended completed',
    ],
    sent: ['user: go', 'assistant: I look Look#a', 'user: a=seen'],
  },
  'DU-4: a call that changes something has its intent on record before it runs': {
    answers: [reply(call('a', 'Change')), reply('done')],
    options: { tools: [changeTool()] },
    end: { reason: 'completed', turns: 2 },
    records: [
      ...BEGUN,
      'assistant-replied',
      'call-intended a',
      'call-finished a',
      'message-joined',
      'turn-started',
      'assistant-replied',
      'run-ended completed',
    ],
    sent: ['user: go', 'assistant: Change#a', 'user: a=changed'],
  },
  'LC-22: max_turns ends the run with every call answered': {
    answers: [reply(call('a')), reply(call('b'))],
    options: { tools: [lookTool()], maxTurns: 2 },
    end: { reason: 'max_turns', turns: 2, line: 'stopped after 2 turns, the limit of this run' },
    records: [
      ...BEGUN,
      'assistant-replied',
      'call-finished a',
      'message-joined',
      'turn-started',
      'assistant-replied',
      'call-finished b',
      'message-joined',
      'run-ended max_turns',
    ],
    sent: ['user: go', 'assistant: Look#a', 'user: a=seen'],
  },
  'LC-23: max_tokens twice: it is asked to go on, and the pieces are one conclusion': {
    answers: [{ ...reply('one '), stop: 'max_tokens' }, { ...reply('two '), stop: 'max_tokens' }, reply('three')],
    end: { reason: 'completed', text: 'one two three', turns: 3 },
    records: [
      ...BEGUN,
      ...['assistant-replied', 'input-admitted reminder', 'message-joined', 'turn-started'],
      ...['assistant-replied', 'input-admitted reminder', 'message-joined', 'turn-started'],
      'assistant-replied',
      'run-ended completed',
    ],
    sent: ['user: go', 'assistant: one ', `user: ${CUT}`, 'assistant: two ', `user: ${CUT}`],
  },
  'LC-23: pause_turn: it is asked again with what it said': {
    answers: [{ ...reply('half '), stop: 'pause_turn' }, reply('whole')],
    end: { reason: 'completed', text: 'half whole', turns: 2 },
    records: [
      ...BEGUN,
      ...['assistant-replied', 'fault-met pause-turn', 'turn-started', 'assistant-replied'],
      'run-ended completed',
    ],
    sent: ['user: go', 'assistant: half '],
  },
  'LC-23: a refusal ends the run, and nothing of it stays': {
    answers: [{ ...reply('I had begun'), stop: 'refusal' }],
    end: { reason: 'refused', text: '', line: 'the model refused to go on with this conversation' },
    records: [...BEGUN, 'response-discarded', 'fault-met refusal', 'run-ended refused'],
    sent: ['user: go'],
  },
};

it.each(Object.entries(ROWS))('%s', async (_name, { answers, options, end, records, sent }) => {
  const stage = new LoopStage(answers, options);
  expect(await stage.say('go')).toMatchObject(end);
  expect(stage.records).toEqual(records);
  expect(stage.model.sent.at(-1)).toEqual(sent);
  expect(stage.model.left).toBe(0);
});

describe('input admitted while it is running', () => {
  it('LC-10: arrives with the next message, after the results, in order of arrival', async () => {
    const look = lookTool(async () => {
      await stage.admit('second', 'message');
      return 'seen';
    });
    const answers = [
      reply(
        meanwhile(() => stage.admit('first')),
        call('a'),
      ),
      reply('done'),
    ];
    const stage: LoopStage = new LoopStage(answers, { tools: [look] });
    expect((await stage.say('go')).reason).toBe('completed');
    expect(stage.model.sent[1]).toEqual(['user: go', 'assistant: Look#a', 'user: a=seen first second']);
  });

  it('LC-10: input that arrives with the end of a reply is answered in the same run', async () => {
    const stage: LoopStage = new LoopStage([
      reply(
        'one',
        meanwhile(() => stage.admit('more')),
      ),
      reply('two'),
    ]);
    expect(await stage.say('go')).toMatchObject({ reason: 'completed', text: 'two', turns: 2 });
    expect(stage.model.sent[1]).toEqual(['user: go', 'assistant: one', 'user: more']);
  });

  it('LC-10: a reminder alone requires no answer, and waits for the next prompt', async () => {
    const stage: LoopStage = new LoopStage([
      reply(
        'one',
        meanwhile(() => stage.admit('by the way', 'reminder')),
      ),
      reply('two'),
    ]);
    expect(await stage.say('go')).toMatchObject({ reason: 'completed', turns: 1 });
    await stage.say('again');
    expect(stage.model.sent[1]).toEqual(['user: go', 'assistant: one', 'user: by the way again']);
  });

  it('LC-9: a child’s inbox closes with its run: earlier input is answered, later input refused', async () => {
    const stage: LoopStage = new LoopStage(
      [
        reply(
          'one',
          meanwhile(() => stage.admit('more')),
        ),
        reply('two'),
      ],
      {
        depth: 1,
      },
    );
    expect(await stage.say('go')).toMatchObject({ reason: 'completed', text: 'two' });
    expect(await stage.admit('too late')).toBe(false);
    expect(stage.records.filter((record) => record === 'input-admitted person')).toHaveLength(2);
  });
});

describe('a hook at the end of a run', () => {
  const block = () => ({ decision: 'block' as const, reason: 'not yet' });

  it('AG-22: continues it with its reason, at most 8 times in a row', async () => {
    const answers = Array.from({ length: 9 }, (_, n) => reply(`answer ${n}`));
    const stage = new LoopStage(answers, { hooks: { Stop: [{ hooks: [block] }] } });
    expect(await stage.say('go')).toMatchObject({ reason: 'completed', text: 'answer 8', turns: 9 });
    expect(stage.records.filter((record) => record === 'input-admitted hook')).toHaveLength(8);
    expect(stage.model.sent.at(-1)?.at(-1)).toBe('user: not yet');
  });

  it('AG-22: a call between two objections resets the count', async () => {
    const answers = Array.from({ length: 18 }, (_, n) => (n === 8 ? reply(call('a')) : reply(`answer ${n}`)));
    const stage = new LoopStage(answers, { tools: [lookTool()], hooks: { Stop: [{ hooks: [block] }] } });
    expect(await stage.say('go')).toMatchObject({ reason: 'completed', turns: 18 });
  });

  it('AG-22: in a child, SubagentStop runs and gets the agent that ends', async () => {
    const ends: unknown[] = [];
    const stage = new LoopStage([reply('done')], {
      depth: 1,
      hooks: {
        SubagentStop: [{ hooks: [({ agent_id, last_assistant_message: said }) => void ends.push([agent_id, said])] }],
      },
    });
    await stage.say('go');
    expect(ends).toEqual([['main', 'done']]);
  });

  it('GT-16: continue false ends the run', async () => {
    const stage = new LoopStage([reply('done')], {
      hooks: { Stop: [{ hooks: [() => ({ continue: false, stopReason: 'enough' })] }] },
    });
    expect(await stage.say('go')).toMatchObject({ reason: 'hook_stopped', line: 'enough' });
  });
});

it('FK-14: trailing thinking of a reply is left out, and signed thinking before text is never edited', async () => {
  const thought = (words: string) => ({ type: 'thinking', thinking: words, signature: `signed ${words}` }) as const;
  const cut = { ...reply(thought('first'), 'so far', thought('and then')), stop: 'max_tokens' as const };
  const stage = new LoopStage([cut, reply('done')]);
  expect(await stage.say('go')).toMatchObject({ reason: 'completed' });
  expect(stage.model.sent[1]?.[1]).toBe('assistant: (first) so far');
  const [kept] = stage.agent.state.history.at(1)?.blocks ?? [];
  expect(kept && JSON.parse(new TextDecoder().decode(kept.bytes))).toEqual(thought('first'));
});
