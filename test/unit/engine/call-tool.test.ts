/** MC-9: a tool of the main agent called by a client, next to a conversation. */

import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../src/front/sdk/define-tool.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { listSessions } from '../../../src/session/store/list-sessions.js';
import { eventsOf, expectAllAccepted, readingTool, readTranscript, setStage } from '../../support/story.js';
import { turns, until } from '../../support/until.js';

const RULES = [
  { when: { result: { tool: 'Bash' } }, reply: 'Done.' },
  { when: { user: /^go$/m }, reply: [{ tool: 'Bash', input: { command: 'echo by the model' } }] },
  { reply: 'Hello.' },
];

it('MC-9: it is recorded as no part of the conversation: requests before, between and after are as without it', async () => {
  const stage = await setStage(RULES);
  const session = await stage.open({ permissionMode: 'acceptEdits' });
  const call = (id: string, command: string) =>
    session.execute({ type: 'call-tool', call: id, tool: 'Bash', input: { command } });
  expect(await call('c1', 'touch a')).toEqual({
    ok: true,
    isError: false,
    content: [{ type: 'text', text: '(no output)' }],
  });
  const path = await stage.write('sub/a.txt', 'a');
  await stage.write('sub/CLAUDE.md', 'only here');
  await session.execute({ type: 'call-tool', call: 'r1', tool: 'Read', input: { file_path: path } });
  expect((await session.send('hello')).text).toBe('Hello.');
  expect(JSON.stringify(stage.sim.requests[0]?.body)).not.toContain('only here');
  expect(await call('c2', 'echo two')).toMatchObject({ ok: true, content: [{ text: 'two' }] });
  expect((await session.send('go')).text).toBe('Done.');
  expect(await call('c3', 'exit 3')).toMatchObject({ ok: true, isError: true });
  await session.send('again');
  expectAllAccepted(stage.sim);
  const results = JSON.stringify(stage.sim.requests.at(-1)?.body).split('"tool_result"').length - 1;
  expect(results).toBe(1);
  const records = await readTranscript(session.transcript);
  const finished = records.flatMap(({ event }) => (event.kind === 'call-finished' ? [[event.call, event.aside]] : []));
  expect(finished).toEqual([
    ['c1', true],
    ['r1', true],
    ['c2', true],
    [expect.stringMatching(/^toolu_/), undefined],
    ['c3', true],
  ]);
  expect(records.flatMap(({ event }) => (event.kind === 'call-intended' ? [event.aside] : []))).toContain(true);
});

it('MC-9: a session that continues knows nothing of such calls but their records', async () => {
  const stage = await setStage(RULES);
  const first = await stage.open();
  await first.send('hello');
  await first.execute({ type: 'call-tool', call: 'c1', tool: 'Bash', input: { command: 'echo one' } });
  await first.close();
  const { sessions } = await listSessions(nodeHost(stage.folder, stage.env), { home: stage.env.COPPICE_HOME ?? '' });
  expect(sessions).toMatchObject([{ id: first.id, ended: 'completed', onlyCalls: false }]);
  const second = await stage.open({ resume: first.id });
  expect(second.past).toBeDefined();
  expect((await second.send('hello again')).reason).toBe('completed');
  expectAllAccepted(stage.sim);
  expect(JSON.stringify(stage.sim.requests.at(-1)?.body)).not.toContain('tool_result');
});

it('MC-9: calls overlap where their tools may; a cancelled one ends, and so does the rest when the session is left', async () => {
  const stage = await setStage();
  const begun: number[] = [];
  const slow = readingTool('Slow', async ({ n = 0 }, signal) => {
    begun.push(n);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    return 'ended';
  });
  const session = await stage.open({ tools: [slow] });
  const call = (n: number) => session.execute({ type: 'call-tool', call: `c${n}`, tool: 'Slow', input: { n } });
  const both = [call(1), call(2)];
  await until(() => begun.length === 2, 'both began');
  expect(await call(1)).toEqual({ ok: false, reason: 'the call c1 is already running' });
  expect(await session.execute({ type: 'cancel-call', call: 'c1' })).toEqual({ ok: true });
  expect(await both[0]).toMatchObject({ ok: true, content: [{ text: 'ended' }] });
  expect(await session.execute({ type: 'cancel-call', call: 'c1' })).toMatchObject({ ok: false });
  await session.close();
  expect(await both[1]).toMatchObject({ ok: true });
  expect(await call(3)).toEqual({ ok: false, reason: 'the session is closed' });
});

it('MC-9: calls of tools that change something run one after the other', async () => {
  const stage = await setStage();
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const change = defineTool({
    name: 'Change',
    description: 'Changes something.',
    schema: z.object({ n: z.number() }),
    run: async ({ n }) => {
      begun.push(n);
      await new Promise<void>((resolve) => ends.push(resolve));
      return 'changed';
    },
  });
  const look = readingTool('Look', async () => 'seen');
  const session = await stage.open({ tools: [change, look], permissionMode: 'bypassPermissions' });
  const call = (tool: string, n: number) =>
    session.execute({ type: 'call-tool', call: `${tool}${n}`, tool, input: { n } });
  const both = [call('Change', 1), call('Change', 2)];
  await until(() => begun.length > 0, 'one began');
  for (let n = 1; n <= 5; n += 1)
    expect(await call('Look', n)).toMatchObject({ ok: true, content: [{ text: 'seen' }] });
  expect(begun).toEqual([1]);
  ends[0]?.();
  await until(() => begun.length === 2, 'the other began');
  ends[1]?.();
  expect(await Promise.all(both)).toMatchObject([{ isError: false }, { isError: false }]);
});

it('MC-9: one that is cancelled at once does not begin', async () => {
  const stage = await setStage();
  const session = await stage.open();
  const input = { command: 'touch made' };
  const called = session.execute({ type: 'call-tool', call: 'c1', tool: 'Bash', input });
  await turns(1);
  expect(await session.execute({ type: 'cancel-call', call: 'c1' })).toEqual({ ok: true });
  expect(await called).toMatchObject({
    ok: true,
    isError: true,
    content: [{ text: 'Not started: the person interrupted.' }],
  });
});

it('MC-9: who can be asked is asked, as about any call', async () => {
  const stage = await setStage();
  const session = await stage.open({ onPermission: async () => ({ behavior: 'allow' }) });
  const input = { command: 'touch made' };
  expect(await session.execute({ type: 'call-tool', call: 'c1', tool: 'Bash', input })).toMatchObject({
    isError: false,
  });
  expect(eventsOf(stage, 'question-asked')).toMatchObject([{ call: 'c1', tool: 'Bash' }]);
});

it('MC-9: with onlyCalls there is no background and no fork, and nothing wakes the main agent', async () => {
  const stage = await setStage([{ reply: 'Never.' }]);
  const session = await stage.open({ onlyCalls: true, fork: 'on' });
  for (const { name, inputSchema } of session.tools) {
    if (name === 'Agent') expect(Object.keys(inputSchema.properties as object)).not.toContain('fork');
    expect(Object.keys((inputSchema.properties ?? {}) as object)).not.toContain('run_in_background');
  }
  await session.execute({ type: 'call-tool', call: 'c1', tool: 'Bash', input: { command: 'echo' } });
  expect(await session.execute({ type: 'message', agent: 'main', text: 'hello' })).toEqual({ ok: true });
  await session.settled();
  expect(stage.sim.requests).toEqual([]);
});
