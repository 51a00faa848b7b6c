/** CL-2: what a client says about the model reaches it. */

import { expect } from 'vitest';
import { type Case, runCases } from './cases.js';

const OPUS = 'claude-opus-5';
/** A model that takes a number of tokens to think. */
const BUDGETED = 'claude-sonnet-4-5';

const CASES: readonly Case[] = [
  {
    about: 'model',
    says: 'an alias or a full id',
    given: { model: 'haiku' },
    expects: ({ sent, messages }) => {
      expect(sent.map(({ model }) => model)).toEqual(['claude-haiku-5-5']);
      expect(messages.find(({ subtype }) => subtype === 'init')?.model).toBe('claude-haiku-5-5');
    },
  },
  {
    about: 'effort',
    says: 'is sent with every request',
    given: { model: OPUS, effort: 'low' },
    expects: ({ sent }) => expect(sent[0]?.output_config?.effort).toBe('low'),
  },
  {
    about: 'thinking',
    says: '`disabled` turns it off, where the model can be without',
    given: { model: OPUS, thinking: { type: 'disabled' } },
    expects: ({ sent, error }) => {
      expect(error).toBeUndefined();
      expect(sent[0]?.thinking).toEqual({ type: 'disabled' });
    },
  },
  {
    about: 'thinking',
    says: '`adaptive`, and what is shown of it',
    given: { model: OPUS, thinking: { type: 'adaptive', display: 'omitted' } },
    expects: ({ sent }) => expect(sent[0]?.thinking).toEqual({ type: 'adaptive', display: 'omitted' }),
  },
  {
    about: 'thinking',
    says: '`enabled` with `budgetTokens`: the budget, where a model takes one',
    given: { model: BUDGETED, thinking: { type: 'enabled', budgetTokens: 4321 } },
    expects: ({ sent }) => expect(sent[0]?.thinking).toMatchObject({ type: 'enabled', budget_tokens: 4321 }),
  },
  {
    about: 'thinking',
    says: 'on other models a budget means `adaptive`',
    given: { model: OPUS, thinking: { type: 'enabled', budgetTokens: 4321 } },
    expects: ({ sent }) => expect(sent[0]?.thinking).toMatchObject({ type: 'adaptive' }),
  },
  {
    about: 'maxThinkingTokens',
    says: 'the same budget',
    given: { model: BUDGETED, maxThinkingTokens: 2345 },
    expects: ({ sent }) => expect(sent[0]?.thinking).toMatchObject({ type: 'enabled', budget_tokens: 2345 }),
  },
  {
    about: 'maxThinkingTokens',
    says: '0 turns thinking off',
    given: { model: OPUS, maxThinkingTokens: 0 },
    expects: ({ sent }) => expect(sent[0]?.thinking).toEqual({ type: 'disabled' }),
  },
  {
    about: 'fallbackModel',
    says: 'takes over when the model is overloaded, and `system/model_fallback` says so',
    rules: [
      { when: { model: 'opus' }, fault: { kind: 'overloaded', retryAfter: 0 } },
      { when: { model: 'haiku' }, reply: 'Here.' },
    ],
    given: { model: OPUS, fallbackModel: 'haiku' },
    expects: ({ result, messages, sent }) => {
      expect(result).toMatchObject({ subtype: 'success', result: 'Here.' });
      expect(sent.at(-1)?.model).toBe('claude-haiku-5-5');
      expect(messages.find(({ subtype }) => subtype === 'model_fallback')).toMatchObject({
        original_model: OPUS,
        fallback_model: 'claude-haiku-5-5',
      });
    },
  },
  {
    about: 'betas',
    says: 'are in the header of each request',
    given: { betas: ['context-1m-2025-08-07'] },
    expects: (_, { sim }) => expect(sim.requests[0]?.headers['anthropic-beta']).toContain('context-1m-2025-08-07'),
  },
  {
    about: 'taskBudget',
    says: 'is sent with the beta that it needs',
    given: { taskBudget: { total: 54_321 } },
    expects: ({ sent }, { sim }) => {
      expect(sent[0]?.output_config).toMatchObject({ task_budget: { type: 'tokens', total: 54_321 } });
      expect(sim.requests[0]?.headers['anthropic-beta']).toContain('task-budgets');
    },
  },
];

runCases('CL-2', 'model', CASES);
