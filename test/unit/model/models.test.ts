/** SF-8: model data, and values derived from it. */

import { expect, it } from 'vitest';
import { costOf, costWithoutCache, modelData, resolveModel } from '../../../src/model/models.js';
import { thinkingParameters } from '../../../src/model/thinking.js';

it('SF-8: aliases resolve in any case, settings first, any other name is an id', () => {
  expect(resolveModel('Opus')).toBe('claude-opus-5-5');
  expect(resolveModel(' sonnet ')).toBe('claude-sonnet-5-5');
  expect(resolveModel('sonnet', { aliases: { sonnet: 'mine' } })).toBe('mine');
  expect(resolveModel('My-Model')).toBe('My-Model');
});

it('SF-8: a dated id has the data of its model; an override applies to both; an unknown one has no price', () => {
  expect(modelData('claude-haiku-4-5-20251001').cacheMinimum).toBe(4_096);
  const overrides = { models: { 'claude-haiku-4-5': { context: 9 } } };
  expect(modelData('claude-haiku-4-5-20251001', overrides)).toMatchObject({
    id: 'claude-haiku-4-5-20251001',
    context: 9,
  });
  const unknown = modelData('somebody-elses');
  expect(unknown.prices).toBeUndefined();
  expect(costOf({ input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }, unknown)).toBeUndefined();
});

it('SF-8: each kind of token has its own price', () => {
  const data = modelData('claude-sonnet-4-6');
  const million = 1_000_000;
  const usage = { input: million, output: million, cacheRead: million, cacheWrite5m: million, cacheWrite1h: million };
  expect(costOf(usage, data)).toBeCloseTo(3 + 15 + 0.3 + 3.75 + 6);
  expect(costWithoutCache(usage, data)).toBeCloseTo(4 * 3 + 15);
});

it('SF-7: thinking is asked for as each model takes it, and never beyond the room for the reply', () => {
  expect(thinkingParameters(modelData('opus-of-nobody'), true, 'high')).toEqual({});
  expect(thinkingParameters(modelData('claude-opus-5-5'), false, undefined).thinking).toMatchObject({
    kind: 'adaptive',
  });
  expect(thinkingParameters(modelData('claude-sonnet-5-5'), false, 'low')).toEqual({
    thinking: { kind: 'off' },
    effort: 'low',
  });
  const budget = (maxTokens?: number) =>
    thinkingParameters(modelData('claude-haiku-4-5'), true, 'high', maxTokens).thinking;
  expect(budget()).toEqual({ kind: 'budget', tokens: 24_000 });
  expect(budget(5_000)).toEqual({ kind: 'budget', tokens: 2_500 });
  expect(budget(2_000)).toBeUndefined();
});
