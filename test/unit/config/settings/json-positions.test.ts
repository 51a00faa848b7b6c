import { describe, expect, it } from 'vitest';
import { findJsonPositions } from '../../../../src/config/settings/json-positions.js';
import fc from '../../../support/fast-check.js';

describe('positions in JSON', () => {
  it('agrees with JSON.parse on what is valid', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', '/*', "'", '\n', '\\', '1', 'x'))
      .map(([json, at, extra]) => {
        const position = at % (json.length + 1);
        return json.slice(0, position) + extra + json.slice(position + (at % 2));
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), damaged), (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(findJsonPositions(text).ok).toBe(valid);
      }),
      { numRuns: 3000 },
    );
  });

  it('finds every value again', () => {
    const text = '{\n  "a": [1, {"b": "x"}],\n  "c": {"d": null}\n}';
    const positions = findJsonPositions(text);
    if (!positions.ok) throw new Error(positions.message);
    expect(positions.at(['a', 1, 'b'])).toEqual({ line: 2, column: 13 });
    expect(positions.at(['c', 'd'])).toEqual({ line: 3, column: 9 });
    expect(positions.at(['nothing'])).toBeUndefined();
  });

  it.each([
    ['{"a": 1,}', 'trailing comma before "}": remove it'],
    ['[1,]', 'trailing comma before "]": remove it'],
    ['{"a": 1 // note\n}', 'comments are not allowed'],
    ["{'a': 1}", 'a key in double quotes'],
    ['{"a" 1}', '":" is missing after the key "a"'],
    ['{"a": 1', '"," or "}" is missing'],
    ['', 'unexpected end of the file'],
    ['{"a": "b\n"}', 'continues after the end of the line'],
    ['{} {}', 'after the end'],
  ])('says what is wrong with %j', (text, message) => {
    const positions = findJsonPositions(text);
    expect(positions.ok ? '' : positions.message).toContain(message);
  });

  it('survives very deep nesting', () => {
    expect(findJsonPositions('['.repeat(100_000)).ok).toBe(false);
  });
});
