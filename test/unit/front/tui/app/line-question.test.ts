/** A question that is answered with a line. */

import { expect, it } from 'vitest';
import { LineQuestion } from '../../../../../src/front/tui/app/line-question.js';
import type { KeyEvent } from '../../../../../src/front/tui/input/key-event.js';

const letter = (text: string): KeyEvent => ({ kind: 'key', name: text, text });
const key = (name: string): KeyEvent => ({ kind: 'key', name });

function ask() {
  const answers: (string | undefined)[] = [];
  const question = new LineQuestion('? ', 0, (line) => answers.push(line));
  return { question, answers };
}

it('TU-15: typing that continues while it appears is not for it: only after half a second without a key', () => {
  const { question, answers } = ask();
  expect(question.press(letter('y'), 100)).toBe(false);
  expect(question.press(key('enter'), 550)).toBe(false);
  expect(question.press(letter('y'), 1_049)).toBe(false);
  expect(question.press(letter('n'), 1_549)).toBe(true);
  expect(question.press(key('enter'), 1_560)).toBe(true);
  expect(answers).toEqual(['n']);
});

it('Esc and Ctrl+C leave it unanswered; a paste alone is no answer', () => {
  for (const name of ['esc', 'ctrl+c']) {
    const { question, answers } = ask();
    question.press(key(name), 600);
    expect(answers).toEqual([undefined]);
  }
  const { question, answers } = ask();
  expect(question.press({ kind: 'paste', text: 'yes\n' }, 600)).toBe(true);
  expect(answers).toEqual([]);
  expect(question.frame(40, 3).rows).toEqual(['? yes ']);
});
