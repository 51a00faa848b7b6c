/** SF-12: sessions with forks, worktrees, messages, retries and interruptions replay. */

import { describe, expect, it } from 'vitest';
import { agentCall } from '../../support/agent-call.js';
import { expectWhole, record, replay, say, setMachine, startModel } from './replay-stage.js';

describe('SF-12: replay of agents', () => {
  it('SF-12: three forks at once with the same words get each the answer it got', async () => {
    let count = 0;
    const sim = await startModel([
      // Alike for all three: only the call tells them apart.
      {
        when: { user: 'VOTE' },
        reply: () => {
          count += 1;
          return `Vote ${count}.`;
        },
      },
      {
        when: { nth: 1 },
        reply: [1, 2, 3].map(() => agentCall('VOTE', { subagent_type: 'fork', description: 'vote' })),
      },
      { reply: ({ results }) => `Votes: ${results.map(({ text }) => text.split('\n')[0]).join(' ')}` },
    ]);
    const said: string[] = [];
    const options = { fork: 'on' } as const;
    const file = await record(await setMachine(), sim, say('Vote.', said), options);
    expect(said[0], sim.report()).toMatch(/^Votes: Vote \d\. Vote \d\. Vote \d\.$/);
    for (const days of [1, 2, 3]) {
      const again: string[] = [];
      expectWhole(await replay(await setMachine({ project: `p${days}`, days }), file, say('Vote.', again), options));
      expect(again).toEqual(said);
    }
  });

  it('SF-12: a child that was stopped in the middle of its answer is stopped again', async () => {
    const sim = await startModel([
      { when: { said: 'LONG' }, reply: 'It goes on and on.', delay: { eventMs: 5_000 } },
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { nth: 1 }, reply: [agentCall('LONG', { run_in_background: true, name: 'long', description: 'long' })] },
      { when: { nth: 2 }, reply: [{ tool: 'Bash', input: { command: 'sleep 0.3' } }] },
      { when: { nth: 3 }, reply: [{ tool: 'TaskStop', input: { task_id: 'long' } }] },
      { reply: 'Stopped it.' },
    ]);
    const said: string[] = [];
    const file = await record(await setMachine(), sim, say('Go.', said));
    const again: string[] = [];
    expectWhole(await replay(await setMachine({ project: 'x' }), file, say('Go.', again)));
    expect(again).toEqual(said);
  });

  it('SF-12: a session that continues is recorded and replayed like its beginning', async () => {
    const sim = await startModel([
      { when: { nth: 1 }, reply: [agentCall('CHILD', { description: 'part' })] },
      { when: { said: 'CHILD' }, reply: 'The part.' },
      { reply: ({ user }) => `Heard: ${user.split('\n').at(-1)}` },
    ]);
    const here = await setMachine();
    let id = '';
    const first = await record(here, sim, async (session) => {
      id = session.id;
      await say('One.')(session);
    });
    const second = await record(here, sim, say('Two.'), { resume: id });
    const there = await setMachine({ project: 'y', days: 3 });
    let newId = '';
    const begun = await replay(there, first, async (session) => {
      newId = session.id;
      await say('One.')(session);
    });
    expectWhole(begun);
    const said: string[] = [];
    expectWhole(await replay(there, second, say('Two.', said), { resume: newId }));
    expect([newId === id, said[0]]).toEqual([false, 'Heard: Two.']);
  });
});
