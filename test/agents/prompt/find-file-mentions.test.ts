/** Mentions in words that somebody made on purpose (EX-3). */

import { expect, it } from 'vitest';
import { findFileMentions } from '../../../src/agents/prompt/find-file-mentions.js';

it('EX-3: what is longer than any path is no mention, and takes no time', () => {
  const long = `@${'.'.repeat(1_000_000)}x`;
  expect(findFileMentions([`${long} and @src/a.ts.`])).toEqual([
    { written: '@src/a.ts.', paths: ['src/a.ts.', 'src/a.ts'] },
  ]);
});
