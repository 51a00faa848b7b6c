/** Another model, mode or tools while the agent works: in force at the next safe point, never in the middle. */

import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Session } from '../../../src/front/sdk/session.js';
import { type AgentEvent, defineTool } from '../../../src/index.js';
import { eventsOf, expectAllAccepted, readingTool, setStage } from '../../support/story.js';

const OPUS = 'claude-opus-5-5';
const SONNET = 'claude-sonnet-5-5';

/** The first time such an event is reported. */
function once(session: Session, kind: AgentEvent['kind']): Promise<void> {
  return new Promise((resolve) => {
    const unlisten = session.watch(({ event }) => {
      if (event.kind !== kind) return;
      unlisten();
      resolve();
    });
  });
}

it('FK-25: another effort begins a new epoch, at the next safe point; the same one begins none', async () => {
  const stage = await setStage([{ reply: [{ thinking: 'hm' }, 'ok'] }]);
  const session = await stage.open({ effort: 'low' });
  await session.send('go');
  expect(await session.execute({ type: 'set-model', effort: 'extreme' })).toMatchObject({
    ok: false,
    reason: expect.stringContaining('low, medium, high'),
  });
  for (const effort of ['high', 'high']) {
    expect(await session.execute({ type: 'set-model', effort })).toEqual({ ok: true });
    await session.send('go');
  }
  expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual(['session-start', 'effort-switch']);
  expect(stage.sim.requests.map(({ body }) => body.output_config?.effort)).toEqual(['low', 'high', 'high']);
  // The same model continues, so what it thought stays.
  expect(JSON.stringify(stage.sim.requests[1]?.body.messages)).toContain('"thinking":"hm"');
  expectAllAccepted(stage.sim);
});

it('FK-25: a session that continues applies an effort that is asked for, and no other', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open({ effort: 'low' });
  await session.send('go');
  await session.close();
  await stage.settings({ effort: 'max' });
  for (const effort of [undefined, 'low', 'high'] as const) {
    const again = await stage.open({ resume: session.id, ...(effort === undefined ? {} : { effort }) });
    await again.send('go on');
    await again.close();
  }
  expect(stage.sim.requests.map(({ body }) => body.output_config?.effort)).toEqual(['low', 'low', 'low', 'high']);
  expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual(['session-start', 'effort-switch']);
  const [first, second] = stage.sim.requests.slice(-2).map(({ body }) => body);
  expect([second?.tools, second?.system]).toEqual([first?.tools, first?.system]);
});

it('FK-25: set-model while a reply streams: no thinking of the old model reaches the new one, no pair is split', async () => {
  const stage = await setStage([
    {
      when: { nth: 1 },
      delay: { firstMs: 0, eventMs: 10 },
      reply: [{ thinking: 'I think as opus' }, 'Let me look.', { tool: 'Look', input: {} }],
    },
    { reply: 'done' },
  ]);
  const session = await stage.open({ tools: [readingTool('Look', async () => 'seen')], model: 'opus' });
  const work = session.send('go');
  await once(session, 'text-streamed');
  expect(await session.execute({ type: 'set-model', model: 'sonnet' })).toEqual({ ok: true });
  expect(session.model).toBe(SONNET);
  expect(await work).toMatchObject({ reason: 'completed', text: 'done' });
  expectAllAccepted(stage.sim);
  const [first, second] = stage.sim.requests;
  expect([first?.body.model, second?.body.model]).toEqual([OPUS, SONNET]);
  const sent = JSON.stringify(second?.body.messages);
  expect(sent).not.toContain('I think as opus');
  expect(sent).toContain('"tool_use"');
  expect(sent).toContain('seen');
  expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual(['session-start', 'model-switch']);
  // Back again: what sonnet thought stays behind as well, and nothing of it is sent.
  await session.setModel('opus');
  await session.send('on');
  expectAllAccepted(stage.sim);
  expect(stage.sim.requests.at(-1)?.body.model).toBe(OPUS);
});

it('GT-5: set-mode in a call: what the same reply still asks for is judged by the old mode, the next turn by the new one', async () => {
  const write = (name: string) => ({ tool: 'Write', input: { file_path: `${stage.folder}/${name}`, content: 'x' } });
  const stage = await setStage();
  stage.sim.use([
    { when: { nth: 1 }, reply: [{ tool: 'Look', input: {} }, write('one.txt')] },
    { when: { nth: 2 }, reply: [write('two.txt')] },
    { reply: 'done' },
  ]);
  const look = readingTool('Look', async () => {
    expect(await session.execute({ type: 'set-mode', mode: 'acceptEdits' })).toEqual({ ok: true });
    return 'seen';
  });
  const session: Session = await stage.open({ tools: [look] });
  expect((await session.send('go')).reason).toBe('completed');
  expectAllAccepted(stage.sim);
  expect(eventsOf(stage, 'permission-answered')).toMatchObject([{ tool: 'Write', behavior: 'deny' }]);
  await expect(stage.read('one.txt')).rejects.toThrow('ENOENT');
  expect(await stage.read('two.txt')).toBe('x');
  const order = stage.events.map(({ event }) => event.kind);
  expect(order.slice(order.indexOf('mode-changed') - 1, order.indexOf('mode-changed') + 2)).toEqual([
    'call-finished',
    'mode-changed',
    'message-joined',
  ]);
});

it('FK-25: addTools while it works: never within the run, there with the next prompt', async () => {
  const stage = await setStage([
    { when: { nth: 1 }, reply: [{ tool: 'Look', input: {} }] },
    { when: { user: 'use it' }, reply: [{ tool: 'New', input: {} }] },
    { reply: 'done' },
  ]);
  const more = defineTool({
    name: 'New',
    description: 'd',
    schema: z.object({}),
    readOnly: true,
    run: async () => 'new!',
  });
  const look = readingTool('Look', async () => {
    session.addTools([more]);
    return 'seen';
  });
  const session: Session = await stage.open({ tools: [look] });
  await session.send('go');
  await session.send('use it');
  expectAllAccepted(stage.sim);
  const has = stage.sim.requests.map(({ body }) => body.tools?.some((tool) => 'name' in tool && tool.name === 'New'));
  expect(has).toEqual([false, false, true, true]);
  expect(stage.sim.requests.at(-1)?.raw.toString('utf8')).toContain('new!');
  expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual(['session-start', 'tools-changed']);
});

it('FK-25: at once when nothing works, and before the first prompt', async () => {
  const stage = await setStage([{ reply: [{ thinking: 'hm' }, 'hello'] }]);
  const session = await stage.open();
  await session.execute({ type: 'set-model', model: 'sonnet' });
  await session.execute({ type: 'set-mode', mode: 'plan' });
  await session.send('one');
  expect(stage.sim.requests[0]?.body.model).toBe(SONNET);
  expect(eventsOf(stage, 'session-started')).toMatchObject([{ model: SONNET, mode: 'plan' }]);
  await session.execute({ type: 'set-mode', mode: 'default' });
  expect(eventsOf(stage, 'mode-changed')).toMatchObject([{ mode: 'default' }]);
  await session.execute({ type: 'set-model', model: 'opus' });
  await session.send('two');
  expectAllAccepted(stage.sim);
  expect(JSON.stringify(stage.sim.requests[1]?.body.messages)).not.toContain('"hm"');
});
