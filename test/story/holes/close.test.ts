/** Leaving a session never fails: lock, sandbox and files are released, whatever went wrong. */

import { expect, it } from 'vitest';
import { openSession } from '../../../src/front/sdk/open-session.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { HooksConfig } from '../../../src/index.js';
import type { Command } from '../../../src/protocol/commands.js';
import { fastHost } from '../../support/hosts/fast-host.js';
import { eventsOf, readingTool, type Stage, setStage } from '../../support/story.js';
import { failingHost } from './failing-host.js';
import { openFilesBelow } from './open-files.js';

/** Nothing is held any more: another can continue with the session. */
async function expectGivenBack(stage: Stage, id: string): Promise<void> {
  expect(openFilesBelow(stage.home)).toEqual([]);
  const again = await openSession({ cwd: stage.folder, env: stage.env, resume: id });
  expect(again).toMatchObject({ ok: true });
  if (again.ok) await again.session.close();
}

it.each([
  ['and no other file can be made', true, /^the transcript could not be closed: .*suspect.*EACCES/],
  ['in every file', false, /^the transcript could not be closed: .*EIO/],
])(
  'DU-3, DU-9: the last sync fails, %s: reported in a line, close resolves, everything is released',
  async (_how, opens, line) => {
    const stage = await setStage([{ reply: 'hi' }]);
    let broken = false;
    const faults = { open: () => broken && opens, sync: () => broken };
    const host = failingHost(nodeHost(stage.folder, stage.env), faults);
    const session = await stage.open({ host });
    await session.send('x');
    await session.setMode('acceptEdits');
    broken = true;
    expect(await session.execute({ type: 'close' })).toEqual({ ok: false, reason: expect.stringMatching(line) });
    expect(eventsOf(stage, 'line-shown')).toMatchObject([{ level: 'error', line: expect.stringMatching(line) }]);
    await expectGivenBack(stage, session.id);
  },
);

it('DU-9: a hook at the end that never returns is not waited for', async () => {
  const stage = await setStage([{ reply: 'hi' }]);
  const hang = () => new Promise<undefined>(() => {});
  const host = fastHost(stage.folder, stage.env);
  const session = await stage.open({ host, hooks: { SessionEnd: [{ hooks: [hang] }] } });
  await session.send('x');
  await session.close();
  await expectGivenBack(stage, session.id);
});

it.each<[string, (hang: () => Promise<undefined>) => HooksConfig]>([
  ['before a call', (hang) => ({ PreToolUse: [{ hooks: [hang] }] })],
  ['with the prompt', (hang) => ({ UserPromptSubmit: [{ hooks: [hang] }] })],
  ['at the start', (hang) => ({ SessionStart: [{ hooks: [hang] }] })],
])('LC-2, DU-9: closed while a hook %s hangs', async (_where, hooks) => {
  const stage = await setStage([{ when: { nth: 1 }, reply: [{ tool: 'Look' }] }, { reply: 'hi' }]);
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const hang = () => {
    asked();
    return new Promise<undefined>(() => {});
  };
  const session = await stage.open({ hooks: hooks(hang), tools: [readingTool('Look', async () => 'seen')] });
  const work = session.send('x');
  await isAsked;
  await session.close();
  expect((await work).reason).toBe('interrupted');
  await expectGivenBack(stage, session.id);
});

it('DU-9: called twice at once, and once more: all wait for the same end', async () => {
  const stage = await setStage([{ reply: 'hi' }]);
  const ends: string[] = [];
  const session = await stage.open({ hooks: { SessionEnd: [{ hooks: [({ reason }) => void ends.push(reason)] }] } });
  await session.send('x');
  const all = await Promise.all([session.execute({ type: 'close' }), session.execute({ type: 'close' })]);
  expect(all).toEqual([{ ok: true }, { ok: true }]);
  expect(openFilesBelow(stage.home)).toEqual([]);
  await session.close();
  expect(ends).toEqual(['other']);
  expect(await session.send('too late')).toMatchObject({ reason: 'interrupted', line: 'the session is closed' });
  await expectGivenBack(stage, session.id);
});

it('DU-9: a session that was left takes no command any more, started or not', async () => {
  const stage = await setStage([{ reply: 'hi' }]);
  const used = await stage.open();
  await used.send('x');
  const unused = await stage.open();
  for (const session of [used, unused]) {
    await session.close();
    const { length } = stage.sim.requests;
    const commands: Command[] = [
      { type: 'message', agent: 'main', text: 'y' },
      { type: 'set-mode', mode: 'plan' },
      { type: 'set-model', model: 'sonnet' },
      { type: 'resume-agent', agent: 'nobody' },
      { type: 'rewind', to: 1, part: 'both' },
      { type: 'compact' },
    ];
    for (const command of commands) {
      expect(await session.execute(command)).toEqual({ ok: false, reason: 'the session is closed' });
    }
    expect(await session.fork('z')).toMatchObject({ status: 'failed', line: 'the session is closed' });
    expect(await session.send('too late')).toMatchObject({ reason: 'interrupted', line: 'the session is closed' });
    expect(stage.sim.requests).toHaveLength(length);
    expect(openFilesBelow(stage.home)).toEqual([]);
  }
  await expectGivenBack(stage, used.id);
});
