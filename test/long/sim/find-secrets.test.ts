/** SF-12: what is taken for a secret in a text, and what is not. */

import { expect, it } from 'vitest';
import { Templater } from '../../../src/sim/recording/templater.js';

it('SF-12: a text may have any number of secrets', () => {
  const made = new Templater({}, []).ofText('token = "abcdefgh"\n'.repeat(200_000));
  expect(made).not.toContain('abcdefgh');
});
