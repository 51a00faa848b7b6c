/** DU-4: a child that can't be put on record is not started, and nothing stays of it. */

import { expect, it } from 'vitest';
import { createView } from '../../../src/front/view/session-view.js';
import { taskLines } from '../../../src/front/view/stream-json/task-line.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { type AppendFaults, failingHost } from './failing-host.js';
import { openFilesBelow } from './open-files.js';

const isChild = (path: string) => path.includes('/subagents/');

const ROWS: [string, (isFull: () => boolean) => AppendFaults][] = [
  ['its file can not be opened', (isFull) => ({ open: (path) => isFull() && isChild(path) })],
  ['its start can not be written', (isFull) => ({ write: (path) => isFull() && isChild(path) })],
  [
    'its task can not be written',
    (isFull) => ({ write: (path, record) => isFull() && isChild(path) && record.includes('CHILD') }),
  ],
];

it.each(ROWS.flatMap(([name, faults]) => [false, true].map((background) => [name, background, faults] as const)))(
  'LC-20: %s (in the background: %s): told to the model, listed nowhere, waited for by nobody',
  async (_name, background, faults) => {
    const input = { prompt: 'CHILD', description: 'd', run_in_background: background };
    const stage = await setStage([
      { when: { said: 'CHILD' }, reply: 'from the child' },
      { when: { user: 'start one' }, reply: [{ tool: 'Agent', input }] },
      { reply: 'done' },
    ]);
    let isFull = true;
    const host = failingHost(
      nodeHost(stage.folder, stage.env),
      faults(() => isFull),
    );
    const session = await stage.open({ host });
    expect(await session.send('start one')).toMatchObject({ reason: 'completed', text: 'done' });
    expectAllAccepted(stage.sim);
    expect(eventsOf(stage, 'call-finished')).toMatchObject([{ tool: 'Agent', isError: true }]);
    await session.settled();
    expect(session.tasks()).toEqual([]);
    expect(session.snapshot().map(({ id }) => id)).toEqual(['main']);
    expect(openTasks(stage)).toEqual([]);
    expect(openFilesBelow(stage.home).filter(isChild)).toEqual([]);

    isFull = false;
    expect(await session.send('start one now')).toMatchObject({ reason: 'completed' });
    await session.settled();
    expect(session.snapshot().map(({ status }) => status)).toEqual(['waiting', 'completed']);
  },
);

/** Tasks that the lines of `stream-json` began and never ended. */
function openTasks({ events }: Stage): unknown[] {
  const view = createView();
  const open = new Set<unknown>();
  for (const event of events) {
    for (const line of taskLines(view, event, 0)) {
      if (line.subtype === 'task_started') open.add(line.task_id);
      if (line.subtype === 'task_notification') open.delete(line.task_id);
    }
    view.apply(event, 0);
  }
  return [...open];
}
