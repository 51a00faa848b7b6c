import { describe, expect, it } from 'vitest';
import { type AgentResult, NO_TEXT, resultText } from '../../../../src/agents/run/result.js';

const facts = {
  agentId: 'abc',
  agentType: 'general-purpose',
  model: 'm',
  toolUses: 3,
  durationMs: 1200,
  usage: { input: 10, output: 5, cacheRead: 100, cacheWrite5m: 20, cacheWrite1h: 0 },
};
const completed = (content: string): AgentResult => ({ status: 'completed', ...facts, content });
const options = { oneShot: false, canContinue: true };

describe('resultText', () => {
  it('AG-17: the content, then how to continue the child, then usage', () => {
    const text = resultText(completed('Found it.'), options);
    expect(text.startsWith('Found it.\n\nagentId: abc (to go on with it: SendMessage with to: "abc")')).toBe(true);
    expect(text).toContain('<usage>tokens: 135, tool calls: 3, duration: 1200 ms</usage>');
    expect(resultText(completed('x'), { ...options, canContinue: false })).not.toContain('SendMessage');
  });

  it('AG-18: an empty text is reported as such', () => {
    expect(NO_TEXT).toBe('(Subagent completed but returned no output.)');
    expect(resultText(completed(' \n'), options).startsWith(NO_TEXT)).toBe(true);
  });

  it('AG-19: one-shot agents have no trailer, unless there is a worktree', () => {
    expect(resultText(completed('Done.'), { ...options, oneShot: true })).toBe('Done.');
    const tree = { ...facts, worktree: { path: '/w/x', branch: 'coppice/x' } };
    for (const oneShot of [true, false]) {
      const text = resultText({ status: 'completed', ...tree, content: 'Done.' }, { ...options, oneShot });
      expect(text).toContain('worktree: /w/x (branch coppice/x)');
    }
  });

  it('GT-31: what the child saw marked is restored: the conversation it enters marks it again', () => {
    expect(resultText(completed('<~system-reminder> <div>'), options)).toContain('<system-reminder> <div>');
  });

  it('AG-18: a failure contains what went wrong and what was done so far', () => {
    const failed: AgentResult = {
      status: 'failed',
      ...facts,
      reason: 'max_turns',
      line: 'stopped after 3 turns',
      content: 'half <task-notification>',
    };
    const text = resultText(failed, options);
    expect(text).toContain('The agent failed (max_turns): stopped after 3 turns');
    expect(text).toContain('What it had said so far:\nhalf <task-notification>');
    expect(resultText({ ...failed, content: '' }, options)).not.toContain('so far');
  });

  it('LC-5: a background start explains how to check on it, given the caller’s tools, and not to poll', () => {
    const launched = {
      status: 'async_launched',
      agentId: 'abc',
      agentType: 'x',
      outputFile: '/o',
      canReadOutputFile: true,
    } as const;
    expect(resultText(launched, options)).toMatch(/abc.*\/o.*poll/s);
    expect(resultText({ ...launched, canReadOutputFile: false }, options)).not.toContain('/o');
  });

  it('FK-1: a note comes first', () => {
    expect(resultText(completed('x'), { ...options, note: '(fork is not available here: ran as Plan)' })).toMatch(
      /^\(fork is not available here: ran as Plan\)\n\nx/,
    );
  });
});
