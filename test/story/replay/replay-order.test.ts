/** SF-12: sessions with agents in the background replay, whatever the timing was and is. */

import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import type { SessionEvent } from '../../../src/protocol/events.js';
import { agentCall } from '../../support/agent-call.js';
import { gate } from '../../support/gate.js';
import { readingTool } from '../../support/story.js';
import { play } from './replay-order-stage.js';
import { expectWhole, record, replay, setMachine, startModel } from './replay-stage.js';

const noWait = async () => {};

const pause = () => new Promise((resolve) => setTimeout(resolve, 300));

describe('SF-12: replay keeps the order', () => {
  it.each([
    ['while the main agent worked', 'child'],
    ['after the main agent had ended', 'main'],
  ] as const)('SF-12: a notice that came %s comes there again, whoever is slow now (%s)', async (_, slowNow) => {
    const sim = await startModel([
      { when: { said: 'TASK', nth: 1 }, reply: [{ tool: 'ChildWork' }] },
      { when: { said: 'TASK' }, reply: 'The part.' },
      { when: { nth: 1 }, reply: [agentCall('TASK', { run_in_background: true, description: 'part' })] },
      { when: { nth: 2 }, reply: [{ tool: 'MainWork' }] },
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { reply: 'On.' },
    ]);
    const ends: string[] = [];
    const talk = async (session: Session) => {
      ends.push((await session.send('Go.')).text);
      ends.push((await session.settled(20_000)).end?.text ?? 'nothing more');
    };
    const work = (main: () => Promise<unknown>, child: () => Promise<unknown>) => [
      readingTool('MainWork', async () => main().then(() => 'done')),
      readingTool('ChildWork', async () => child().then(() => 'done')),
    ];
    const told = gate();
    const ended = gate();
    const onEvent = ({ agent, event }: SessionEvent) => {
      if (event.kind === 'input-admitted' && event.origin === 'notice') told.open();
      if (event.kind === 'run-ended' && agent === 'main') ended.open();
    };
    const first = slowNow === 'child' ? work(() => told.opened, noWait) : work(noWait, () => ended.opened);
    const file = await record(await setMachine(), sim, talk, { tools: first, onEvent });
    const later = slowNow === 'child' ? work(noWait, pause) : work(pause, noWait);
    expectWhole(await replay(await setMachine(), file, talk, { tools: later }));
    expect(ends.slice(2)).toEqual(ends.slice(0, 2));
  });

  it('SF-12: a command in the background that ended late when it was recorded is reported as late', async () => {
    const sim = await startModel([
      { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'sh work.sh', run_in_background: true } }] },
      { when: { nth: 2 }, reply: [{ tool: 'MainWork' }] },
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { reply: 'On.' },
    ]);
    const here = await setMachine();
    await here.write('work.sh', 'until [ -f ended ]; do sleep 0.02; done\n');
    const onEvent = ({ event }: SessionEvent) => void (event.kind === 'run-ended' && here.write('ended', ''));
    const file = await record(here, sim, play, { tools: [readingTool('MainWork', async () => 'done')], onEvent });
    const there = await setMachine();
    await there.write('work.sh', 'true\n');
    const slow = readingTool('MainWork', () => pause().then(() => 'done'));
    expectWhole(await replay(there, file, play, { tools: [slow] }));
  });
});
