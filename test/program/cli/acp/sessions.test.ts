/** CL-7: several sessions of one editor, shown again and gone on with later; servers that the editor brings. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../support/program.js';
import { untilFound } from '../../../support/until.js';
import { choose, connectEditor, setAcpStage, textOf } from './acp-stage.js';

describe('sessions', () => {
  it('CL-7: a session is shown again from the beginning, in another process, and continues', async () => {
    const stage = await setAcpStage([
      { when: { user: 'and then' }, reply: 'Then this.' },
      {
        when: { user: 'begin' },
        reply: [{ thinking: 'First.' }, 'I look.', { tool: 'Bash', input: { command: 'echo out' } }],
      },
      { when: { result: { tool: 'Bash' } }, reply: 'I saw it.' },
    ]);
    const first = await connectEditor(stage, { answer: () => choose('allow') });
    const { sessionId } = await first.open();
    await first.prompt(sessionId, 'begin');
    first.child.stdin.end();
    expect(await first.ended).toBe(0);

    const second = await connectEditor(stage);
    const { sessions } = await second.agent.request('session/list', { cwd: stage.folder });
    expect(sessions).toMatchObject([{ sessionId, cwd: stage.folder, title: 'begin' }]);
    const state = await second.agent.request('session/load', { sessionId, cwd: stage.folder, mcpServers: [] });
    expect(state.modes?.currentModeId).toBe('default');
    // All of it is there before the answer.
    expect(textOf(second.updates(sessionId, 'user_message_chunk'))).toBe('begin');
    expect(second.said(sessionId)).toBe('I look.I saw it.');
    expect(textOf(second.updates(sessionId, 'agent_thought_chunk'))).toBe('First.');
    const [call] = second.updates(sessionId, 'tool_call');
    expect(call).toMatchObject({ kind: 'execute', title: 'Bash: echo out' });
    expect(second.updates(sessionId, 'tool_call_update')).toMatchObject([
      { toolCallId: call?.toolCallId, status: 'completed', rawOutput: 'out' },
    ]);
    expect(await second.prompt(sessionId, 'and then')).toEqual({ stopReason: 'end_turn' });
    expect(second.said(sessionId)).toBe('I look.I saw it.Then this.');
    expect(JSON.stringify(stage.sim.requests.at(-1)?.body)).toContain('begin');
  });

  it('CL-7: resumed without being shown, closed, deleted; missing things are reported', async () => {
    const stage = await setAcpStage([{ reply: 'Hi.' }]);
    const editor = await connectEditor(stage);
    const { agent } = editor;
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'hello');
    await agent.request('session/close', { sessionId });
    await expect(editor.prompt(sessionId, 'more')).rejects.toMatchObject({ code: -32002 });
    await agent.request('session/resume', { sessionId, cwd: stage.folder });
    expect(textOf(editor.updates(sessionId, 'user_message_chunk'))).toBe('');
    expect(await editor.prompt(sessionId, 'more')).toEqual({ stopReason: 'end_turn' });
    await agent.request('session/delete', { sessionId });
    expect((await agent.request('session/list', {})).sessions).toEqual([]);
    const gone = agent.request('session/load', { sessionId, cwd: stage.folder, mcpServers: [] });
    await expect(gone).rejects.toMatchObject({ message: expect.stringContaining(sessionId) });
    const nowhere = editor.open({ cwd: join(stage.folder, 'nowhere') });
    await expect(nowhere).rejects.toMatchObject({ code: -32602 });
    await expect(editor.open({ cwd: 'relative' })).rejects.toMatchObject({ code: -32602 });
  });

  it('CL-7: two at once: each has its own text, and one that waits does not hold the other up', async () => {
    const stage = await setAcpStage([
      { when: { user: 'slow' }, reply: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }] },
      { when: { result: { tool: 'Write' } }, reply: 'Slow is done.' },
      { when: { user: 'quick' }, reply: 'Quick is done.' },
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
    const [one, two] = await Promise.all([editor.open(), editor.open()]);
    const slow = editor.prompt(one.sessionId, 'slow');
    await untilFound(() => editor.asked[0], 'the question');
    expect(await editor.prompt(two.sessionId, 'quick')).toEqual({ stopReason: 'end_turn' });
    release();
    expect(await slow).toEqual({ stopReason: 'end_turn' });
    expect([editor.said(one.sessionId), editor.said(two.sessionId)]).toEqual(['Slow is done.', 'Quick is done.']);
  });

  it('CL-7: without a key, a new session is refused with how to set one; the connection lives', async () => {
    const stage = await setAcpStage();
    const editor = await connectEditor(stage, { env: { ANTHROPIC_API_KEY: undefined } });
    const refused = { code: -32000, message: expect.stringContaining('export ANTHROPIC_API_KEY=') };
    await expect(editor.open()).rejects.toMatchObject(refused);
    await expect(editor.open()).rejects.toMatchObject(refused);
  });
});

describe('servers', () => {
  it("CL-7: the editor's MCP server is there, and its tools pass the gate", async () => {
    const stage = await setAcpStage([
      { when: { user: 'go' }, reply: [{ tool: 'mcp__every__echo', input: { message: 'over there' } }] },
      { when: { result: { tool: 'mcp__every__echo' } }, reply: 'It said {{result}}' },
    ]);
    const editor = await connectEditor(stage, { answer: () => choose('allow') });
    const server = join(ROOT, 'node_modules', '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
    const { sessionId } = await editor.open({
      mcpServers: [{ name: 'every', command: process.execPath, args: [server, 'stdio'], env: [] }],
    });
    await untilFound(
      () =>
        editor
          .updates(sessionId, 'available_commands_update')
          .find(({ availableCommands }) => availableCommands.some(({ name }) => name.startsWith('mcp__every__'))),
      'prompts of the server',
    );
    await editor.prompt(sessionId, 'go');
    expect(editor.asked.map(({ toolCall }) => toolCall.kind)).toEqual(['other']);
    expect(editor.said(sessionId)).toContain('over there');
  });
});
