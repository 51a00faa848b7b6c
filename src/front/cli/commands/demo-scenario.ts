/** What the simulated model does in the demo: it finds a bug, mends it, and runs the tests. */

import type { Scenario } from '../../../sim/index.js';

export const DEMO_PROMPT = 'The test in total.test.mjs fails. Find out why, mend it, and show me that it passes.';

export const DEMO_FILES: Readonly<Record<string, string>> = {
  'total.mjs': `/** Adds up what a basket costs. */
export function total(items) {
  let sum = 0;
  for (let index = 1; index < items.length; index += 1) {
    sum += items[index].price * items[index].count;
  }
  return sum;
}
`,
  'total.test.mjs': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from './total.mjs';

test('counts every item', () => {
  assert.equal(total([{ price: 3, count: 2 }, { price: 5, count: 1 }]), 11);
});
`,
  'CLAUDE.md': 'Small functions, tests beside them. Run the tests with `node --test`.\n',
};

export function demoScenario(folder: string): Scenario {
  const file = `${folder}/total.mjs`;
  return {
    name: 'demo',
    rules: [
      {
        when: { nth: 1 },
        reply: [
          { thinking: 'The test and the code it tests first; both reads can go together.' },
          'I look at the test and the code it tests.',
          { tool: 'Read', input: { file_path: `${folder}/total.test.mjs` } },
          { tool: 'Read', input: { file_path: file } },
          { tool: 'Grep', input: { pattern: 'total\\(', path: folder, output_mode: 'files_with_matches' } },
        ],
      },
      {
        when: { nth: 2 },
        reply: [
          { thinking: 'The loop begins at 1 and leaves out the first item.' },
          'The loop begins at 1, so the first item is never counted.',
          {
            tool: 'Edit',
            input: { file_path: file, old_string: 'let index = 1;', new_string: 'let index = 0;' },
          },
        ],
      },
      {
        when: { nth: 3 },
        reply: ['Now the tests.', { tool: 'Bash', input: { command: 'node --test', description: 'Run the tests' } }],
      },
      {
        when: { nth: 4 },
        reply:
          'Mended in total.mjs:4: the loop began at index 1 and skipped the first item of the basket. `node --test` passes now.',
      },
    ],
  };
}
