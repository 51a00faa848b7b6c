import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { SimRequest } from '../../../../src/sim/index.js';
import { childCall } from '../../../story/background/background-stage.js';
import { setStage } from '../../../support/story.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('many, and nested', () => {
  it('LC-16: 200 background children, 20 at a time: all arrive, memory stays flat, the parent is usable', async () => {
    const page = 'a line of a page that the child reads\n'.repeat(600);
    let most = 0;
    let batch = 0;
    const working = new Set<string>();
    const stage = await setStage([
      { when: { user: 'How is it going?' }, reply: 'Fine.' },
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'CHILD', nth: 1 }, reply: [{ tool: 'Read', input: { file_path: 'page.txt' } }] },
      { when: { said: 'CHILD' }, reply: 'Read it.' },
      {
        when: { user: 'batch' },
        reply: () => {
          batch += 1;
          return Array.from({ length: 50 }, () =>
            childCall({ run_in_background: true, description: `batch ${batch}` }),
          );
        },
      },
      { reply: 'Handed on.' },
    ]);
    await stage.write('page.txt', page);
    // The stage's own list of events would hold what the session lets go of.
    const delivered: string[] = [];
    let spawned = 0;
    const session = await stage.open({
      onEvent: ({ agent, event }) => {
        if (event.kind === 'agent-spawned') spawned += 1;
        if (event.kind === 'agent-state-changed') {
          if (event.state === 'running') working.add(agent);
          else working.delete(agent);
        }
        most = Math.max(most, working.size);
        if (event.kind === 'input-admitted' && event.notice) delivered.push(event.notice.agent);
      },
    });
    const heap: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      await session.send('Start a batch.');
      if (round === 0) {
        // While they work, the person gets an answer.
        const answer = await session.send('How is it going?');
        expect(answer.reason).toBe('completed');
      }
      await session.settled();
      (stage.sim.requests as SimRequest[]).splice(0);
      heap.push(heapMb());
    }
    expect(spawned).toBe(200);
    expect(new Set(delivered).size).toBe(200);
    expect(delivered).toHaveLength(200);
    expect(most).toBeLessThanOrEqual(20);
    expect(most).toBeGreaterThan(10);
    expect(session.tasks().filter((task) => task.status === 'completed')).toHaveLength(200);
    const [first = 0, , , last = 0] = heap;
    if (process.env.BACKGROUND_FIGURES)
      console.log('heap in MB after each 50:', heap.map((mb) => mb.toFixed(1)).join(' '));
    // 150 more children, each with 30 KB of conversation kept three times over, would be 13 MB and more.
    expect(last - first).toBeLessThan(8);
  });
});

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 1_048_576;
}
