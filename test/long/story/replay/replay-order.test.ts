/** SF-12: sessions with agents in the background replay, whatever the timing was and is. */

import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { play } from '../../../story/replay/replay-order-stage.js';
import { expectWhole, record, replay, setMachine, startModel } from '../../../story/replay/replay-stage.js';
import { agentCall } from '../../../support/agent-call.js';

/** How often; more with REPLAY_RUNS. */
const RUNS = Number(process.env.REPLAY_RUNS ?? 6);

describe('SF-12: replay keeps the order', () => {
  it.each(Array.from({ length: RUNS }, (_, index) => index + 1))(
    'SF-12: background agents with other delays, seed %i',
    async (seed) => {
      const sim = await startModel(story(seed));
      const here = await setMachine();
      const file = await record(here, sim, play);
      expect(sim.unmatched, sim.report()).toEqual([]);
      const status = await replay(await setMachine({ project: 'elsewhere', days: 1 }), file, play);
      expect(status.difference, sim.report()).toBeUndefined();
      expectWhole(status);
    },
  );
});

/** Small numbers that look like chance, the same for one seed. */
function chance(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}

/** Two children in the background and one that is waited for; the main agent goes on meanwhile. */
function story(seed: number): Rule[] {
  const draw = chance(seed);
  const late = <T>(reply: T) => ({ reply, delay: { firstMs: Math.floor(draw() * 60) } });
  const work = (seconds: number) => ({ tool: 'Bash', input: { command: `sleep ${seconds.toFixed(3)}` } });
  const call = (task: string, more: object) => agentCall(task, { description: `part ${task}`, ...more });
  return [
    { when: { said: 'TASK-A', nth: 1 }, ...late([work(draw() * 0.05)]) },
    { when: { said: 'TASK-A' }, ...late('A is done.') },
    { when: { said: 'TASK-B', nth: 1 }, ...late([work(draw() * 0.05)]) },
    { when: { said: 'TASK-B', nth: 2 }, ...late([work(draw() * 0.02)]) },
    { when: { said: 'TASK-B' }, ...late('B is done.') },
    { when: { said: 'TASK-C' }, ...late('C is done.') },
    {
      when: { nth: 1 },
      ...late([
        call('TASK-A', { run_in_background: true, name: 'a' }),
        call('TASK-B', { run_in_background: true, name: 'b' }),
      ]),
    },
    { when: { nth: 2 }, ...late([work(draw() * 0.06)]) },
    { when: { nth: 3 }, ...late([call('TASK-C', {}), work(draw() * 0.03)]) },
    { when: { nth: 4 }, ...late([work(draw() * 0.03)]) },
    { when: { user: '<task-notification>' }, ...late('Heard of it.') },
    { ...late('On.') },
  ];
}
