/** A command that is waited for continues in the background when the user asks for it. */

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runningWith } from '../../support/processes.js';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { callResults, noticesIn } from '../background/background-stage.js';

const bash = (command: string) => ({ tool: 'Bash', input: { command, timeout: 60_000 } });

it('LC-3, LC-15: the same process continues as a task: its output has everything, a notice brings its end', async () => {
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    {
      when: { nth: 1 },
      reply: [bash('echo one; touch began; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 3')],
    },
    { reply: 'On.' },
  ]);
  const session = await stage.open({ permissionMode: 'bypassPermissions' });
  const work = session.send('Run it.');
  await until(() =>
    stage.read('began').then(
      () => true,
      () => false,
    ),
  );
  const [call] = eventsOf(stage, 'call-started').map((event) => event.call);
  expect(await session.execute({ type: 'to-background', call: 'another' })).toEqual({ ok: true, moved: 0 });
  expect(await session.execute({ type: 'to-background', agent: 'nobody' })).toEqual({ ok: true, moved: 0 });
  expect(await session.execute({ type: 'to-background', call: call ?? '' })).toEqual({ ok: true, moved: 1 });
  expect(await session.execute({ type: 'to-background' })).toEqual({ ok: true, moved: 0 });
  expect(await work).toMatchObject({ reason: 'completed', text: 'On.' });
  expect(callResults(stage, 'Bash')[0]).toContain('in the background as task sh-');
  const [task] = session.tasks();
  expect(task).toMatchObject({ kind: 'shell', status: 'running' });
  await stage.write('go', '');
  await session.settled();
  expect(noticesIn(stage.events).map(({ agent, text }) => [agent, text.includes('exit code 3')])).toEqual([
    [task?.id, true],
  ]);
  expect(await readFile(task?.outputFile ?? '', 'utf8')).toBe('one\ntwo\n');
  expectAllAccepted(stage.sim);
});

it('LC-3: output that came before, at and after the move is there once, in order, however much', async () => {
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    {
      when: { nth: 1 },
      reply: [bash('for i in $(seq 1 4000); do echo line $i; [ $i = 50 ] && touch began; done; sleep 0.2; echo end')],
    },
    { reply: 'On.' },
  ]);
  const session = await stage.open({ permissionMode: 'bypassPermissions' });
  const work = session.send('Run it.');
  await until(() =>
    stage.read('began').then(
      () => true,
      () => false,
    ),
  );
  expect(session.toBackground()).toBe(1);
  await work;
  await session.settled();
  const [task] = session.tasks();
  const lines = (await readFile(task?.outputFile ?? '', 'utf8')).trimEnd().split('\n');
  expect(lines).toEqual([...Array.from({ length: 4000 }, (_, index) => `line ${index + 1}`), 'end']);
});

it('LC-3, LC-6: moved, it outlives an interrupt and its time limit, and is ended like any task', async () => {
  const number = `${8_000_000 + Math.floor(Math.random() * 900_000)}.5`;
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { nth: 1 }, reply: [bash(`sleep ${number}`)] },
    { delay: { firstMs: 600_000 }, reply: 'never' },
  ]);
  const session = await stage.open({ permissionMode: 'bypassPermissions' });
  const work = session.send('Run it.');
  await until(() => runningWith(number).length > 0);
  expect(session.toBackground()).toBe(1);
  await stage.sim.received(2);
  await session.execute({ type: 'interrupt' });
  expect(await work).toMatchObject({ reason: 'interrupted' });
  expect(runningWith(number).length).toBeGreaterThan(0);
  const [task] = session.tasks();
  await session.execute({ type: 'stop-task', task: task?.id ?? '' });
  expect(runningWith(number)).toEqual([]);
});
