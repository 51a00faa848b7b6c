/** DU-15: an agent that can't be resumed on its own is reported; the session continues without it. */

import { expect, it, onTestFinished } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';
import { gate } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';
import { turns, until } from '../../support/until.js';
import { childFile, die, expectNoneRefused } from '../durability/crash-stage.js';
import { failingHost } from './failing-host.js';

/** A session that died while its child waited for the model, and resumes agents on its own. */
async function dieWithChild(background: boolean) {
  const held = gate();
  let isAsked = false;
  const input = { prompt: 'CHILD', description: 'd', run_in_background: background };
  const stage = await setStage([
    {
      when: { said: 'CHILD' },
      reply: async () => {
        isAsked = true;
        await held.opened;
        return 'from the child';
      },
    },
    { when: { user: 'begin', not: { result: { tool: 'Agent' } } }, reply: [{ tool: 'Agent', input }] },
    { reply: 'main goes on' },
  ]);
  Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
  const first = await stage.open();
  void first.send('begin');
  await until(() => isAsked);
  await die(stage, first, held.open);
  return { stage, first };
}

it.each([false, true])(
  'DU-15: its transcript can not be opened (in the background: %s): one line, still listed as interrupted, nothing unhandled',
  async (background) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const { stage, first } = await dieWithChild(background);
    const path = await childFile(first);
    stage.events.length = 0;
    const host = failingHost(nodeHost(stage.folder, stage.env), { open: (file) => file === path });
    const again = await stage.open({ resume: first.id, host });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed', text: 'main goes on' });
    expectNoneRefused(stage.sim);
    const lines = eventsOf(stage, 'line-shown').filter(({ level }) => level === 'error');
    expect(lines).toMatchObject([{ line: expect.stringMatching(/^agent \w+ could not be resumed: .*EACCES/) }]);
    expect(again.tasks()).toMatchObject([{ kind: 'agent', status: 'interrupted' }]);
    await again.settled();
    expect(await again.send('once more')).toMatchObject({ reason: 'completed' });
    await again.close();
    await turns(5);
    expect(unhandled).toEqual([]);
  },
);

it('DU-15: the user can resume it once its transcript can be opened again', async () => {
  const { stage, first } = await dieWithChild(true);
  const path = await childFile(first);
  let broken = true;
  const host = failingHost(nodeHost(stage.folder, stage.env), { open: (file) => broken && file === path });
  const again = await stage.open({ resume: first.id, host });
  await again.send('and?');
  const [task] = again.tasks();
  broken = false;
  expect(await again.execute({ type: 'resume-agent', agent: task?.id ?? '' })).toEqual({ ok: true });
  await again.settled();
  expect(again.tasks()).toMatchObject([{ status: 'completed' }]);
  expect(stage.sim.requests.at(-1)?.raw.toString('utf8')).toContain('from the child');
  expectAllAccepted({ ...stage.sim, requests: stage.sim.requests.filter(({ status }) => status !== undefined) });
});
