/** Forks in worktrees: the bytes they share with their parent, and what they are told after them. */

import { expect, it } from 'vitest';
import { agentCall, begin, mainResults, script } from '../../../story/agents/agents-script.js';
import { listedWorktrees, setRepository } from '../../../story/worktrees/worktree-stage.js';
import { eventsOf, expectAllAccepted } from '../../../support/story.js';

const fork = (n: number | string, more: object = {}) => agentCall(`DIRECTIVE ${n} go`, { fork: true, ...more });

const apart = { isolation: 'worktree' };

const bash = (command: string) => ({ tool: 'Bash', input: { command } });

it('WT-5, WT-13: twenty forks of one reply, each in its own; those without changes are gone, the others on record', async () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index + 101);
  const lines = numbers.map((n) => [
    `DIRECTIVE ${n}`,
    [
      n % 2 === 0 ? [bash(`echo ${n} > own.txt; git add own.txt; git commit -qm ${n}`)] : 'Scope: nothing',
      'Scope: done',
    ],
  ]);
  const stage = await setRepository(
    script({ main: ['hello', numbers.map((n) => fork(n, apart)), 'end'], ...Object.fromEntries(lines) }),
  );
  const session = await stage.open({ fork: 'on', allowedTools: ['Bash'] });
  await session.send(begin());
  await session.send('now');
  expectAllAccepted(stage.sim);
  const results = mainResults(stage, 3);
  expect(results.map(({ isError }) => isError)).toEqual(numbers.map(() => false));
  expect(listedWorktrees(stage)).toHaveLength(10);
  expect(
    eventsOf(stage, 'worktree-settled')
      .map(({ outcome }) => outcome)
      .sort(),
  ).toEqual([...Array(10).fill('kept'), ...Array(10).fill('removed')]);
});
