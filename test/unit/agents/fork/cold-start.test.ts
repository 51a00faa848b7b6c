import { describe, expect, it } from 'vitest';
import { coldStartLine } from '../../../../src/agents/fork/cold-start.js';

const whole = { with: 'main', of: 9, bytes: 9 };
const expected = { cached: 1000, model: { id: 'm', keepsThinking: true }, description: 'part 1' };

describe('coldStartLine', () => {
  it('FK-13: no warning if at least nine tenths were read, or nothing was cached', () => {
    expect(coldStartLine(expected, 900, undefined)).toBeUndefined();
    expect(coldStartLine({ ...expected, cached: 0 }, 0, undefined)).toBeUndefined();
  });

  it('FK-13: names the first difference', () => {
    const shared = { with: 'main', of: 10, bytes: 5, difference: 'tools[7].description differs at character 3' };
    const line = coldStartLine(expected, 899, shared);
    expect(line).toContain('899 of the 1,000 tokens');
    expect(line).toContain('(89.9%)');
    expect(line).toContain('tools[7].description differs at character 3');
    expect(line).toContain('"part 1"');
  });

  it('FK-13: names the model that drops earlier thinking, or that the cache entry was gone', () => {
    expect(coldStartLine({ ...expected, model: { id: 'old', keepsThinking: false } }, 0, whole)).toMatch(
      /old drops earlier thinking.*keepsThinking/,
    );
    expect(coldStartLine(expected, 0, whole)).toContain('expired');
  });

  it('FK-13: reports that its parent has switched since, so that there was nothing to repeat', () => {
    expect(coldStartLine(expected, 0, undefined)).toMatch(/has switched to another model, effort or tools/);
  });
});
