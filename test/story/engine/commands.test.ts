/** Every command can be sent as JSON, and so can what it returns: a client may be at the other end of a pipe. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CommandResult } from '../../../src/engine/commands/command-results.js';
import type { Session } from '../../../src/front/sdk/session.js';
import type { Command } from '../../../src/protocol/commands.js';
import { type Gate, gate } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { expectNoneRefused } from '../durability/crash-stage.js';

/** As it would come over a pipe, both ways. */
async function over<C extends Command>(session: Session, command: C): Promise<CommandResult<C>> {
  const result = await session.execute(JSON.parse(JSON.stringify(command)) as C);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  return result;
}

type Child = { held: Gate; asked: number };

/** A model that writes a file, starts children that wait to be released, and names which model it is. */
async function busyStage(): Promise<{ stage: Stage; child: Child }> {
  const child: Child = { held: gate(), asked: 0 };
  const stage = await setStage();
  const agent = (background: boolean) => ({
    tool: 'Agent',
    input: { prompt: 'CHILD', description: 'd', run_in_background: background },
  });
  stage.sim.use([
    { when: { user: '<compaction>' }, reply: 'the summary' },
    { when: { user: 'as a fork' }, reply: 'from the fork' },
    {
      when: { said: 'CHILD' },
      reply: async ({ said }) => {
        child.asked += 1;
        await child.held.opened;
        return `child heard ${said.join().split('hurry').length - 1}`;
      },
    },
    { when: { result: { tool: 'Agent' } }, reply: 'started' },
    { when: { result: { tool: 'Write' } }, reply: 'written' },
    {
      when: { user: 'write it' },
      reply: () => [{ tool: 'Write', input: { file_path: join(stage.folder, 'a.txt'), content: 'one' } }],
    },
    { when: { user: 'wait for one' }, reply: [agent(false)] },
    { when: { user: 'start one' }, reply: [agent(true)] },
    { when: { user: 'be slow' }, delay: { firstMs: 600_000, eventMs: 0 }, reply: 'never' },
    { reply: 'hello' },
  ]);
  return { stage, child };
}

