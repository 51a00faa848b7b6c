/** Ends of agents as lines of the history. */

import { expect, it } from 'vitest';
import { AgentEndLines } from '../../../../../src/front/tui/history/agent-end-lines.js';
import type { AgentEvent, AgentStatus } from '../../../../../src/protocol/events.js';
import { agent, viewOf } from '../../view/tree/sample-view.js';

const view = viewOf([
  ...Array.from({ length: 9 }, (_, index) => agent(`fork-${index}`, { background: true })),
  agent('waited-for'),
]);
const done = agent('old', { status: 'completed' });

function stage() {
  const ends = new AgentEndLines();
  const main = (kind: AgentEvent['kind']) =>
    ends.take({ agent: 'main', seq: undefined, event: { kind } as AgentEvent }, view);
  const end = (who: string, state: AgentStatus = 'completed') =>
    ends.take(
      { agent: who, seq: 9, event: { kind: 'agent-state-changed', state, run: 1 } },
      viewOf([...view.agents.values(), done]),
    );
  return { ends, main, end };
}

it('TU-7: ends are batched, at most one line a second', () => {
  const { ends, main, end } = stage();
  main('turn-started');
  end('fork-1');
  expect(ends.due(5_000)).toBe('✓ fork-1 done');
  end('fork-2');
  end('fork-3', 'failed');
  end('fork-4');
  expect(ends.due(5_999)).toBeUndefined();
  expect(ends.wait(5_999)).toBe(1);
  expect(ends.due(6_000)).toBe('! fork-3 failed · ✓ fork-2, fork-4 done');
  expect(ends.due(9_000)).toBeUndefined();
});

it('TU-7: the end of an awaited agent is shown by its call, unless it did not complete', () => {
  const { ends, main, end } = stage();
  main('turn-started');
  end('waited-for');
  expect(ends.due(5_000)).toBeUndefined();
  end('waited-for', 'failed');
  expect(ends.due(6_000)).toBe('! waited-for failed');
});

it('TU-7: none between a reply and the next turn', () => {
  const { ends, main, end } = stage();
  main('turn-started');
  main('text-streamed');
  end('fork-1');
  expect(ends.due(1_000)).toBeUndefined();
  main('assistant-replied');
  main('run-ended');
  end('fork-2', 'stopped');
  expect([ends.due(60_000), ends.wait(60_000)]).toEqual([undefined, undefined]);
  main('turn-started');
  expect(ends.due(61_000)).toBe('✓ fork-1 done · × fork-2 stopped');
});

it('TU-7: while calls of a reply run, ends may be printed', () => {
  const { ends, main, end } = stage();
  main('assistant-replied');
  end('fork-1', 'interrupted');
  main('call-started');
  expect(ends.due(1_000)).toBe('‖ fork-1 interrupted');
});

it('many are counted, and an agent that had ended is not reported again', () => {
  const { ends, main, end } = stage();
  main('turn-started');
  for (let index = 0; index < 9; index += 1) end(`fork-${index}`);
  end('fork-1', 'running');
  end('old');
  end('nobody');
  expect(ends.due(0)).toBe('✓ fork-0, fork-1, fork-2, fork-3, fork-4 and 4 more done');
});
