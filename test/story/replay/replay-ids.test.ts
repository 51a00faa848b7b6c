/** SF-12: ids that are made anew each time, and agents that write to each other, in a replay. */

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import { agentCall } from '../../support/agent-call.js';
import { expectWhole, folderIn, record, replay, setMachine, startModel } from './replay-stage.js';

const NOTEBOOK = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });

const go = async (session: Session) => {
  await session.send('Go.');
  expect((await session.settled(20_000)).stopped).toEqual([]);
};

function initRepo(folder: string, env: object): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env: env as NodeJS.ProcessEnv });
  git('init', '-q');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first');
}

describe('SF-12: replay of ids and messages', () => {
  it('SF-12: a command in the background, output kept on disk, and a cell of a notebook', async () => {
    const sim = await startModel([
      {
        when: { nth: 1 },
        reply: [
          { tool: 'Bash', input: { command: 'sleep 0.1; echo over', run_in_background: true } },
          { tool: 'Bash', input: { command: 'yes 0123456789 | head -n 20000' } },
        ],
      },
      { when: { nth: 2 }, reply: ({ body }) => [{ tool: 'Read', input: { file_path: `${folderIn(body)}/n.ipynb` } }] },
      {
        when: { nth: 3 },
        reply: ({ body }) => [
          {
            tool: 'NotebookEdit',
            input: {
              notebook_path: `${folderIn(body)}/n.ipynb`,
              edit_mode: 'insert',
              cell_type: 'code',
              new_source: '1',
            },
          },
        ],
      },
      {
        when: { nth: 4 },
        reply: ({ body, results }) => [
          `Now ${results[0]?.text}`,
          { tool: 'Read', input: { file_path: `${folderIn(body)}/n.ipynb` } },
        ],
      },
      { when: { user: '<task-notification>' }, reply: 'It has ended.' },
      { reply: 'Done.' },
    ]);
    const here = await setMachine();
    await here.write('n.ipynb', NOTEBOOK);
    const file = await record(here, sim, go);
    expect(sim.requests.length, sim.report()).toBeGreaterThan(4);
    expect(JSON.stringify(sim.requests.at(-1)?.body)).toMatch(/Inserted cell [0-9a-f]{8} /);
    expect(JSON.stringify(sim.requests.at(-1)?.body)).toMatch(/tool-results\/[0-9a-f]{12}-/);
    const there = await setMachine({ project: 'b' });
    await there.write('n.ipynb', NOTEBOOK);
    expectWhole(await replay(there, file, go));
  });

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

  it('SF-12: a conversation that was compacted, and a fork by hand', async () => {
    const sim = await startModel([
      { when: { user: 'LOOK' }, reply: 'Looked.' },
      { when: { user: /summar/i }, reply: '<summary>It was short.</summary>' },
      { reply: 'Yes.' },
    ]);
    const play = async (session: Session) => {
      await go(session);
      await session.fork('LOOK at it.');
      await session.execute({ type: 'compact' });
      await session.send('And now?');
    };
    const file = await record(await setMachine(), sim, play);
    expectWhole(await replay(await setMachine({ project: 'b' }), file, play));
  });
});
