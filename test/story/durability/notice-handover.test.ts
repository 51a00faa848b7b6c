/** Notices at the moments where they could fall between two agents: each is read by one, and none is left lying. */

import { expect, it } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';
import type { Rule } from '../../../src/sim/index.js';
import { gate, onceOpen } from '../../support/gate.js';
import { diskFull, heldHost } from '../../support/hosts/held-host.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, readingTool, readTranscript, type Stage, setStage } from '../../support/story.js';
import { turns, until } from '../../support/until.js';
import { lastSent, resultsById } from '../../support/wire-body.js';
import { expectNoneRefused } from './crash-stage.js';

/** Main starts a child, which starts a grandchild in the background and then looks; the gates hold both. */
async function familyStage({ background, looks }: { background: boolean; looks: boolean }) {
  const grandchild = gate();
  const look = gate();
  const seen = { grandchild: 0, looks: 0 };
  const start = (description: string, run_in_background: boolean) => ({
    tool: 'Agent',
    input: { description, prompt: `task of the ${description}`, run_in_background },
    id: `toolu_${description}`,
  });
  const rules: Rule[] = [
    {
      when: { user: 'task of the grandchild' },
      reply: onceOpen(grandchild, 'grandchild says so', () => {
        seen.grandchild += 1;
      }),
    },
    { when: { said: 'task of the child', user: 'grandchild says so' }, reply: 'child heard of it' },
    ...(looks
      ? [{ when: { said: 'task of the child', result: { tool: 'Agent' } }, reply: [{ tool: 'Look', input: {} }] }]
      : []),
    { when: { said: 'task of the child', result: {} }, reply: 'child waits' },
    { when: { user: 'task of the child' }, reply: [start('grandchild', true)] },
    { when: { user: 'begin' }, reply: [start('child', background)] },
    { reply: 'main heard' },
  ];
  const stage = await setStage(rules);
  const tool = readingTool('Look', async (_input, signal) => {
    seen.looks += 1;
    await Promise.race([look.opened, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    return 'looked';
  });
  return { stage, tools: [tool], grandchild, look, seen };
}

function idOf(stage: Stage, description: string): string {
  return eventsOf(stage, 'agent-spawned').find((event) => event.description === description)?.agent ?? '';
}

/** Notices of the grandchild that this agent has. */
async function noticesIn(stage: Stage, path: string): Promise<number> {
  const inputs = (await readTranscript(path)).flatMap(({ event }) => (event.kind === 'input-admitted' ? [event] : []));
  return inputs.filter(({ notice }) => notice?.agent === idOf(stage, 'grandchild')).length;
}

it('LC-9, LC-11: a notice that waits in a child which is stopped before it reads it is passed on to the parent', async () => {
  const { stage, tools, grandchild, seen } = await familyStage({ background: true, looks: true });
  const session = await stage.open({ tools });
  await session.send('begin');
  await until(() => seen.looks === 1 && seen.grandchild === 1);
  grandchild.open();
  await until(
    () => eventsOf(stage, 'input-admitted').some(({ notice }) => notice !== undefined),
    'it waits in the child',
  );
  await session
    .tasks()
    .find(({ id }) => id === idOf(stage, 'child'))
    ?.stop('person');
  await session.settled();
  expectNoneRefused(stage.sim);
  expect(lastSent(stage.sim)).toContain('grandchild says so');
  expect(await noticesIn(stage, session.transcript)).toBe(1);
});

it('LC-9: a notice that is still being written to a child which fails is passed on when it has landed', async () => {
  const { stage, tools, grandchild, look, seen } = await familyStage({ background: false, looks: true });
  const result = gate();
  const landing = gate();
  const reached = { result: 0, landing: 0 };
  const host = heldHost(nodeHost(stage.folder, stage.env), async (record, path) => {
    if (!path.includes('/subagents/')) return;
    if (record.includes('"call-finished"') && record.includes('"Look"')) {
      reached.result += 1;
      await result.opened;
      throw diskFull();
    }
    if (record.includes('"input-admitted"') && record.includes('"notice":{')) {
      reached.landing += 1;
      await landing.opened;
    }
  });
  const session = await stage.open({ tools, host });
  const sent = session.send('begin');
  await until(() => seen.looks === 1 && seen.grandchild === 1);
  look.open();
  await until(() => reached.result === 1, 'the result is being written');
  grandchild.open();
  await until(() => eventsOf(stage, 'notice-queued').length === 1, 'the grandchild has ended');
  await turns(20);
  result.open();
  expect(await sent).toMatchObject({ reason: 'completed' });
  await until(() => reached.landing === 1, 'the notice is being written');
  landing.open();
  await session.settled();
  expectNoneRefused(stage.sim);
  expect(await noticesIn(stage, session.transcript)).toBe(1);
  expect(lastSent(stage.sim)).toContain('grandchild says so');
});

it('LC-11: a notice that comes just when the child has said its last words finds it, before it begins to wait', async () => {
  const { stage, tools, grandchild, seen } = await familyStage({ background: false, looks: false });
  const end = gate();
  let ending = 0;
  const host = heldHost(nodeHost(stage.folder, stage.env), async (record, path) => {
    if (!path.includes('/subagents/') || !record.includes('"run-ended"')) return;
    if (!path.includes(idOf(stage, 'child'))) return;
    ending += 1;
    if (ending === 1) await end.opened;
  });
  const session = await stage.open({ tools, host });
  const sent = session.send('begin');
  await until(() => ending === 1 && seen.grandchild === 1, 'the child is about to wait');
  grandchild.open();
  await until(() => eventsOf(stage, 'notice-queued').length === 1, 'the grandchild has ended');
  await turns(20);
  end.open();
  expect(await sent).toMatchObject({ reason: 'completed', text: 'main heard' });
  await session.settled();
  expectNoneRefused(stage.sim);
  expect(resultsById(stage.sim.requests.at(-1)).get('toolu_child')).toContain('child heard of it');
  expect(await noticesIn(stage, session.transcript)).toBe(0);
  expect(await noticesIn(stage, agentTranscript(session, idOf(stage, 'child')))).toBe(1);
});

it('DU-4: a message that could not be joined is not sent: the run ends, and the next prompt continues from there', async () => {
  const stage = await setStage([{ when: { nth: 1 }, reply: [{ tool: 'Look', input: {} }] }, { reply: 'done' }]);
  const tool = readingTool('Look', async () => 'looked');
  let joins = 0;
  const host = heldHost(nodeHost(stage.folder, stage.env), async (record) => {
    if (!record.includes('"message-joined"')) return;
    joins += 1;
    if (joins === 2) throw diskFull();
  });
  const session = await stage.open({ tools: [tool], host });
  expect(await session.send('begin')).toMatchObject({ reason: 'not_saved' });
  expect(stage.sim.requests).toHaveLength(1);
  expect(await session.send('and?')).toMatchObject({ reason: 'completed', text: 'done' });
  expectNoneRefused(stage.sim);
  expect(stage.sim.requests).toHaveLength(2);
});
