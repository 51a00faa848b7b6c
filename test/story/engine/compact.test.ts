/** LC-24: compaction by hand. */

import { expect, it } from 'vitest';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';

/** A model whose summary waits for `finish`. */
async function setSlowCompaction() {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const stage = await setStage([
    {
      when: { user: '<compaction>' },
      reply: async () => {
        await finished;
        return 'what was said so far';
      },
    },
    { reply: 'answer' },
  ]);
  return { stage, finish: () => finish() };
}

it('LC-24, FK-25: writes a summary with the user’s instructions; words sent meanwhile wait for it and follow it', async () => {
  const { stage, finish } = await setSlowCompaction();
  const session = await stage.open();
  await session.send('first words');
  await session.send('second words');
  const compacting = session.execute({ type: 'compact', instructions: 'keep the names' });
  await stage.sim.received(3);
  const work = session.execute({ type: 'prompt', content: 'third words' });
  await new Promise((resolve) => {
    const unlisten = session.watch(({ event }) => {
      if (event.kind !== 'input-admitted') return;
      unlisten();
      resolve(undefined);
    });
  });
  expect(stage.sim.requests).toHaveLength(3);
  finish();
  expect(await compacting).toEqual({ ok: true });
  expect(await work).toMatchObject({ reason: 'completed', text: 'answer' });
  expectAllAccepted(stage.sim);
  expect(stage.sim.requests[2]?.raw.toString('utf8')).toContain('The person adds: keep the names');
  expect(stage.sim.requests).toHaveLength(4);
  const last = stage.sim.requests[3]?.raw.toString('utf8') ?? '';
  expect(last).toContain('what was said so far');
  expect(last).toContain('The last thing asked for, word for word:\\n\\nsecond words');
  expect(last).not.toContain('first words');
  expect(last.indexOf('third words')).toBeGreaterThan(last.indexOf('what was said so far'));
  expect(last.split('third words')).toHaveLength(2);
  expect(eventsOf(stage, 'history-compacted')).toMatchObject([{ trigger: 'manual', messages: 4 }]);
  expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual(['session-start', 'compaction']);
});

it('LC-24: refused, with a reason, while it runs and while the conversation is too short', async () => {
  const stage = await setStage([{ delay: { firstMs: 100, eventMs: 0 }, reply: 'answer' }]);
  const session = await stage.open();
  expect(await session.execute({ type: 'compact' })).toEqual({ ok: false, reason: 'the conversation is empty' });
  const work = session.send('words');
  await stage.sim.received(1);
  expect(await session.execute({ type: 'compact' })).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/is running/),
  });
  await work;
  expect(await session.execute({ type: 'compact' })).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/too short/),
  });
  expect(stage.sim.requests).toHaveLength(1);
});

it('LC-24: a summary that does not come is reported, and the conversation stays', async () => {
  const stage = await setStage([
    { when: { user: '<compaction>' }, fault: 'unauthorized', times: 1 },
    { reply: 'answer' },
  ]);
  const session = await stage.open();
  await session.send('first words');
  await session.send('second words');
  expect(await session.execute({ type: 'compact' })).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/could not be compacted/),
  });
  await session.send('third words');
  expect(stage.sim.requests.at(-1)?.raw.toString('utf8')).toContain('first words');
});

it('LC-2: interrupted: the command reports it, and the conversation stays', async () => {
  const stage = await setStage([
    { when: { user: '<compaction>' }, delay: { firstMs: 600_000, eventMs: 0 }, reply: 'never' },
    { reply: 'answer' },
  ]);
  const session = await stage.open();
  await session.send('first words');
  await session.send('second words');
  const compacting = session.execute({ type: 'compact' });
  await stage.sim.received(3);
  await session.execute({ type: 'interrupt' });
  expect(await compacting).toEqual({ ok: false, reason: 'it was interrupted' });
  expect(await session.send('third words')).toMatchObject({ reason: 'completed' });
  expect(stage.sim.requests.at(-1)?.raw.toString('utf8')).toContain('first words');
});

it('DU-23: what must not happen next to it waits in line: two rewinds and new words, one after another', async () => {
  const { stage, finish } = await setSlowCompaction();
  const session = await stage.open();
  await session.send('first words');
  await session.send('second words');
  const compacting = session.execute({ type: 'compact' });
  await stage.sim.received(3);
  const back = { type: 'rewind', to: 2, part: 'conversation' } as const;
  const rewinds = [session.execute(back), session.execute(back)];
  finish();
  expect(await compacting).toEqual({ ok: true });
  const [one, two] = await Promise.all(rewinds);
  expect(one).toMatchObject({ ok: true });
  // By then there is no second prompt any more.
  expect(two).toMatchObject({ ok: false });
  await session.send('third words');
  expectAllAccepted(stage.sim);
  const last = stage.sim.requests.at(-1)?.raw.toString('utf8') ?? '';
  expect(last).toContain('first words');
  expect(last).not.toContain('second words');
});
