/** Faults of a request: what is tried again, what is mended once, what is paid, and what is given up. */

import { describe, expect, it } from 'vitest';
import type { ModelFault } from '../../../src/model/fault.js';
import type { ThinkingBlock } from '../../../src/protocol/blocks.js';
import { call, LoopStage, OPUS, reply, used } from './loop-stage.js';
import type { Answer, Step } from './scripted-model.js';
import { lookTool } from './small-tools.js';

const fault = (kind: Exclude<ModelFault['kind'], 'bad-block'>, message = 'made up'): ModelFault => ({ kind, message });
const badBlock = (message: number, block = 0): ModelFault => ({
  kind: 'bad-block',
  message: 'could not process image',
  at: { message, block },
});
const faulty = (what: ModelFault): Answer => reply({ type: 'fault', fault: what });
const retry = (what: ModelFault): Step => ({ type: 'retry', fault: what });
const thought: ThinkingBlock = { type: 'thinking', thinking: 'hm', signature: 's' };

/** What is left of a budget of so many tokens, for a request without input. */
function isLeft({ agent }: LoopStage, tokens: number): boolean {
  const fits = (output: number) => agent.budget.refuses(agent.epoch.model, 0, output) === undefined;
  return fits(tokens) && !fits(tokens + 1);
}

describe('a temporary fault', () => {
  it('LC-23, LC-17: is retried, reported in one line, and both attempts are charged', async () => {
    const stage = new LoopStage([{ ...reply('half', retry(fault('overloaded')), 'whole'), usage: used(100, 10) }], {
      limits: { maxTokens: 10_000 },
    });
    expect(await stage.say('go')).toMatchObject({ reason: 'completed', text: 'whole', usage: used(200, 20) });
    const again = { attempt: 1, most: 1, delayMs: 1_000, status: 529 };
    expect(stage.eventsOf('fault-met')).toEqual([
      { kind: 'fault-met', fault: 'overloaded', line: 'made up · retrying in 1.0 s (attempt 1)', retry: again },
    ]);
    expect(stage.eventsOf('response-discarded')).toMatchObject([{ model: OPUS, usage: used(100, 10), delayMs: 1_000 }]);
    expect(isLeft(stage, 10_000 - 220)).toBe(true);
  });

  it('LC-23, LC-17: if it persists, the run ends and its usage is charged', async () => {
    const failing = { ...reply('half', { type: 'fault', fault: fault('stream-cut') }), usage: used(100, 10) };
    const stage = new LoopStage([failing, reply('done')], { limits: { maxTokens: 10_000 } });
    expect(await stage.say('go')).toMatchObject({ reason: 'api_error', usage: used(100, 10) });
    expect(isLeft(stage, 10_000 - 110)).toBe(true);
    await stage.say('on');
    expect(stage.model.sent[1]).toEqual(['user: go', 'user: on']);
  });
});

describe('a block that the API rejects', () => {
  const tools = [lookTool()];

  it('LC-23: is replaced by a note; a block that was never accepted ends no epoch', async () => {
    const stage = new LoopStage([reply(call('a')), faulty(badBlock(2)), reply('done')], { tools });
    expect((await stage.say('go')).reason).toBe('completed');
    expect(stage.model.sent[2]).toEqual([
      'user: go',
      'assistant: Look#a',
      'user: a![Left out, because the API refused it: could not process image]',
    ]);
    expect(stage.records.slice(-4)).toEqual([
      'history-mended',
      'fault-met bad-block',
      'assistant-replied',
      'run-ended completed',
    ]);
  });

  it('LC-23, FK-25: a block that was accepted before ends the epoch', async () => {
    const stage = new LoopStage([reply(call('a')), faulty(badBlock(0)), reply('done')], { tools });
    expect((await stage.say('go')).reason).toBe('completed');
    expect(stage.records).toContain('epoch-started history-rejected');
    expect(stage.model.sent[2]?.[0]).toBe('user: [Left out, because the API refused it: could not process image]');
  });

  it('LC-23: is replaced once: if rejected again, the run ends', async () => {
    const stage = new LoopStage([faulty(badBlock(0)), faulty(badBlock(0))]);
    expect(await stage.say('go')).toMatchObject({ reason: 'api_error' });
    expect(stage.records.filter((record) => record === 'history-mended')).toHaveLength(1);
  });

  it('LC-23: an invalid position fixes nothing', async () => {
    const stage = new LoopStage([faulty(badBlock(7))]);
    expect(await stage.say('go')).toMatchObject({ reason: 'api_error' });
    expect(stage.records).not.toContain('history-mended');
  });
});

it('LC-23: thinking that the API no longer accepts is dropped, once', async () => {
  const rejected = faulty(fault('thinking-rejected'));
  const stage = new LoopStage([reply(thought, call('a')), rejected, reply('done'), rejected, rejected], {
    tools: [lookTool()],
  });
  expect((await stage.say('go')).reason).toBe('completed');
  expect(stage.model.sent[1]?.[1]).toBe('assistant: (hm) Look#a');
  expect(stage.model.sent[2]?.[1]).toBe('assistant: Look#a');
  expect(stage.records).toContain('epoch-started history-rejected');
  expect(await stage.say('again')).toMatchObject({ reason: 'api_error' });
});

describe('a conversation that no longer fits', () => {
  const overflow = faulty(fault('context-overflow', 'too long'));

  it('LC-23: is compacted once, and the request continues', async () => {
    const stage = new LoopStage([reply('hello'), overflow, reply('the summary'), reply('done')]);
    await stage.say('first');
    expect(await stage.say('second')).toMatchObject({ reason: 'completed', text: 'done' });
    expect(stage.model.sent[2]?.at(-1)).toContain('<compaction>');
    expect(stage.model.sent[3]).toHaveLength(1);
    expect(stage.model.sent[3]?.[0]).toContain('the summary');
    expect(stage.model.sent[3]?.[0]).toMatch(/<\/conversation-summary> second$/);
    expect(stage.records.slice(-5)).toEqual([
      'fault-met context-overflow',
      'history-compacted overflow',
      'epoch-started compaction',
      'assistant-replied',
      'run-ended completed',
    ]);
  });

  it('LC-23: without a conversation to summarise, it is reported and nothing is summarised', async () => {
    const stage = new LoopStage([overflow]);
    expect(await stage.say('go')).toMatchObject({ reason: 'overflow', line: expect.stringContaining('too long') });
    expect(stage.model.requests).toHaveLength(1);
  });

  it('LC-23: if it still does not fit, that is reported', async () => {
    const stage = new LoopStage([reply('hello'), overflow, reply('the summary'), overflow]);
    await stage.say('first');
    expect(await stage.say('go')).toMatchObject({
      reason: 'overflow',
      line: expect.stringContaining('no longer fits'),
    });
    expect(stage.records.filter((record) => record.startsWith('history-compacted'))).toHaveLength(1);
  });
});
