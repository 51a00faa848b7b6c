/** A record that can't be written while a child has children of its own: nobody forgets who is running. */

import { expect, it } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';
import type { Rule } from '../../../src/sim/index.js';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { resultsById, wireText } from '../../support/wire-body.js';
import { failingHost } from '../holes/failing-host.js';
import { die, expectNoneRefused } from './crash-stage.js';

/** Main waits for a child, which has a grandchild in the background. `refuses`: records that can't be written now. */
async function familyStage(
  more: readonly Rule[] = [],
  refuses: { write: (path: string, record: string) => boolean } = { write: () => false },
) {
  const held = gate();
  const asked = { grandchild: 0 };
  const grandchild = { description: 'g', prompt: 'task of the grandchild', run_in_background: true };
  const stage = await setStage([
    ...more,
    {
      when: { user: 'task of the grandchild' },
      reply: onceOpen(held, 'grandchild says so', () => {
        asked.grandchild += 1;
      }),
    },
    { when: { said: 'task of the child', user: 'grandchild says so' }, reply: 'child heard of it' },
    { when: { said: 'task of the child', user: 'does not go on by itself' }, reply: 'child knows of it' },
    { when: { said: 'task of the child', result: { tool: 'Agent' } }, reply: 'child waits' },
    { when: { user: 'task of the child' }, reply: [{ tool: 'Agent', input: grandchild, id: 'toolu_grand' }] },
    {
      when: { user: 'begin' },
      reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'task of the child' }, id: 'toolu_child' }],
    },
    { reply: 'main heard' },
  ]);
  const open = (resume?: string) =>
    stage.open({
      host: failingHost(nodeHost(stage.folder, stage.env), { write: (path, record) => refuses.write(path, record) }),
      ...(resume === undefined ? {} : { resume }),
    });
  return { stage, held, asked, open, refuses };
}

function idOf(stage: Stage, description: string): string {
  return eventsOf(stage, 'agent-spawned').find((event) => event.description === description)?.agent ?? '';
}

it('DU-12: a child that failed because it could not save is written to while its own child is running: it waits for that one', async () => {
  let refused = 0;
  const write = (_path: string, record: string) => {
    const isDue = record.includes('"call-finished"') && record.includes('toolu_grand') && refused === 0;
    if (isDue) refused += 1;
    return isDue;
  };
  const { stage, held, asked, open } = await familyStage([], { write });
  const session = await open();
  await session.send('begin');
  expect(refused).toBe(1);
  await until(() => asked.grandchild === 1);
  expect(await session.resumeAgent(idOf(stage, 'c'))).toBeUndefined();
  await until(() => eventsOf(stage, 'agent-state-changed').some(({ state }) => state === 'waiting'), 'it waits');
  held.open();
  await session.settled();
  await session.close();
  expectNoneRefused(stage.sim);
  const child = stage.sim.requests.findLast((request) => resultsById(request).has('toolu_grand'));
  expect(resultsById(child).get('toolu_grand')).toMatch(/started in the background/);
  expect(asked.grandchild).toBe(1);
  expect(wireText(stage.sim.requests.at(-1))).toContain('child heard of it');
});

it('DU-12: a child that has ended is still passing on what it did not read: the call that waited for it names it', async () => {
  const answered = gate();
  const disk = { child: false, main: false, notices: true };
  const { stage, held, open } = await familyStage(
    [
      {
        when: { said: 'task of the child', result: { tool: 'Agent' } },
        reply: async () => {
          await answered.opened;
          return 'child waits';
        },
      },
    ],
    {
      write: (path, record) => {
        if (path.includes('/subagents/')) return disk.child && record.includes('"assistant-replied"');
        if (record.includes('"input-admitted"') && record.includes('task-notification')) return disk.notices;
        return disk.main && record.includes('"call-finished"');
      },
    },
  );
  held.open();
  const session = await open();
  const sent = session.send('begin');
  await until(
    () => eventsOf(stage, 'input-admitted').some(({ notice }) => notice?.agent === idOf(stage, 'g')),
    'the child has the notice',
  );
  Object.assign(disk, { child: true, main: true });
  answered.open();
  expect(await sent).toMatchObject({ reason: 'not_saved' });
  disk.main = false;
  expect(await session.send('and?')).toMatchObject({ reason: 'completed' });
  expectNoneRefused(stage.sim);
  const result = resultsById(stage.sim.requests.at(-1)).get('toolu_child');
  expect(result).toMatch(new RegExp(`${idOf(stage, 'c')}.*SendMessage`));
});

it('DU-15: what a child must know of its own children could not be saved: it does not continue without it', async () => {
  const { stage, held, asked, open, refuses } = await familyStage();
  const first = await open();
  void first.send('begin');
  await until(() => eventsOf(stage, 'agent-state-changed').some(({ state }) => state === 'waiting'), 'it waits');
  await until(() => asked.grandchild === 1);
  await die(stage, first, held.open);
  let refused = 0;
  refuses.write = (_path, record) => {
    const isDue = record.includes('"unheard ') && refused === 0;
    if (isDue) refused += 1;
    return isDue;
  };
  const again = await open(first.id);
  await again.send('and?');
  const child = idOf(stage, 'c');
  expect(await again.resumeAgent(child)).toMatch(/cannot go on/);
  expect(await again.resumeAgent(child)).toBeUndefined();
  await again.settled();
  await again.close();
  expectNoneRefused(stage.sim);
  expect(wireText(stage.sim.requests.at(-1))).toContain('child knows of it');
});

it('DU-15: a grandchild can’t be resumed, and the child can’t be told: the child is interrupted, and has not said its last words', async () => {
  const { stage, held, asked, open, refuses } = await familyStage();
  Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
  const first = await open();
  void first.send('begin');
  await until(() => eventsOf(stage, 'agent-state-changed').some(({ state }) => state === 'waiting'), 'it waits');
  await until(() => asked.grandchild === 1);
  await die(stage, first, held.open);
  const grandchild = idOf(stage, 'g');
  refuses.write = (path, record) => path.includes(grandchild) || record.includes('"unheard ');
  const again = await open(first.id);
  await again.send('and?');
  await again.settled();
  await again.close();
  expectNoneRefused(stage.sim);
  expect(resultsById(stage.sim.requests.at(-1)).get('toolu_child')).toMatch(/interrupted before it was done/);
  refuses.write = () => false;
  const last = await open(first.id);
  expect(await last.send('and now?')).toMatchObject({ reason: 'completed' });
  await last.settled();
  expect(wireText(stage.sim.requests.at(-1))).toContain('child heard of it');
});
