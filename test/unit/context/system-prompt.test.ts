/** EX-21: the effect of a style on the system prompt; without one, nothing changes. */

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { systemPrompt } from '../../../src/context/system-prompt.js';

const style = { name: 'Terse', keepsCoding: false, prompt: 'Say little.' };

it('EX-21: without a style the bytes are what they were before styles', () => {
  const [text = '', ...more] = systemPrompt();
  expect(more).toEqual([]);
  expect(createHash('sha256').update(text).digest('hex')).toBe(
    '630f14a019fa44f06100eaca834c4c0eb64e9a7ff6d7f6716a5228d4089e5a79',
  );
});

it('EX-21: a style leaves out the coding part, and nothing else', () => {
  const [whole = ''] = systemPrompt();
  const [text = '', added] = systemPrompt({ style });
  expect(text).not.toContain('# Working');
  expect(text).not.toContain('Make the smallest change');
  const [before, after] = whole.split(/# Working\n[\s\S]*?\n\n(?=# Tools)/);
  expect(text).toBe(`${before}${after}`);
  expect(added).toMatch(/^# Output style: Terse\n.*\n\nSay little\.$/);
});

it('EX-21: a style that keeps the coding part only adds its text, before appended text', () => {
  const kept = systemPrompt({ style: { ...style, keepsCoding: true }, append: 'And more.' });
  expect(kept).toEqual([systemPrompt()[0], expect.stringContaining('Say little.'), 'And more.']);
});

it('EX-21: a replaced system prompt has no style', () => {
  expect(systemPrompt({ replace: 'Mine.', style })).toEqual(['Mine.']);
});
