/** Compaction between turns: when, what it costs, and what it may cost. */

import { describe, expect, it } from 'vitest';
import { compact } from '../../../src/loop/compact/compact.js';
import { call, type LoopOptions, LoopStage, meanwhile, OPUS, reply, used } from './loop-stage.js';
import { lookTool } from './small-tools.js';

/** The first reply fills nine tenths of the room. */
const FULL = { ...reply(call('a')), usage: used(2_700, 100) };
const OPTIONS: LoopOptions = { context: 4_000, tools: [lookTool()] };

it('LC-24, FK-25: near the limit, between turns: a summary, then a new epoch that begins with it', async () => {
  const stage = new LoopStage([FULL, reply('the summary'), reply('done')], OPTIONS);
  expect(await stage.say('go')).toMatchObject({ reason: 'completed', text: 'done' });
  const [, summary, after] = stage.model.sent;
  expect(summary?.slice(0, -1)).toEqual(['user: go', 'assistant: Look#a', 'user: a=seen']);
  expect(summary?.at(-1)).toContain('<compaction>');
  expect(after).toHaveLength(1);
  expect(after?.[0]).toContain('the summary');
  expect(after?.[0]).toContain('word for word:\n\ngo');
  expect(stage.records.slice(5, 10)).toEqual([
    'call-finished a',
    'message-joined',
    'history-compacted auto',
    'turn-started',
    'epoch-started compaction',
  ]);
  expect(stage.agent.state.generation).toBe(1);
});

it('LC-17: its retries are reported and charged', async () => {
  const fault = { kind: 'server-error', message: 'oops' } as const;
  const summary = { ...reply('half', { type: 'retry', fault }, 'the summary'), usage: used(500, 50) };
  const stage = new LoopStage([FULL, summary, reply('done')], { ...OPTIONS, limits: { maxTokens: 100_000 } });
  expect(await stage.say('go')).toMatchObject({ reason: 'completed', usage: used(2_700 + 1_000, 100 + 100) });
  expect(stage.eventsOf('fault-met')).toMatchObject([{ fault: 'server-error', line: expect.stringContaining('oops') }]);
  expect(stage.eventsOf('response-discarded')).toMatchObject([{ usage: used(500, 50) }]);
  expect(stage.eventsOf('history-compacted')).toMatchObject([{ model: OPUS, usage: used(500, 50) }]);
  const spent = 2_800 + 2 * 550;
  const { budget, epoch } = stage.agent;
  expect(budget.refuses(epoch.model, 0, 100_000 - spent)).toBe(undefined);
  expect(budget.refuses(epoch.model, 0, 100_000 - spent + 1)).toBe('max_tokens');
});

it('LC-17: a request that could exceed the budget is not sent, and the run ends with that', async () => {
  const stage = new LoopStage([FULL, reply('never')], { ...OPTIONS, limits: { maxTokens: 6_000 } });
  expect(await stage.say('go')).toMatchObject({ reason: 'max_tokens', line: expect.stringContaining('--max-tokens') });
  expect(stage.model.requests).toHaveLength(1);
  expect(stage.records.slice(-3)).toEqual(['call-finished a', 'message-joined', 'run-ended max_tokens']);
});

describe('a summary that fails', () => {
  it.each([
    ['a fault', reply({ type: 'fault', fault: { kind: 'unauthorized', message: 'no key' } }), 'could not be compacted'],
    ['nothing but white space', reply('  '), 'gave no summary'],
  ])('LC-24: %s: said, and what was there is kept', async (_name, answer, line) => {
    const stage = new LoopStage([FULL, answer, reply('the summary'), reply('done')], OPTIONS);
    expect(await stage.say('go')).toMatchObject({ reason: 'overflow', line: expect.stringContaining(line) });
    expect(stage.records).not.toContain('history-compacted auto');
    expect(await stage.say('again')).toMatchObject({ reason: 'completed', text: 'done' });
    expect(stage.model.sent[2]?.slice(0, 3)).toEqual(['user: go', 'assistant: Look#a', 'user: a=seen']);
  });

  it('LC-2, LC-17: interrupted: nothing is replaced, and its usage is charged', async () => {
    const cut = reply(
      'half',
      meanwhile(() => stage.abort.abort()),
      { type: 'silence' },
    );
    const stage: LoopStage = new LoopStage([FULL, { ...cut, usage: used(500, 50) }], OPTIONS);
    expect(await stage.say('go')).toMatchObject({ reason: 'interrupted', usage: used(3_200, 150) });
    expect(stage.records).not.toContain('history-compacted auto');
  });
});

it('LC-24: manual compaction takes instructions and notifies hooks; the next prompt follows the summary', async () => {
  const told: unknown[] = [];
  const stage = new LoopStage([reply('hello'), reply('the summary'), reply('done')], {
    hooks: { PreCompact: [{ hooks: [({ trigger, custom_instructions: more }) => void told.push([trigger, more])] }] },
  });
  await stage.say('go');
  const run = { agent: stage.agent, ports: stage.ports, signal: stage.abort.signal };
  expect(await compact(run, 'manual', 'keep the names')).toEqual({ kind: 'recovered' });
  expect(told).toEqual([['manual', 'keep the names']]);
  expect(stage.model.sent[1]?.at(-1)).toContain('The person adds: keep the names');
  await stage.say('on');
  expect(stage.model.sent[2]).toHaveLength(2);
  expect(stage.model.sent[2]?.at(-1)).toBe('user: on');
});

it('LC-24: the request stays verbatim over several compactions, once, however long the work takes', async () => {
  const full = (id: string) => ({ ...reply(call(id)), usage: used(2_700, 100) });
  const asked = `go ${'on '.repeat(400)}`;
  const answers = [full('a'), reply('summary one'), full('b'), reply('summary two'), reply('done')];
  const stage = new LoopStage(answers, { ...OPTIONS, context: 4_000 });
  expect(await stage.say(asked)).toMatchObject({ reason: 'completed', text: 'done' });
  const [last] = stage.model.sent.at(-1) ?? [];
  expect(last?.split('word for word:')).toHaveLength(2);
  expect(last).toContain(`word for word:\n\n${asked}`);
  expect(last).toContain('summary two');
  expect(last).not.toContain('summary one');
});
