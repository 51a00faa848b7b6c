/** What the tests of full-disk.test.ts share with those of test:long. */

import type { Rule } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';

export const CHILDREN = 6;

/** Main starts six children in the background and ends its turn; their model waits for the gate. */
export function sixChildren() {
  const held = gate();
  const asked = { count: 0 };
  const input = { prompt: 'task of the child', description: 'a part', run_in_background: true };
  const rules: Rule[] = [
    {
      when: { user: 'task of the child' },
      reply: async () => {
        asked.count += 1;
        await held.opened;
        return 'child is done';
      },
    },
    { when: { nth: 1 }, reply: Array.from({ length: CHILDREN }, () => ({ tool: 'Agent', input })) },
    { reply: 'Handed on.' },
  ];
  return { rules, held, asked };
}
