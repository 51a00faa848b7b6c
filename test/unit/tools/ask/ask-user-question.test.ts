/** What may be asked: counts, lengths, texts that can be told apart (EX-16). */

import { expect, it } from 'vitest';
import { createAskUserQuestionTool } from '../../../../src/tools/ask/ask-user-question.js';

const tool = createAskUserQuestionTool(async () => ({ kind: 'nobody' }));
const option = (label: string, description = 'd') => ({ label, description });
const A = { question: 'Which?', header: 'Which', options: [option('a'), option('b')] };
const parse = (...questions: readonly object[]) => {
  const read = tool.parse({ questions });
  return read.ok ? 'ok' : read.reason;
};
const others = (count: number) => Array.from({ length: count }, (_, at) => option(`o${at}`));

it('EX-16: one to four questions with two to four options each', () => {
  expect(parse(A)).toBe('ok');
  expect(parse({ ...A, multiSelect: true, options: [...others(3), { ...option('x'), preview: 'p' }] })).toBe('ok');
  expect(parse(A, { ...A, question: 'b?' }, { ...A, question: 'c?' }, { ...A, question: 'd?' })).toBe('ok');
  for (const wrong of [
    [],
    [1, 2, 3, 4, 5].map((at) => ({ ...A, question: `${at}?` })),
    [{ ...A, options: others(1) }],
    [{ ...A, options: others(5) }],
  ]) {
    expect(parse(...wrong)).toMatch(/expected at (least|most) [1-4]/);
  }
  expect(parse({ ...A, options: [{ label: 'a' }, option('b')] })).toContain(
    '"questions.0.options.0.description" is missing',
  );
});

it.each([
  [
    'a header of 13',
    { ...A, header: '1234567890123' },
    'question 1: "header" has 13 characters; at most 12 are allowed.',
  ],
  ['a blank header', { ...A, header: ' ' }, 'question 1: "header" is blank.'],
  ['a blank question', { ...A, question: '\u200b\n' }, 'question 1: "question" is blank.'],
  ['a blank label', { ...A, options: [option(''), option('b')] }, 'question 1, option 1: "label" is blank.'],
  [
    'a label of 10,000',
    { ...A, options: [option('a'), option('x'.repeat(10_000))] },
    'option 2: "label" has 10000 characters; at most 200 are allowed.',
  ],
  [
    'a long description',
    { ...A, options: [option('a', 'x'.repeat(2_001)), option('b')] },
    'option 1: "description" has 2001 characters',
  ],
  [
    'the same label twice',
    { ...A, options: [option('Yes'), option(' yes\u200b')] },
    'question 1: options 1 and 2 have the same label.',
  ],
])('EX-16: %s is refused with what is wrong', (_, question, reason) => {
  expect(parse(question)).toContain(reason);
  expect(parse(question)).toContain('nothing was asked');
});

it('EX-16: 12 characters are visible characters; a duplicate question is refused', () => {
  expect(parse({ ...A, header: '😀'.repeat(12) })).toBe('ok');
  expect(parse(A, { ...A, header: 'Other' })).toContain('questions 1 and 2 are the same');
  // Labels of different questions may be the same.
  expect(parse(A, { ...A, question: 'And?' })).toBe('ok');
});
