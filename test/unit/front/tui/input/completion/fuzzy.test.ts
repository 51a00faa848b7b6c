import { describe, expect, it } from 'vitest';
import { FuzzyIndex, scoreOf } from '../../../../../../src/front/tui/input/completion/fuzzy.js';
import fc from '../../../../../support/fast-check.js';

const PATHS = [
  'README.md',
  'src/main.ts',
  'src/front/tui/input/keymap.ts',
  'src/front/tui/input/read-keys.ts',
  'test/unit/front/tui/input/keymap.test.ts',
  'docs/keys.md',
  'src/maintain/index.ts',
];

const found = (query: string, most = 3) => new FuzzyIndex(PATHS).search(query, most).best.map(({ text }) => text);

describe('fuzzy search', () => {
  it.each([
    ['main', ['src/main.ts', 'src/maintain/index.ts']],
    ['keymap', ['src/front/tui/input/keymap.ts', 'test/unit/front/tui/input/keymap.test.ts']],
    [
      'rk',
      ['src/front/tui/input/read-keys.ts', 'src/front/tui/input/keymap.ts', 'test/unit/front/tui/input/keymap.test.ts'],
    ],
    ['KEYS', ['docs/keys.md', 'src/front/tui/input/read-keys.ts', 'src/front/tui/input/keymap.ts']],
    [
      'sftik',
      ['src/front/tui/input/keymap.ts', 'src/front/tui/input/read-keys.ts', 'test/unit/front/tui/input/keymap.test.ts'],
    ],
    ['nothing here', []],
  ])('finds by %j, best first', (query, expected) => {
    expect(found(query)).toEqual(expected);
  });

  it('TU-20: a longer query scans only earlier matches, and going back needs no new search', () => {
    const texts = Array.from({ length: 50_000 }, (_, at) => `src/part-${at % 500}/file-${at}.ts`);
    const index = new FuzzyIndex(texts);
    index.search('f', 10);
    expect(index.examined).toBe(50_000);
    const { count } = index.search('file-49', 10);
    index.search('file-499', 10);
    expect(index.examined).toBe(count);
    const again = index.search('file-4999', 10).count;
    index.search('file-49', 10);
    expect(index.examined).toBeLessThanOrEqual(count);
    expect(again).toBeGreaterThan(0);
  });

  it('finds the same as checking each text alone, whatever was searched before', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'C', '/', '-', 'é', '你'), maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 20 }),
        fc.array(text, { minLength: 1, maxLength: 5 }),
        (texts, queries) => {
          const index = new FuzzyIndex(texts);
          for (const query of queries) {
            const expected = texts
              .map((one, at) => ({ at, score: scoreOf(one, query) }))
              .filter((one) => one.score !== undefined)
              .sort((one, other) => (other.score ?? 0) - (one.score ?? 0) || one.at - other.at);
            const { best, count } = index.search(query, 5);
            expect(count).toBe(expected.length);
            expect(best.map((match) => match.index)).toEqual(expected.slice(0, 5).map((one) => one.at));
          }
        },
      ),
    );
  });
});
