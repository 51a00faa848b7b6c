/** CL-7, CL-8: cancelling, and editors that go away, are slow, or send nonsense. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runningWith } from '../../../support/processes.js';
import { until, untilFound } from '../../../support/until.js';
import { choose, connectEditor, setAcpStage, startAcp } from './acp-stage.js';

describe('cancel', () => {
  it('CL-7: ends the turn with its own reason, and the session continues', async () => {
    const stage = await setAcpStage([
      { when: { user: 'wait' }, reply: [{ tool: 'Bash', input: { command: 'sleep 600' } }] },
      { reply: 'Here.' },
    ]);
    const editor = await connectEditor(stage, { args: ['--allowedTools', 'Bash(sleep 600)'] });
    const { sessionId } = await editor.open();
    const prompt = editor.prompt(sessionId, 'wait');
    await until(
      () => editor.updates(sessionId, 'tool_call_update').some(({ status }) => status === 'in_progress'),
      'the command',
    );
    await editor.agent.notify('session/cancel', { sessionId });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect(editor.updates(sessionId, 'tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
    expect(await editor.prompt(sessionId, 'hello')).toEqual({ stopReason: 'end_turn' });
  });

  it('CL-7: a question that waits is taken back; its late answer changes nothing', async () => {
    const stage = await setAcpStage([
      { when: { user: 'write' }, reply: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }] },
      { reply: 'Here.' },
    ]);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const editor = await connectEditor(stage, {
      answer: async () => {
        await released;
        return choose('allow');
      },
    });
    const { sessionId } = await editor.open();
    const prompt = editor.prompt(sessionId, 'write');
    await untilFound(() => editor.asked[0], 'the question');
    await editor.agent.notify('session/cancel', { sessionId });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    release();
    expect(await editor.prompt(sessionId, 'hello')).toEqual({ stopReason: 'end_turn' });
    await expect(stage.read('a.txt')).rejects.toThrow('ENOENT');
  });
});

describe('an editor that goes away', () => {
  it('CL-8: by closing its pipe: agents are interrupted, nothing is left, and the session can be loaded again', async () => {
    const mark = `7${process.pid}${Date.now() % 100_000}`;
    const stage = await setAcpStage([
      { when: { user: 'wait' }, reply: [{ tool: 'Bash', input: { command: `sleep ${mark}` } }] },
      { reply: 'Back again.' },
    ]);
    const editor = await connectEditor(stage, { args: ['--allowedTools', 'Bash(sleep:*)'] });
    const [one, two] = await Promise.all([editor.open(), editor.open()]);
    editor.prompt(one.sessionId, 'wait').catch(() => {});
    editor.prompt(two.sessionId, 'wait').catch(() => {});
    await until(() => runningWith(`sleep ${mark}`).length >= 2, 'both commands');
    editor.child.stdin.end();
    expect(await editor.ended).toBe(0);
    expect(runningWith(`sleep ${mark}`)).toEqual([]);
    const again = await connectEditor(stage);
    for (const { sessionId } of [one, two]) {
      await again.agent.request('session/load', { sessionId, cwd: stage.folder, mcpServers: [] });
      expect(again.updates(sessionId, 'tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
      expect(await again.prompt(sessionId, 'go on')).toEqual({ stopReason: 'end_turn' });
    }
  });
});

describe('an editor that is slow', () => {
  it('CL-8: gets every word once it reads', async () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(' ');
    const stage = await setAcpStage([{ reply: words }]);
    const editor = await connectEditor(stage);
    const { sessionId } = await editor.open();
    const readOn = editor.hold();
    const prompt = editor.prompt(sessionId, 'talk');
    await until(() => stage.sim.requests.length > 0, 'the request');
    await sleep(500);
    readOn();
    expect(await prompt).toEqual({ stopReason: 'end_turn' });
    expect(editor.said(sessionId)).toBe(words);
  });
});

describe('an editor that lies', () => {
  it('CL-8: broken lines, a line of 100 MB, unknown ids and repeated answers are errors, and sessions live', async () => {
    const stage = await setAcpStage([{ reply: 'Still here.' }]);
    const child = startAcp(stage);
    let out = '';
    child.stdout.on('data', (piece) => {
      out += piece;
    });
    const lines = () =>
      out
        .split('\n')
        .filter(Boolean)
        .map(
          (line) => JSON.parse(line) as { id?: unknown; result?: Record<string, unknown>; error?: { code: number } },
        );
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const answerTo = (id: number) => untilFound(() => lines().find((one) => one.id === id), `the answer to ${id}`);
    send({ id: 1, method: 'initialize', params: { protocolVersion: 1 } });
    send({ id: 2, method: 'session/new', params: { cwd: stage.folder, mcpServers: [] } });
    const sessionId = (await answerTo(2)).result?.sessionId;
    child.stdin.write('{"jsonrpc": \n');
    child.stdin.write('[]\n"word"\n\n');
    child.stdin.write(`{"x":"${'y'.repeat(100 * 1024 * 1024)}"}\n`);
    send({ id: 77, result: { outcome: { outcome: 'selected', optionId: 'allow' } } });
    send({ id: 77, result: {} });
    send({ id: 78 });
    send({ method: 'session/cancel', params: { sessionId: 'nobody' } });
    send({ method: 'session/cancel', params: 7 });
    send({ id: 3, method: 'session/prompt', params: { sessionId } });
    send({ id: 4, method: 'no/such/method', params: {} });
    send({ id: 5, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: 'hi' }] } });
    expect((await answerTo(3)).error).toMatchObject({ code: -32602 });
    expect((await answerTo(4)).error).toMatchObject({ code: -32601 });
    expect((await answerTo(5)).result).toEqual({ stopReason: 'end_turn' });
    const codes = lines()
      .filter(({ id }) => id === null)
      .map(({ error }) => error?.code);
    expect(codes).toEqual([-32700, -32600, -32600, -32600]);
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    expect(await ended).toBe(0);
  });
});