it('SF-6: a whole session by commands as JSON', async () => {
  const { stage, child } = await busyStage();
  const session = await stage.open();
  const run = <C extends Command>(command: C) => over(session, command);

  expect(await run({ type: 'set-mode', mode: 'acceptEdits' })).toEqual({ ok: true });
  expect(await run({ type: 'prompt', content: 'write it', key: 'k1' })).toMatchObject({ text: 'written' });
  expect(await stage.read('a.txt')).toBe('one');
  expect(await run({ type: 'prompt', content: 'write it', key: 'k1' })).toMatchObject({ text: 'written' });
  expect(await session.prompts()).toHaveLength(1);
  expect(stage.sim.requests).toHaveLength(2);

  expect(await run({ type: 'set-model', model: 'sonnet' })).toEqual({ ok: true });
  const blocks = [{ type: 'text', text: 'words as a block' }] as const;
  expect(await run({ type: 'prompt', content: blocks })).toMatchObject({ text: 'hello' });
  expect(stage.sim.requests.at(-1)?.body.model).toBe('claude-sonnet-5-5');

  const fork = await run({ type: 'fork', directive: 'as a fork', name: 'f', description: 'a fork' });
  expect(fork).toMatchObject({ status: 'completed', content: 'from the fork' });

  const waits = run({ type: 'prompt', content: 'wait for one' });
  await until(() => child.asked === 1);
  expect(await run({ type: 'to-background', agent: 'nobody' })).toEqual({ ok: true, moved: 0 });
  expect(await run({ type: 'to-background' })).toEqual({ ok: true, moved: 1 });
  expect(await waits).toMatchObject({ reason: 'completed', text: 'started' });
  const [moved] = session.tasks();
  const hurry = { type: 'message', agent: moved?.id ?? '', text: 'hurry', key: 'm1' } as const;
  expect(await run(hurry)).toEqual({ ok: true });
  expect(await run(hurry)).toEqual({ ok: true });
  child.held.open();
  await session.settled();
  expect(await session.tasks()[0]?.done).toMatchObject({ status: 'completed', content: 'child heard 1' });
  expect(await run({ type: 'message', agent: 'nobody', text: 'x' })).toMatchObject({ ok: false });

  child.held = gate();
  child.asked = 0;
  await run({ type: 'prompt', content: 'start one' });
  await until(() => child.asked === 1);
  const started = session.tasks().find(({ status }) => status === 'running')?.id ?? '';
  expect(await run({ type: 'stop-task', task: 'nobody' })).toMatchObject({ ok: false });
  expect(await run({ type: 'stop-task', task: started })).toEqual({ ok: true });
  expect(session.tasks().find(({ id }) => id === started)?.status).toBe('stopped');
  child.held.open();
  expect(await run({ type: 'resume-agent', agent: started, words: 'hurry' })).toEqual({ ok: true });
  await session.settled();
  expect(session.tasks().find(({ id }) => id === started)?.status).toBe('completed');
  expect(await run({ type: 'resume-agent', agent: 'nobody' })).toMatchObject({ ok: false });

  const path = join(stage.folder, 'a.txt');
  await writeFile(path, 'by somebody else');
  expect(await run({ type: 'rewind', to: 1, part: 'files' })).toMatchObject({ ok: true, left: [{ path }] });
  expect(await stage.read('a.txt')).toBe('by somebody else');
  expect(await run({ type: 'rewind', to: 1, part: 'both', overwrite: [path] })).toMatchObject({ ok: true, left: [] });
  await expect(stage.read('a.txt')).rejects.toThrow('ENOENT');
  expect(await session.prompts()).toHaveLength(0);
  expect(await run({ type: 'rewind', to: 9, part: 'both' })).toMatchObject({ ok: false });

  await run({ type: 'prompt', content: 'first again' });
  await run({ type: 'prompt', content: 'second again' });
  expect(await run({ type: 'compact', instructions: 'be brief' })).toEqual({ ok: true });
  expect(eventsOf(stage, 'history-compacted')).toHaveLength(1);

  const { length } = stage.sim.requests;
  const slow = run({ type: 'prompt', content: 'be slow' });
  await stage.sim.received(length + 1);
  expect(await run({ type: 'interrupt' })).toEqual({ ok: true });
  expect(await slow).toMatchObject({ reason: 'interrupted' });
  expectNoneRefused(stage.sim);

  expect(await run({ type: 'close', reason: 'exit' })).toEqual({ ok: true });
  expect(await run({ type: 'prompt', content: 'too late' })).toMatchObject({ reason: 'interrupted' });
});

it('LC-10: the same key while it works, at once, after its end and after a resume: admitted once, answered once', async () => {
  const { stage } = await busyStage();
  const session = await stage.open();
  const prompt = { type: 'prompt', content: 'say hello', key: 'k' } as const;
  const all = await Promise.all([over(session, prompt), over(session, prompt), over(session, prompt)]);
  expect(all.map(({ text }) => text)).toEqual(['hello', 'hello', 'hello']);
  expect(await over(session, prompt)).toMatchObject({ reason: 'completed', text: 'hello' });
  await session.close();
  const again = await stage.open({ resume: session.id });
  expect(await over(again, prompt)).toMatchObject({ reason: 'completed', text: 'hello' });
  expectAllAccepted(stage.sim);
  expect(stage.sim.requests).toHaveLength(1);
  expect(await again.prompts()).toHaveLength(1);
});

it('LC-10: words that were admitted and never answered are answered when they are sent again under their key', async () => {
  const { stage } = await busyStage();
  const session = await stage.open();
  const prompt = { type: 'prompt', content: 'be slow', key: 'k' } as const;
  const work = over(session, prompt);
  await stage.sim.received(1);
  session.interrupt();
  expect((await work).reason).toBe('interrupted');
  stage.sim.use([{ reply: 'quick now' }]);
  expect(await over(session, prompt)).toMatchObject({ reason: 'completed', text: 'quick now' });
  expect(await session.prompts()).toHaveLength(1);
});
