/** `!`: a command line of the user's own. It runs on their word, and the model learns of it with what they say next. */

import { expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, expectAllAccepted, readingTool, readTranscript, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

const last = ({ sim }: Stage) => JSON.stringify(sim.requests.at(-1)?.body.messages.at(-1));

it('SF-16: it runs without a question, wakes nobody, and is part of the next request once', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open({ onPermission: async () => ({ behavior: 'deny', reason: 'not asked' }) });
  const ran = await session.execute({ type: 'shell', call: 's1', command: ' touch made; echo the output ' });
  expect(ran).toMatchObject({ ok: true, isError: false, content: [{ text: 'the output' }] });
  expect(await stage.read('made')).toBe('');
  expect(eventsOf(stage, 'question-asked')).toEqual([]);
  expect(eventsOf(stage, 'permission-answered')).toMatchObject([{ call: 's1', behavior: 'allow', by: 'person' }]);
  await session.settled();
  expect(stage.sim.requests).toEqual([]);
  await session.send('what did I do?');
  expect(last(stage)).toMatch(/\$ touch made; echo the output.*the output.*what did I do\?/);
  await session.send('and now?');
  expect(last(stage)).not.toContain('the output');
  expect(session.snapshot()).toHaveLength(1);
  expect(await session.prompts()).toHaveLength(2);
  expectAllAccepted(stage.sim);
});

it('SF-16: it is recorded, and a session that continues tells of it', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const first = await stage.open();
  await first.send('hello');
  await first.execute({ type: 'shell', call: 's1', command: 'echo printed' });
  await first.close();
  const records = (await readTranscript(first.transcript)).map(({ event }) => event);
  expect(records.filter((event) => 'call' in event)).toMatchObject([
    { kind: 'call-intended', call: 's1', aside: true },
    { kind: 'call-finished', call: 's1', aside: true },
  ]);
  const shell = { call: 's1', command: 'echo printed' };
  expect(records.find((event) => event.kind === 'input-admitted' && event.origin === 'shell')).toMatchObject({ shell });
  const second = await stage.open({ resume: first.id });
  expect(second.past).toMatchObject({ cutOff: undefined, prompts: 1 });
  await second.settled();
  expect(stage.sim.requests).toHaveLength(1);
  await second.send('go on');
  expect(last(stage)).toMatch(/\$ echo printed.*go on/);
  expectAllAccepted(stage.sim);
});

it('SF-16: while the agent works, it reaches it at its next safe point', async () => {
  const tool = gate();
  const stage = await setStage([
    { when: { result: { tool: 'Wait' } }, reply: 'done' },
    { reply: [{ tool: 'Wait', input: {} }] },
  ]);
  const wait = readingTool('Wait', async () => {
    await tool.opened;
    return 'waited';
  });
  const session = await stage.open({ tools: [wait] });
  const work = session.send('go');
  await until(() => eventsOf(stage, 'call-started').length > 0, 'the call');
  await session.execute({ type: 'shell', call: 's1', command: 'echo meanwhile' });
  tool.open();
  expect((await work).text).toBe('done');
  expect(stage.sim.requests).toHaveLength(2);
  expect(last(stage)).toMatch(/tool_result.*waited.*\$ echo meanwhile/);
  expectAllAccepted(stage.sim);
});

it('SF-16: during the last reply it makes no further turn, and waits for the next prompt', async () => {
  const asked = gate();
  const held = gate();
  const stage = await setStage([
    { when: { user: 'again' }, reply: 'ok' },
    { reply: onceOpen(held, 'done', asked.open) },
  ]);
  const session = await stage.open();
  const work = session.send('go');
  await asked.opened;
  await session.execute({ type: 'shell', call: 's1', command: 'echo meanwhile' });
  held.open();
  expect((await work).text).toBe('done');
  await session.settled();
  expect(stage.sim.requests).toHaveLength(1);
  await session.send('again');
  expect(last(stage)).toMatch(/\$ echo meanwhile.*again/);
});

it('GT-4: what a rule denies stays denied, and the model hears nothing of it; modes and limits of the agent are not the user’s', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  await stage.settings({ permissions: { deny: ['Bash(rm *)'] } });
  for (const permissionMode of ['plan', 'dontAsk', 'bypassPermissions'] as const) {
    const session = await stage.open({ permissionMode });
    const file = await stage.write('kept', 'x');
    const denied = await session.execute({ type: 'shell', call: 's1', command: 'rm kept' });
    expect(denied).toMatchObject({ ok: true, isError: true, content: [{ text: expect.stringContaining('denied') }] });
    expect(await stage.read('kept'), file).toBe('x');
    const ran = await session.execute({ type: 'shell', call: 's2', command: 'touch by-person' });
    expect(ran, permissionMode).toMatchObject({ isError: false });
    await session.send('hello');
    expect(last(stage)).not.toContain('rm kept');
    expect(last(stage)).toContain('touch by-person');
    await session.close();
  }
});

it('SF-16: what a hook has made of it is not their word: it is asked about', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const other = () => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'touch other' } },
  });
  const session = await stage.open({
    hooks: { PreToolUse: [{ hooks: [other] }] },
    onPermission: async () => ({ behavior: 'deny', reason: 'no' }),
  });
  const ran = await session.execute({ type: 'shell', call: 's1', command: 'touch mine' });
  expect(ran).toMatchObject({ ok: true, isError: true });
  expect(eventsOf(stage, 'question-asked')).toHaveLength(1);
});

it('SF-16: it can be cancelled; what it printed until then is reported; nothing after the ! is no command', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open();
  const work = session.execute({ type: 'shell', call: 's1', command: 'echo begun; sleep 600' });
  await until(() => eventsOf(stage, 'call-intended').length > 0, 'its start');
  expect(await session.execute({ type: 'cancel-call', call: 's1' })).toEqual({ ok: true });
  expect(await work).toMatchObject({ ok: true, isError: true });
  await session.send('hello');
  expect(last(stage)).toMatch(/\$ echo begun; sleep 600.*[Ii]nterrupted/);
  expect(await session.execute({ type: 'shell', call: 's2', command: '  ' })).toMatchObject({ ok: false });
});
