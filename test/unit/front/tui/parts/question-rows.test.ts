/** A question in a window that is too small for it. */

import { expect, it } from 'vitest';
import { questionRows, type ShownQuestion } from '../../../../../src/front/tui/parts/question-rows.js';
import { chooseTheme } from '../../../../../src/front/tui/theme/choose-theme.js';

const THEME = chooseTheme({ level: 0, background: 'dark' });

const choice = (key: string, text: string) => ({ key, text, isHighlighted: false });

const SHOWN: ShownQuestion = {
  text: {
    head: 'fork-7 asks',
    call: { tool: 'Bash', input: 'git push --force' },
    details: [{ kind: 'detail', text: '  in /a/rather/long/path/of/a/project' }],
    lines: [],
    marks: ['rewrites the remote'],
  },
  choices: [
    choice('1', 'once'),
    choice('2', 'always Bash(git push --force origin api)'),
    choice('l', 'the same in local settings'),
    choice('3', 'no, because…'),
  ],
  isList: false,
  hints: [],
  isAway: false,
  scrolled: 0,
};

it.each([6, 7, 8, 9, 10])('TU-12: in %i rows of 30 columns, yes and no are both in sight', (maxRows) => {
  const { rows } = questionRows(SHOWN, { width: 30, maxRows }, THEME);
  expect(rows.length).toBeLessThanOrEqual(maxRows);
  expect(rows.some((row) => row.includes('1 once'))).toBe(true);
  expect(rows.some((row) => row.includes('3 no, because…'))).toBe(true);
  expect(rows.some((row) => row.includes('! rewrites the remote'))).toBe(true);
});
