/** SF-12: ids that are made again each time, and agents that write to each other, in a replay. */

import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import { expectWhole, folderIn, go, record, replay, setMachine, startModel } from './replay-stage.js';

const NOTEBOOK = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });

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
