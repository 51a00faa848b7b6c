/** A conversation that begins again, a session that is copied while it is open, and prompts with nothing in them. */

import { describe, expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

/** What the model was sent last, without its prefix. */
const lastMessages = (stage: Stage) => JSON.stringify(stage.sim.requests.at(-1)?.body.messages);

describe('clear', () => {
  it('FK-25: the conversation begins again in the same session, with its opening, in its own epoch', async () => {
    const stage = await setStage([{ reply: 'answer' }]);
    await stage.write('CLAUDE.md', 'Speak softly.');
    const session = await stage.open();
    expect(await session.execute({ type: 'clear' })).toEqual({ ok: false, reason: 'the conversation is empty' });
    await session.send('first words');
    await session.send('second words');
    expect(await session.execute({ type: 'clear' })).toEqual({ ok: true });
    expect(await session.send('third words')).toMatchObject({ reason: 'completed' });
    expectAllAccepted(stage.sim);
    expect(lastMessages(stage)).toContain('third words');
    expect(lastMessages(stage)).toContain('Speak softly.');
    expect(lastMessages(stage)).not.toMatch(/first words|second words|answer/);
    expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual(['session-start', 'clear']);
  });

  it('DU-23: what was said stays on disk: a resume finds it cleared, a rewind goes back behind it', async () => {
    const stage = await setStage([{ reply: 'answer' }]);
    const session = await stage.open();
    await session.send('first words');
    await session.send('second words');
    await session.execute({ type: 'clear' });
    await session.close();
    const resumed = await stage.open({ resume: 'latest' });
    await resumed.send('third words');
    expectAllAccepted(stage.sim);
    expect(lastMessages(stage)).toContain('# Environment');
    expect(lastMessages(stage)).not.toMatch(/first words|second words/);
    expect(await resumed.rewind({ to: 2, part: 'conversation' })).toMatchObject({ ok: true });
    await resumed.send('fourth words');
    expectAllAccepted(stage.sim);
    expect(lastMessages(stage)).toContain('first words');
    expect(lastMessages(stage)).not.toMatch(/second words|third words/);
  });

  it('LC-9: a task that runs meanwhile is heard of once it ends, and hooks are informed of the new start', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'heard' },
      { when: { said: 'BEHIND' }, reply: onceOpen(held, 'from behind') },
      { when: { result: { tool: 'Agent' } }, reply: 'started' },
      {
        when: { user: 'delegate' },
        reply: [{ tool: 'Agent', input: { prompt: 'BEHIND', run_in_background: true } }],
      },
      { reply: 'answer' },
    ]);
    const sources: unknown[] = [];
    const session = await stage.open({
      hooks: {
        SessionStart: [
          {
            hooks: [
              async (input) => {
                sources.push(input.source);
              },
            ],
          },
        ],
      },
    });
    await session.send('delegate');
    expect(await session.execute({ type: 'clear' })).toEqual({ ok: true });
    held.open();
    await session.settled();
    expectAllAccepted(stage.sim);
    expect(lastMessages(stage)).toContain('from behind');
    expect(lastMessages(stage)).not.toContain('delegate');
    expect(sources).toEqual(['startup', 'clear']);
  });

  it('LC-24: refused while it works', async () => {
    const held = gate();
    const stage = await setStage([{ reply: onceOpen(held, 'answer') }]);
    const session = await stage.open();
    const work = session.send('slowly');
    await stage.sim.received(1);
    for (const type of ['clear', 'branch'] as const) {
      expect(await session.execute({ type })).toMatchObject({
        ok: false,
        reason: expect.stringContaining('is running'),
      });
    }
    held.open();
    expect(await work).toMatchObject({ text: 'answer' });
  });
});

describe('a branch of the session that is open', () => {
  it('FK-24: is a copy under its own name that can be resumed; the old one stays as it is', async () => {
    const stage = await setStage([{ reply: 'answer' }]);
    const session = await stage.open();
    expect(await session.execute({ type: 'branch' })).toEqual({ ok: false, reason: 'the conversation is empty' });
    await session.send('common words');
    expect(await session.execute({ type: 'branch', name: 'other-way' })).toEqual({ ok: true, session: 'other-way' });
    for (const [name, reason] of [
      ['other-way', 'already'],
      ['../x', 'letters'],
      ['latest', 'letters'],
    ] as const) {
      expect(await session.execute({ type: 'branch', name })).toMatchObject({
        ok: false,
        reason: expect.stringContaining(reason),
      });
    }
    const branch = await stage.open({ resume: 'other-way' });
    expect(branch.id).toBe('other-way');
    await branch.send('only there');
    expectAllAccepted(stage.sim);
    expect(lastMessages(stage)).toContain('common words');
    expect(eventsOf(stage, 'session-started').map((one) => one.session)).toEqual([session.id, 'other-way']);
    await session.send('only here');
    expectAllAccepted(stage.sim);
    expect(lastMessages(stage)).toContain('common words');
    expect(lastMessages(stage)).not.toContain('only there');
  });
});

describe('nothing to say', () => {
  it.each(['', '  ', '\n', '\t\u00a0\r\n'])(
    'SF-6: a prompt of %j is refused with a reason, and nothing is sent',
    async (blank) => {
      const stage = await setStage([{ reply: 'answer' }]);
      const session = await stage.open();
      for (const round of [0, 1]) {
        const end = await session.send(blank);
        expect(end).toMatchObject({ reason: 'empty_prompt', line: expect.stringContaining('empty') });
        expect(await session.send([{ type: 'text', text: blank }])).toMatchObject({ reason: 'empty_prompt' });
        expect(stage.sim.requests).toHaveLength(round);
        expect(await session.send('words')).toMatchObject({ reason: 'completed', text: 'answer' });
      }
      expectAllAccepted(stage.sim);
      expect(await session.prompts()).toHaveLength(2);
    },
  );

  it('SF-6: blank text next to other content is left out; a blank message or directive is refused', async () => {
    const stage = await setStage([{ reply: 'answer' }]);
    const session = await stage.open();
    await session.send([
      { type: 'text', text: ' ' },
      { type: 'text', text: 'words' },
    ]);
    expectAllAccepted(stage.sim);
    expect(await session.execute({ type: 'message', agent: 'main', text: ' ' })).toMatchObject({ ok: false });
    expect(await session.fork(' ')).toMatchObject({ status: 'failed', line: 'the prompt for the fork is empty' });
    expect(stage.sim.requests).toHaveLength(1);
  });
});

it('FK-24: right after a clear there is nothing to fork from; a resumed and a compacted conversation can be forked', async () => {
  const stage = await setStage([
    { when: { user: '<compaction>' }, reply: 'a summary' },
    { when: { user: 'as a fork' }, reply: 'from the fork' },
    { reply: 'answer' },
  ]);
  const session = await stage.open();
  await session.send('words');
  await session.execute({ type: 'clear' });
  expect(await session.fork('as a fork')).toMatchObject({ status: 'failed', reason: 'not_started' });
  await session.send('one');
  await session.send('two');
  await session.execute({ type: 'compact' });
  await session.send('three');
  expect(await session.fork('as a fork')).toMatchObject({ status: 'completed', content: 'from the fork' });
  await session.close();
  const resumed = await stage.open({ resume: 'latest' });
  expect(await resumed.fork('as a fork')).toMatchObject({ status: 'completed' });
  expectAllAccepted(stage.sim);
});
