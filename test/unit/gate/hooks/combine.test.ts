import { describe, expect, it } from 'vitest';
import { combine } from '../../../../src/gate/hooks/combine.js';
import type { HookAnswer } from '../../../../src/gate/hooks/hook-answer.js';
import fc from '../../../support/fast-check.js';

const answer = (parts: Partial<HookAnswer>): HookAnswer => ({ messages: [], ...parts });
const verdict = (...answers: readonly Partial<HookAnswer>[]) => combine('PreToolUse', answers.map(answer));

const anyAnswer = fc.record<Partial<HookAnswer>>({
  decision: fc.constantFrom('allow', 'ask', 'deny', undefined),
  reason: fc.option(fc.string(), { nil: undefined }),
  updatedInput: fc.option(fc.record({ command: fc.string() }), { nil: undefined }),
  context: fc.option(fc.string(), { nil: undefined }),
  stop: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
});

describe('many answers, one verdict', () => {
  it('GT-15: the strictest wins, whatever the others say and in whatever order', () => {
    const strictness = { allow: 1, ask: 2, deny: 3 };
    fc.assert(
      fc.property(fc.array(anyAnswer, { maxLength: 6 }), (answers) => {
        const given = answers.map(({ decision }) => (decision === undefined ? 0 : strictness[decision]));
        const { decision, updatedInput } = verdict(...answers);
        const expected = answers.some(({ stop }) => stop !== undefined) ? 3 : Math.max(0, ...given);
        expect(decision === undefined ? 0 : strictness[decision]).toBe(expected);
        if (decision === 'deny') expect(updatedInput).toBeUndefined();
      }),
    );
  });

  it('GT-15: the reasons of those who decided are joined; the others’ are not', () => {
    const said = verdict(
      { decision: 'deny', reason: 'a' },
      { decision: 'ask', reason: 'b' },
      { decision: 'deny', reason: 'c' },
    );
    expect(said).toMatchObject({ decision: 'deny', reason: 'a\nc' });
  });

  it('GT-16: of several different rewritten inputs the last applies, and that is reported', () => {
    const said = verdict({ updatedInput: { command: 'a' } }, { updatedInput: { command: 'b' } });
    expect(said.updatedInput).toEqual({ command: 'b' });
    expect(said.messages).toMatchObject([{ level: 'warning', text: expect.stringContaining('updatedInput') }]);
    expect(verdict({ updatedInput: { a: 1 } }, { updatedInput: { a: 1 } }).messages).toEqual([]);
  });

  it('GT-16: context adds up in the order of the configuration', () => {
    expect(verdict({ context: 'one' }, {}, { context: 'two' }).context).toEqual(['one', 'two']);
  });

  it('GT-16: one that ends the run ends it, and its call does not run', () => {
    expect(verdict({ decision: 'allow', reason: 'fine' }, { stop: 'enough' })).toMatchObject({
      stop: 'enough',
      decision: 'deny',
      reason: 'enough',
    });
    expect(combine('PostToolUse', [answer({ stop: 'enough' })])).not.toHaveProperty('decision');
  });
});
