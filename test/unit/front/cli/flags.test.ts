/** The rows of the flags. */

import { Option } from 'commander';
import { expect, it } from 'vitest';
import { FLAGS } from '../../../../src/front/cli/flags.js';

it('every row has the name under which commander stores its value', () => {
  const stored = Object.values(FLAGS).map(({ flags }) => new Option(flags).attributeName());
  expect(stored).toEqual(Object.keys(FLAGS));
});
