/** Files that words name as `@path`. */

import { describe, expect, it } from 'vitest';
import { findFileMentions } from '../../../../src/agents/prompt/find-file-mentions.js';

describe('EX-3: @path in a text', () => {
  it.each([
    ['see @src/a.ts', ['@src/a.ts'], ['src/a.ts']],
    ['@a.ts at the start', ['@a.ts'], ['a.ts']],
    ['(@a.ts) and [@b.ts]', ['@a.ts)', '@b.ts]'], ['a.ts)', 'a.ts', 'b.ts]', 'b.ts']],
    ['in @notes.md.', ['@notes.md.'], ['notes.md.', 'notes.md']],
    ['is it @a.ts?!', ['@a.ts?!'], ['a.ts?!', 'a.ts']],
    ['@"my file.md" here', ['@"my file.md"'], ['my file.md']],
    ['@"odd." here', ['@"odd."'], ['odd.']],
    ['@~/x and @/etc/hosts', ['@~/x', '@/etc/hosts'], ['~/x', '/etc/hosts']],
    ['@a.ts, @a.ts and @a.ts', ['@a.ts,', '@a.ts'], ['a.ts,', 'a.ts', 'a.ts']],
  ])('EX-3: %s', (words, written, paths) => {
    const found = findFileMentions([words]);
    expect(found.map((mention) => mention.written)).toEqual(written);
    expect(found.flatMap((mention) => mention.paths)).toEqual(paths);
    expect(found.every((mention) => !('lines' in mention))).toBe(true);
  });

  it.each(['you@example.com', 'a@b', '@', '@/', '@/.', '@ a', '@...'.slice(0, 1)])('EX-3: %s names none', (words) => {
    expect(findFileMentions([words]).flatMap(({ paths }) => paths.filter((path) => path !== '/.'))).toEqual([]);
  });

  it.each([
    ['@a.ts#L10', { from: 10 }],
    ['@a.ts#L10-20', { from: 10, to: 20 }],
    ['@a.ts#L10-L20', { from: 10, to: 20 }],
    ['@a.ts#10-20', { from: 10, to: 20 }],
    ['@"a.ts#L3"', { from: 3 }],
  ])('EX-3: %s names lines', (words, lines) => {
    expect(findFileMentions([words])).toEqual([{ written: words, paths: ['a.ts'], lines }]);
  });

  it('EX-3: a # that is no line is part of the name; several texts are one list', () => {
    expect(findFileMentions(['@a#b.ts', 'and @b.ts']).map(({ paths }) => paths)).toEqual([['a#b.ts'], ['b.ts']]);
  });
});

it('EX-3: what is longer than any path is no mention, and takes no time', () => {
  const long = `@${'.'.repeat(1_000_000)}x`;
  expect(findFileMentions([`${long} and @src/a.ts.`])).toEqual([
    { written: '@src/a.ts.', paths: ['src/a.ts.', 'src/a.ts'] },
  ]);
});
