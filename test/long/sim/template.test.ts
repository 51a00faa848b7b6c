/** SF-12: varying values get placeholders, which match the current values. */

import { describe, expect, it } from 'vitest';
import { Bindings, Trial, unifyText } from '../../../src/sim/recording/unify.js';
import { KNOWN, template } from '../../unit/sim/recording/template-stage.js';

describe('SF-12: placeholders', () => {
  it('SF-12: a large text takes time in proportion to it', () => {
    const text = `${'/home/ann/work/app/x 0123456789abcdef0 KEY=aaaaaaaaaaaaaaaa '.repeat(20_000)}${'a'.repeat(1_000_000)}`;
    const made = template(text);
    expect(unifyText(made, text, new Trial(new Bindings(KNOWN)))).toBe(true);
    expect(unifyText(made, `${text}b`, new Trial(new Bindings(KNOWN)))).toBe(false);
  });
});
