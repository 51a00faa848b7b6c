/** SF-12: sessions with forks, worktrees, messages, retries and interruptions replay. */

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import { agentCall } from '../../support/agent-call.js';
import { expectWhole, type Machine, record, replay, setMachine, startModel } from './replay-stage.js';

function initRepo({ folder, env }: Machine, branch: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env: env as NodeJS.ProcessEnv });
  git('init', '-q', '-b', branch);
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first');
}

const say =
  (words: string, into: string[] = []) =>
  async (session: Session) => {
    into.push((await session.send(words)).text);
    into.push((await session.settled(20_000)).end?.text ?? '');
  };

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

  it('SF-12: a child in a worktree, in a repository of another branch', async () => {
    const sim = await startModel([
      { when: { said: 'TREE', nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'echo new > made.txt; pwd' } }] },
      { when: { said: 'TREE' }, reply: ({ results }) => `It is in ${results[0]?.text}` },
      { when: { nth: 1 }, reply: [agentCall('TREE', { isolation: 'worktree', description: 'tree' })] },
      { reply: ({ results }) => `Heard: ${results[0]?.text.split('\n')[0]}` },
    ]);
    const here = await setMachine();
    initRepo(here, 'main');
    const said: string[] = [];
    const file = await record(here, sim, say('Go.', said));
    expect(said[0], sim.report()).toContain(here.folder);
    const there = await setMachine({ project: 'other/place' });
    initRepo(there, 'another');
    const again: string[] = [];
    expectWhole(await replay(there, file, say('Go.', again)));
    expect(again[0]).toContain(there.folder);
  });

  it('SF-12: a retry after an overload is played at once', async () => {
    const sim = await startModel([
      {
        when: { nth: 1 },
        fault: { kind: 'overloaded', times: 2, retryAfter: 1 },
        reply: [{ tool: 'TodoWrite', input: { todos: [] } }],
      },
      { reply: 'Done.' },
    ]);
    const file = await record(await setMachine(), sim, say('Go.'));
    expect(sim.requests.map(({ status }) => status)).toEqual([529, 529, 200, 200]);
    const waits: number[] = [];
    const status = await replay(await setMachine(), file, say('Go.'), {
      onEvent: ({ event }) => void (event.kind === 'response-discarded' && waits.push(event.delayMs)),
    });
    expectWhole(status);
    expect(waits).toEqual([0, 0]);
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

  it('SF-12: a child that was stopped in a call is stopped again, though the call is done sooner now', async () => {
    const sim = await startModel([
      { when: { said: 'LONG', nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'test -e fast || sleep 60' } }] },
      { when: { said: 'LONG' }, reply: 'It was not stopped.' },
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { nth: 1 }, reply: [agentCall('LONG', { run_in_background: true, name: 'long', description: 'long' })] },
      { when: { nth: 2 }, reply: [{ tool: 'Bash', input: { command: 'sleep 1' } }] },
      { when: { nth: 3 }, reply: [{ tool: 'TaskStop', input: { task_id: 'long' } }] },
      { reply: 'Stopped it.' },
    ]);
    const file = await record(await setMachine(), sim, say('Go.'));
    expect(sim.requests, sim.report()).toHaveLength(6);
    const there = await setMachine();
    await there.write('fast', '');
    expectWhole(await replay(there, file, say('Go.')));
  });

  it('SF-12: a session that goes on is recorded and replayed like its beginning', async () => {
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
