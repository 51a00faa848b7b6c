import { describe, expect, it } from 'vitest';
import { chooseModel, type ModelQuery } from '../../../../src/agents/catalog/choose-model.js';

const question: ModelQuery = {
  env: {},
  call: undefined,
  definition: 'inherit',
  parent: 'claude-opus-5-5',
  mode: 'default',
  overrides: {},
};

describe('chooseModel', () => {
  const rows: readonly (readonly [string, Partial<ModelQuery>, string])[] = [
    ['nothing is set', {}, 'claude-opus-5-5'],
    ['the definition', { definition: 'haiku' }, 'claude-haiku-5-5'],
    ['the call before the definition', { call: 'sonnet', definition: 'haiku' }, 'claude-sonnet-5-5'],
    [
      'the environment before both',
      { env: { COPPICE_SUBAGENT_MODEL: 'claude-x' }, call: 'sonnet', definition: 'haiku' },
      'claude-x',
    ],
    ['the other name of the variable', { env: { CLAUDE_CODE_SUBAGENT_MODEL: 'haiku' } }, 'claude-haiku-5-5'],
    [
      'our own variable before the other',
      { env: { COPPICE_SUBAGENT_MODEL: 'sonnet', CLAUDE_CODE_SUBAGENT_MODEL: 'haiku' } },
      'claude-sonnet-5-5',
    ],
    ['an empty variable is not set', { env: { COPPICE_SUBAGENT_MODEL: '' }, call: 'haiku' }, 'claude-haiku-5-5'],
    ['inherit in the call beats the definition', { call: 'inherit', definition: 'haiku' }, 'claude-opus-5-5'],
    ['Inherit in any case', { call: 'Inherit' }, 'claude-opus-5-5'],
    ['opusplan outside plan mode', { call: 'opusplan', parent: 'claude-haiku-5-5' }, 'claude-sonnet-5-5'],
    ['opusplan in plan mode', { definition: 'OpusPlan', mode: 'plan', parent: 'claude-haiku-5-5' }, 'claude-opus-5-5'],
    ['a full id', { call: 'claude-sonnet-4-5-20250929' }, 'claude-sonnet-4-5-20250929'],
  ];
  it.each(rows)('AG-9: %s', (_name, given, expected) => {
    expect(chooseModel({ ...question, ...given })).toBe(expected);
  });

  it('AG-11: an alias of the parent’s own family is the parent’s exact model', () => {
    const parent = 'us.anthropic.claude-opus-4-5-20251101-v1:0';
    expect(chooseModel({ ...question, call: 'opus', parent })).toBe(parent);
    expect(chooseModel({ ...question, definition: 'Opus', parent })).toBe(parent);
    expect(chooseModel({ ...question, call: 'claude-opus-5-5', parent })).toBe('claude-opus-5-5');
    expect(chooseModel({ ...question, call: 'sonnet', parent: 'claude-sonnet-4-5' })).toBe('claude-sonnet-4-5');
  });

  it('AG-11: another family goes through the alias map, which settings extend', () => {
    const overrides = { aliases: { haiku: 'my-gateway/haiku', quick: 'tiny-1' } };
    expect(chooseModel({ ...question, call: 'haiku', overrides })).toBe('my-gateway/haiku');
    expect(chooseModel({ ...question, call: 'quick', overrides })).toBe('tiny-1');
  });
});
