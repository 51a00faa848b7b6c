/** CL-8: an editor that lies: what it asks wrongly is an error that reports it, and its sessions live. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { choose, connectEditor, connectRaw, setAcpStage } from '../../../program/cli/acp/acp-stage.js';
import { until, untilFound } from '../../../support/until.js';

const say = (text: string) => [{ type: 'text', text }];
const WRITE = [
  { when: { user: 'write' }, reply: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }] },
  { reply: 'Here.' },
];

describe('wrong parameters', () => {
  it('CL-8: each is refused with what is wrong, in every method, and the session continues', async () => {
    const stage = await setAcpStage([{ reply: 'Here.' }]);
    await stage.write('file.txt', 'x');
    const { request } = await connectRaw(stage);
    const opened = await request('session/new', { cwd: stage.folder, mcpServers: [] });
    const sessionId = opened.result?.sessionId as string;
    const stdio = { name: 'x', command: '/bin/true', args: [], env: [] };
    const wrong: [method: string, params: unknown][] = [
      ['initialize', {}],
      ['initialize', { protocolVersion: 'one' }],
      ['session/new', {}],
      ['session/new', { cwd: 7, mcpServers: [] }],
      ['session/new', { cwd: 'src', mcpServers: [] }],
      ['session/new', { cwd: '', mcpServers: [] }],
      ['session/new', { cwd: join(stage.folder, 'nowhere'), mcpServers: [] }],
      ['session/new', { cwd: join(stage.folder, 'file.txt'), mcpServers: [] }],
      ['session/new', { cwd: `${stage.folder}\0`, mcpServers: [] }],
      ['session/new', { cwd: stage.folder, mcpServers: 'all' }],
      ['session/new', { cwd: stage.folder, mcpServers: [{ name: 'x' }] }],
      ['session/new', { cwd: stage.folder, mcpServers: [{ ...stdio, args: 'no' }] }],
      ['session/new', { cwd: stage.folder, mcpServers: [stdio, stdio] }],
      [
        'session/new',
        { cwd: stage.folder, mcpServers: [{ type: 'carrier-pigeon', name: 'x', url: 'x', headers: [] }] },
      ],
      ['session/new', { cwd: stage.folder, mcpServers: [], additionalDirectories: ['src'] }],
      ['session/new', { cwd: stage.folder, mcpServers: [], additionalDirectories: [join(stage.folder, 'nowhere')] }],
      ['session/load', { sessionId: '../..', cwd: stage.folder, mcpServers: [] }],
      ['session/load', { sessionId: '', cwd: stage.folder, mcpServers: [] }],
      ['session/load', { sessionId: `${sessionId}/../${sessionId}`, cwd: stage.folder, mcpServers: [] }],
      ['session/load', { sessionId: '/etc/passwd', cwd: stage.folder, mcpServers: [] }],
      ['session/load', { sessionId: 'a\0b', cwd: stage.folder, mcpServers: [] }],
      ['session/resume', { sessionId: '../../..', cwd: stage.folder }],
      ['session/delete', { sessionId: '../..' }],
      ['session/delete', { sessionId: '' }],
      ['session/close', { sessionId: '..' }],
      ['session/list', { cursor: 'x' }],
      ['session/list', { cursor: '-1' }],
      ['session/list', { cursor: '' }],
      ['session/list', { cursor: '1e3' }],
      ['session/list', { cwd: 'src' }],
      ['session/prompt', { sessionId }],
      ['session/prompt', { sessionId, prompt: 'hi' }],
      ['session/prompt', { sessionId, prompt: [] }],
      ['session/prompt', { sessionId, prompt: [{ type: 'hologram', data: 'x' }] }],
      ['session/prompt', { sessionId, prompt: [{ type: 'text' }] }],
      ['session/prompt', { sessionId, prompt: [{ type: 'image', data: 'AAAA', mimeType: 'image/svg+xml' }] }],
      ['session/prompt', { sessionId: 'x', prompt: say('hi') }],
      ['session/set_mode', { sessionId, modeId: 'bubble' }],
      ['session/set_mode', { sessionId, modeId: '__proto__' }],
      ['session/set_mode', { sessionId, modeId: 'bypassPermissions' }],
      ['session/set_config_option', { sessionId, configId: 'mode', value: 'bypassPermissions' }],
      ['session/set_config_option', { sessionId, configId: 'mode', value: 'bubble' }],
      ['session/set_config_option', { sessionId, configId: 'model', value: '' }],
      ['session/set_config_option', { sessionId, configId: 'model', type: 'boolean', value: true }],
      ['session/fork', { sessionId, cwd: stage.folder }],
      ['__proto__', {}],
    ];
    const taken: unknown[] = [];
    for (const [method, params] of wrong) {
      const { error } = await request(method, params);
      if (error === undefined || error.code === -32603) taken.push([method, params, error]);
    }
    expect(taken).toEqual([]);
    expect((await request('session/prompt', { sessionId, prompt: say('hi') })).result).toEqual({
      stopReason: 'end_turn',
    });
    expect(stage.sim.requests).toHaveLength(1);
  });

  it('CL-8: messages that are none, ids of any kind: the connection lives', async () => {
    const stage = await setAcpStage([{ reply: 'Here.' }]);
    const { request, send, child, lines } = await connectRaw(stage);
    const opened = await request('session/new', { cwd: stage.folder, mcpServers: [] });
    const sessionId = opened.result?.sessionId as string;
    const prompt = { method: 'session/prompt', params: { sessionId, prompt: say('hi') } };
    send({}, { id: 5 }, { id: null, method: 'session/list', params: {} }, { id: { a: 1 }, method: 'session/list' });
    send({ id: 'word', ...prompt }, { method: 5, id: 6 }, { id: 7, method: 'session/list', params: [] });
    child.stdin.write('[{"jsonrpc":"2.0","id":9,"method":"session/list","params":{}}]\n');
    child.stdin.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
    const answer = await untilFound(() => lines().find(({ id }) => id === 'word'), 'an answer');
    expect(answer.result).toEqual({ stopReason: 'end_turn' });
    expect((await request('session/list', {})).error).toBeUndefined();
    expect(lines().some(({ id }) => id === 9)).toBe(false);
  });
});

describe('answers that lie', () => {
  it('CL-8: a question answered twice, too late, with nonsense or by an error allows at most what was chosen first', async () => {
    const write = (name: string) => ({ tool: 'Write', input: { file_path: name, content: 'x' } });
    const stage = await setAcpStage([
      ...['one', 'two', 'three', 'four', 'five', 'six'].map((name) => ({
        when: { user: name },
        reply: [write(`${name}.txt`)],
      })),
      { reply: 'Here.' },
    ]);
    const { request, send, asked } = await connectRaw(stage);
    const opened = await request('session/new', { cwd: stage.folder, mcpServers: [] });
    const sessionId = opened.result?.sessionId as string;
    let turn = 0;
    const answered = async (words: string, answer: (id: unknown) => object[]) => {
      const done = request('session/prompt', { sessionId, prompt: say(words) });
      const { id } = await asked('session/request_permission', turn);
      turn += 1;
      send(...answer(id));
      expect((await done).result).toEqual({ stopReason: 'end_turn' });
    };
    const selected = (optionId: unknown) => ({ outcome: { outcome: 'selected', optionId } });
    await answered('one', (id) => [
      { id: 4711, result: selected('allow') },
      { id, result: selected('reject') },
      { id, result: selected('allow') },
    ]);
    await answered('two', (id) => [{ id, result: { outcome: { outcome: 'cancelled' } } }]);
    await answered('three', (id) => [{ id, result: selected('always-99-local') }]);
    await answered('four', (id) => [{ id, result: selected(['allow']) }]);
    await answered('five', (id) => [{ id, error: { code: -1, message: 'no' } }]);
    await answered('six', (id) => [{ id, result: { outcome: 'allow' } }]);
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six'])
      await expect(stage.read(`${name}.txt`)).rejects.toThrow('ENOENT');
    await expect(stage.read('.claude/settings.local.json')).rejects.toThrow('ENOENT');
  });
});

describe('the wrong moment', () => {
  it('CL-8: a cancel that comes with its prompt, before anything began, ends it', async () => {
    const stage = await setAcpStage([{ when: { user: 'hi' }, reply: 'Here.' }, ...WRITE]);
    const { request, send, answerTo } = await connectRaw(stage);
    const opened = await request('session/new', { cwd: stage.folder, mcpServers: [] });
    const sessionId = opened.result?.sessionId as string;
    send(
      { id: 50, method: 'session/prompt', params: { sessionId, prompt: say('write') } },
      { method: 'session/cancel', params: { sessionId } },
    );
    expect((await answerTo(50)).result).toEqual({ stopReason: 'cancelled' });
    send(
      { id: 51, method: 'session/prompt', params: { sessionId, prompt: say('write') } },
      { method: '$/cancel_request', params: { requestId: 51 } },
    );
    const { result, error } = await answerTo(51);
    expect(result?.stopReason ?? error?.code).toBe(result === undefined ? -32800 : 'cancelled');
    expect((await request('session/prompt', { sessionId, prompt: say('hi') })).result).toEqual({
      stopReason: 'end_turn',
    });
  });

  it('CL-8: two prompts at once in one session: both are answered, both were said', async () => {
    const stage = await setAcpStage([{ when: { user: 'first' }, reply: 'One.' }, { reply: 'Two.' }]);
    const editor = await connectEditor(stage);
    const { sessionId } = await editor.open();
    const ends = await Promise.all([editor.prompt(sessionId, 'first'), editor.prompt(sessionId, 'second')]);
    expect(ends).toEqual([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
    const sent = JSON.stringify(stage.sim.requests.at(-1)?.body);
    expect(sent).toContain('first');
    expect(sent).toContain('second');
  });

  it('CL-8: closed or deleted in the middle of a turn: the prompt ends, nothing else does', async () => {
    const stage = await setAcpStage(WRITE);
    for (const method of ['session/close', 'session/delete'] as const) {
      const editor = await connectEditor(stage, { answer: () => new Promise<never>(() => {}) });
      const { sessionId } = await editor.open();
      const prompt = editor.prompt(sessionId, 'write');
      await untilFound(() => editor.asked[0], 'the question');
      await editor.agent.request(method, { sessionId });
      expect(await prompt).toEqual({ stopReason: 'cancelled' });
      await expect(editor.prompt(sessionId, 'hi')).rejects.toMatchObject({ code: -32002 });
      const other = await editor.open();
      expect(await editor.prompt(other.sessionId, 'hi')).toEqual({ stopReason: 'end_turn' });
    }
  });

  it('CL-8: opened and closed at once, with a server that never connects: the program lives', async () => {
    const stage = await setAcpStage([{ reply: 'Here.' }]);
    const editor = await connectEditor(stage);
    for (let round = 0; round < 3; round += 1) {
      const { sessionId } = await editor.open({
        mcpServers: [{ name: 'mute', command: '/bin/sleep', args: ['600'], env: [] }],
      });
      await editor.agent.request('session/close', { sessionId });
    }
    const { sessionId } = await editor.open();
    expect(await editor.prompt(sessionId, 'hi')).toEqual({ stopReason: 'end_turn' });
    expect(editor.stderr()).toBe('');
  });

  it('CL-8: a session that another process has open is not opened, nor deleted', async () => {
    const stage = await setAcpStage([{ reply: 'Here.' }]);
    const owner = await connectEditor(stage);
    const { sessionId } = await owner.open();
    await owner.prompt(sessionId, 'hello');
    const { agent } = await connectEditor(stage);
    const place = { sessionId, cwd: stage.folder, mcpServers: [] };
    const open = { message: expect.stringMatching(/open|in use|process/) };
    await expect(agent.request('session/load', place)).rejects.toMatchObject(open);
    await expect(agent.request('session/resume', place)).rejects.toMatchObject(open);
    await expect(agent.request('session/delete', { sessionId })).rejects.toMatchObject(open);
    expect(await owner.prompt(sessionId, 'still there?')).toEqual({ stopReason: 'end_turn' });
  });

  it('CL-8: loaded twice at once, and in the middle of a turn: it is one session, and what runs continues', async () => {
    const stage = await setAcpStage([
      {
        when: { user: 'wait' },
        reply: [{ tool: 'Bash', input: { command: 'until test -e go; do sleep 0.05; done' } }],
      },
      { reply: 'Here.' },
    ]);
    const editor = await connectEditor(stage, { args: ['--allowedTools', 'Bash'] });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'hello');
    await editor.agent.request('session/close', { sessionId });
    const place = { sessionId, cwd: stage.folder, mcpServers: [] };
    const load = () => editor.agent.request('session/load', place);
    await Promise.all([load(), load()]);
    const prompt = editor.prompt(sessionId, 'wait');
    const call = () => editor.updates(sessionId, 'tool_call').find(({ kind }) => kind === 'execute');
    const last = () =>
      editor
        .updates(sessionId, 'tool_call_update')
        .filter(({ toolCallId }) => toolCallId === call()?.toolCallId)
        .at(-1);
    await until(() => last()?.status === 'in_progress', 'the command');
    const before = editor.all(sessionId).length;
    await load();
    const shown = editor.all(sessionId).slice(before);
    expect(shown.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call')).toHaveLength(1);
    expect(last()?.status).not.toBe('failed');
    await stage.write('go', '');
    expect(await prompt).toEqual({ stopReason: 'end_turn' });
    expect(last()).toMatchObject({ status: 'completed' });
  });
});

describe('sessions of several folders', () => {
  it('CL-7: each works in its own, and the list has pages', async () => {
    const stage = await setAcpStage([
      { when: { user: 'go' }, reply: [{ tool: 'Bash', input: { command: 'pwd' } }] },
      { when: { result: { tool: 'Bash' } }, reply: '{{result}}' },
      { reply: 'Here.' },
    ]);
    const folders = ['one', 'two'].map((name) => join(stage.folder, name));
    for (const folder of folders) await mkdir(folder);
    const editor = await connectEditor(stage, { answer: () => choose('allow') });
    const opened = await Promise.all(folders.map((cwd) => editor.open({ cwd })));
    await Promise.all(opened.map(({ sessionId }) => editor.prompt(sessionId, 'go')));
    expect(opened.map(({ sessionId }) => editor.said(sessionId))).toEqual(folders);
    for (const cwd of folders) {
      const { sessions } = await editor.agent.request('session/list', { cwd });
      expect(sessions.map((one) => one.cwd)).toEqual([cwd]);
    }
    for (let count = 2; count < 52; count += 1) {
      const { sessionId } = await editor.open();
      await editor.prompt(sessionId, 'hello');
      await editor.agent.request('session/close', { sessionId });
    }
    const first = await editor.agent.request('session/list', {});
    expect(first.sessions).toHaveLength(50);
    const second = await editor.agent.request('session/list', { cursor: first.nextCursor });
    expect(second.nextCursor ?? undefined).toBeUndefined();
    const ids = [...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId);
    expect(new Set(ids).size).toBe(52);
  });
});
