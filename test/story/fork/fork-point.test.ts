/** FK-15: a fork starts where its own call was made, not where an earlier fork of the same parent did. */

import { expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { comparable } from '../../support/wire-body.js';
import { agentCall, begin, script } from '../agents/agents-script.js';
import { expectSuffix, forkRequests, parentRequests } from './fork-check.js';

const fork = (prompt: string) => agentCall(prompt, { fork: true });

/** The fork's first request is the parent's request whose reply asked for it, and a suffix. */
function expectForkOf({ sim }: Stage, directive: string, nth: number): void {
  const parent = parentRequests(sim)[nth - 1] as SimRequest;
  const first = forkRequests(sim).get(directive)?.[0] as SimRequest;
  expect(comparable(first).startsWith(comparable(parent)), sim.report()).toBe(true);
  expectSuffix(parent, first);
}

it('FK-15: a second fork in a later reply has what its parent did since the first', async () => {
  const stage = await setStage(
    script({
      main: [[fork('DIRECTIVE 1')], [{ tool: 'Glob', input: { pattern: '*' } }], [fork('DIRECTIVE 2')], 'End.'],
      DIRECTIVE: ['Scope: done'],
    }),
  );
  await (await stage.open({ fork: 'on' })).send(begin());
  expectForkOf(stage, 'DIRECTIVE 1', 1);
  expectForkOf(stage, 'DIRECTIVE 2', 3);
  expectAllAccepted(stage.sim);
});

it('FK-15: a fork after a rewind has the new words, though the history is as long as it was at the first', async () => {
  const stage = await setStage(
    script({ main: [[fork('DIRECTIVE 1')], 'End.', [fork('DIRECTIVE 2')], 'End.'], DIRECTIVE: ['Scope: done'] }),
  );
  const session = await stage.open({ fork: 'on' });
  await session.send(begin('old words'));
  expect(await session.rewind({ to: 1, part: 'conversation' })).toMatchObject({ ok: true });
  await session.send(begin('new words'));
  expectForkOf(stage, 'DIRECTIVE 1', 1);
  expectForkOf(stage, 'DIRECTIVE 2', 3);
  expectAllAccepted(stage.sim);
});
