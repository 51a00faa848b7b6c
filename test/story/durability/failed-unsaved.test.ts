/** Runs that fail because nothing can be saved: the parent hears of the failure, and later of the real end. */

import { expect, it } from 'vitest';
import { gate } from '../../support/gate.js';
import { fastHost } from '../../support/hosts/fast-host.js';
import { eventsOf, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { wireText } from '../../support/wire-body.js';
import { failingHost } from '../holes/failing-host.js';
import { childFile, expectNoneRefused } from './crash-stage.js';

/** A background child whose transcript takes no more records while `full`. */
async function fullChild() {
  const disk = { full: false };
  const held = gate();
  let asked = 0;
  const stage = await setStage([
    {
      when: { user: 'task of the child' },
      reply: async () => {
        asked += 1;
        await held.opened;
        return 'the real result';
      },
    },
    {
      when: { user: 'begin' },
      reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'task of the child', run_in_background: true } }],
    },
    { reply: 'noted' },
  ]);
  const host = failingHost(fastHost(stage.folder, stage.env), {
    write: (path) => disk.full && path.includes('/subagents/'),
  });
  const first = await stage.open({ host });
  void first.send('begin');
  await until(() => asked === 1);
  disk.full = true;
  held.open();
  await first.settled();
  await first.close();
  return { stage, first, disk };
}

it.each(['auto', 'ask'])(
  'DU-8, LC-9: a run that failed without a record of its end continues as the next run (resume: %s), and its result is not taken for a repetition',
  async (resume) => {
    const { stage, first } = await fullChild();
    expect(wireText(stage.sim.requests.at(-1))).toMatch(/<status>failed<[\s\S]*could not save/);
    stage.events.length = 0;
    Object.assign(stage.env, { COPPICE_RESUME_AGENTS: resume });
    const again = await stage.open({ resume: first.id });
    await again.send('and?');
    const agent = again.tasks()[0]?.id ?? '';
    if (resume === 'ask') expect(await again.resumeAgent(agent)).toBeUndefined();
    await again.settled();
    await again.close();
    expectNoneRefused(stage.sim);
    const last = wireText(stage.sim.requests.at(-1));
    expect(last.split('<task-notification>')).toHaveLength(3);
    expect(last).toContain('the real result');
    const records = (await readTranscript(await childFile(first))).map(({ event }) => event);
    const ends = records.flatMap((event) => (event.kind === 'agent-state-changed' ? [[event.run, event.state]] : []));
    expect(ends).toContainEqual([1, 'failed']);
    expect(ends.at(-1)).toEqual([2, 'completed']);
    expect(eventsOf(stage, 'notice-queued')).toMatchObject([{ run: 2 }]);
  },
);
