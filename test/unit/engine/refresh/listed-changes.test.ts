/** What came and went in a list that was announced to a model. */

import { describe, expect, it } from 'vitest';
import { describeListedChange, linesOf } from '../../../../src/engine/refresh/listed-changes.js';

const entry = (name: string, description = 'd') => ({ name, description });
const many = (count: number) => Array.from({ length: count }, (_, n) => entry(`s${n}`));

describe('EX-9 FK-25: a list that changed', () => {
  it('EX-9: what is new, what has another description, what is gone', () => {
    const before = [entry('same'), entry('other', 'old words'), entry('gone'), entry('lost')];
    const now = [entry('same'), entry('other', 'new words'), entry('new', '')];
    expect(describeListedChange('Changed.', before, now)).toBe(
      'Changed.\nNow there:\n- other: new words\n- new\nNo longer there: gone, lost',
    );
  });

  it('EX-9: only one of both, or nothing at all', () => {
    expect(describeListedChange('H', [], [entry('a')])).toBe('H\nNow there:\n- a: d');
    expect(describeListedChange('H', [entry('a')], [])).toBe('H\nNo longer there: a');
    expect(describeListedChange('H', [entry('a')], [entry('a')])).toBeUndefined();
  });

  it('EX-9: a line each for 50, then names, and no more than 500 of those', () => {
    const lines = linesOf(many(50));
    expect(lines).toHaveLength(50);
    expect(lines.at(-1)).toBe('- s49: d');
    expect(linesOf(many(52)).slice(50)).toEqual(['and: s50, s51']);
    expect(linesOf(many(550)).at(-1)).toMatch(/^and: s50, .*, s549$/);
    expect(linesOf(many(551)).at(-1)).toMatch(/, s549 and 1 more$/);
    expect(describeListedChange('H', many(501), [])).toMatch(/, s499 and 1 more$/);
  });

  it('EX-9: a description is one visible line of at most 300 characters', () => {
    expect(linesOf([entry('a', '  two\n\n lines\t here ')])).toEqual(['- a: two lines here']);
    expect(linesOf([entry('a', 'x'.repeat(300))])).toEqual([`- a: ${'x'.repeat(300)}`]);
    expect(linesOf([entry('a', 'x'.repeat(301))])).toEqual([`- a: ${'x'.repeat(300)}`]);
    expect(linesOf([entry('a', 'safe\u202egpj.sh')]).join()).not.toContain('\u202e');
  });
});
