/** SF-12: ids that are made anew each time, and agents that write to each other, in a replay. */

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { expectWhole, go, record, replay, setMachine, startModel } from '../../../story/replay/replay-stage.js';
import { agentCall } from '../../../support/agent-call.js';

describe('SF-12: replay of ids and messages', () => {
  it('SF-12: an agent’s own agent in the background, and messages between agents', async () => {
    const sim = await startModel([
      { when: { said: 'INNER' }, reply: 'The inner part.', delay: { firstMs: 40 } },
      { when: { said: 'OUTER', nth: 1 }, reply: [agentCall('INNER', { run_in_background: true, description: 'in' })] },
      { when: { said: 'OUTER', nth: 2 }, reply: [{ tool: 'Bash', input: { command: 'sleep 0.15' } }] },
      { when: { said: 'OUTER' }, reply: 'The outer part.' },
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { nth: 1 }, reply: [agentCall('OUTER', { run_in_background: true, name: 'outer', description: 'out' })] },
      { when: { nth: 2 }, reply: [{ tool: 'SendMessage', input: { to: 'outer', message: 'Hurry.' } }] },
      { reply: 'On.' },
    ]);
    const file = await record(await setMachine(), sim, go);
    for (const project of ['b', 'c/d']) expectWhole(await replay(await setMachine({ project }), file, go));
  });

  it('SF-12: three forks with the same words, each in a worktree of its own', async () => {
    let count = 0;
    const sim = await startModel([
      {
        when: { user: 'VOTE' },
        reply: () => {
          count += 1;
          return [`Vote ${count}.`, { tool: 'Bash', input: { command: 'pwd' } }];
        },
      },
      {
        when: { nth: 1 },
        reply: [1, 2, 3].map(() => agentCall('VOTE', { subagent_type: 'fork', isolation: 'worktree' })),
      },
      { reply: ({ results }) => `Heard ${results.map(({ text }) => text.split('\n')[0]).join(' ')}` },
    ]);
    const options = { fork: 'on' } as const;
    const here = await setMachine();
    initRepo(here.folder, here.env);
    const file = await record(here, sim, go, options);
    expect(sim.unmatched, sim.report()).toEqual([]);
    const there = await setMachine({ project: 'deep/b' });
    initRepo(there.folder, there.env);
    expectWhole(await replay(there, file, go, options));
  });

  it('SF-12: a session in a worktree of its own', async () => {
    const sim = await startModel([
      { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'pwd; git branch --show-current' } }] },
      { reply: 'Done.' },
    ]);
    const here = await setMachine();
    initRepo(here.folder, here.env);
    const file = await record(here, sim, go, { worktree: true });
    const there = await setMachine({ project: 'b' });
    initRepo(there.folder, there.env);
    expectWhole(await replay(there, file, go, { worktree: true }));
  });
});

function initRepo(folder: string, env: object): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env: env as NodeJS.ProcessEnv });
  git('init', '-q');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first');
}
