/** SF-12: sessions with forks, worktrees, messages, retries and interruptions replay. */

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  expectWhole,
  type Machine,
  record,
  replay,
  say,
  setMachine,
  startModel,
} from '../../../story/replay/replay-stage.js';
import { agentCall } from '../../../support/agent-call.js';

describe('SF-12: replay of agents', () => {
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
});

function initRepo({ folder, env }: Machine, branch: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env: env as NodeJS.ProcessEnv });
  git('init', '-q', '-b', branch);
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first');
}
