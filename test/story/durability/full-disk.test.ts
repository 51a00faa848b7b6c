/** A disk that takes nothing more while children end: what nobody could be told of is named, and told when there is room. */

import { beforeAll, expect, it } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';
import { gate } from '../../support/gate.js';
import { fastHost } from '../../support/hosts/fast-host.js';
import { buildProgram } from '../../support/program.js';
import { eventsOf, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { resultsById, wireText } from '../../support/wire-body.js';
import { failingHost } from '../holes/failing-host.js';
import { expectNoneRefused } from './crash-stage.js';
import { CHILDREN, sixChildren } from './full-disk-stage.js';

beforeAll(buildProgram);

it('LC-9: what could not be told is reported with the next prompt when there is room, each once', async () => {
  const { rules, held, asked } = sixChildren();
  const stage = await setStage(rules);
  const disk = { full: false };
  const host = failingHost(fastHost(stage.folder, stage.env), { write: () => disk.full });
  const session = await stage.open({ host });
  await session.send('begin');
  await until(() => asked.count === CHILDREN);
  disk.full = true;
  held.open();
  const { unreported } = await session.settled();
  expect(new Set(unreported).size).toBe(CHILDREN);
  disk.full = false;
  await session.send('and?');
  expect((await session.settled()).unreported).toEqual([]);
  expectNoneRefused(stage.sim);
  const last = wireText(stage.sim.requests.at(-1));
  for (const id of unreported) expect(last.split(`<task-id>${id}</task-id>`)).toHaveLength(2);
});

it('LC-19: a turn that a notice began and that could not be saved is how the session ends', async () => {
  const { rules, held, asked } = sixChildren();
  const stage = await setStage(rules);
  const disk = { full: false };
  const host = failingHost(fastHost(stage.folder, stage.env), {
    write: (path, record) => disk.full && !path.includes('/subagents/') && !record.includes('"input-admitted"'),
  });
  const session = await stage.open({ host });
  await session.send('begin');
  await until(() => asked.count === CHILDREN);
  disk.full = true;
  held.open();
  expect(await session.settled()).toMatchObject({ end: { reason: 'not_saved' } });
  expect(eventsOf(stage, 'input-admitted').filter(({ notice }) => notice !== undefined)).toHaveLength(CHILDREN);
});

it('LC-22, DU-12: a result that could not be saved: its neighbour is ended first, and the next prompt has both from what became of them', async () => {
  const held = gate();
  const input = (name: string) => ({ prompt: `task of ${name}`, description: name });
  const stage = await setStage([
    { when: { user: 'task of quick' }, reply: 'quick is done' },
    {
      when: { user: 'task of slow' },
      reply: async () => {
        await held.opened;
        return 'slow is done';
      },
    },
    {
      when: { nth: 1 },
      reply: [
        { tool: 'Agent', input: input('quick'), id: 'toolu_quick' },
        { tool: 'Agent', input: input('slow'), id: 'toolu_slow' },
      ],
    },
    { reply: 'Both are there.' },
  ]);
  let refused = 0;
  const host = failingHost(nodeHost(stage.folder, stage.env), {
    write: (_path, record) => {
      const isFirst = record.includes('"call-finished"') && refused === 0;
      if (isFirst) refused += 1;
      return isFirst;
    },
  });
  const session = await stage.open({ host });
  expect(await session.send('begin')).toMatchObject({ reason: 'not_saved' });
  held.open();
  expect(await session.send('and?')).toMatchObject({ reason: 'completed' });
  expectNoneRefused(stage.sim);
  const results = resultsById(stage.sim.requests.at(-1));
  expect(results.get('toolu_quick')).toContain('quick is done');
  expect(results.get('toolu_slow')).toMatch(/interrupted.*SendMessage/);
});
