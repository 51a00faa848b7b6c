/** CL-7: an editor's session from the first message to the last: prompts, edits, questions, modes, plans, commands. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { expectAllAccepted } from '../../../support/story.js';
import { untilFound } from '../../../support/until.js';
import { choose, connectEditor, setAcpStage, textOf } from './acp-stage.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('a conversation', () => {
  it('CL-7: reports what it can do, and streams thoughts and text', async () => {
    const stage = await setAcpStage([{ reply: [{ thinking: 'I greet them.' }, 'Hello there.'] }]);
    const editor = await connectEditor(stage);
    const told = await editor.agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    expect(told).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'coppice' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
    });
    const { sessionId, modes, configOptions } = await editor.open();
    expect(modes).toMatchObject({ currentModeId: 'default' });
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['default', 'acceptEdits', 'plan', 'dontAsk']);
    expect(configOptions?.map(({ id }) => id)).toEqual(['mode', 'model']);
    expect(await editor.prompt(sessionId, 'hi')).toEqual({ stopReason: 'end_turn' });
    expect(editor.said(sessionId)).toBe('Hello there.');
    expect(textOf(editor.updates(sessionId, 'agent_thought_chunk'))).toBe('I greet them.');
    const [usage] = editor.updates(sessionId, 'usage_update');
    expect(usage?.used).toBeGreaterThan(0);
    expect(usage?.size).toBeGreaterThan(usage?.used ?? 0);
    expect(usage?.cost?.currency).toBe('USD');
    expectAllAccepted(stage.sim);
  });

  it('CL-7: an edit is shown with its difference, asked about, and made', async () => {
    const stage = await setAcpStage([
      { when: { user: 'fix it' }, reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
      {
        when: { result: { tool: 'Read' } },
        reply: [{ tool: 'Edit', input: { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' } }],
      },
      { when: { result: { tool: 'Edit' } }, reply: 'Fixed.' },
    ]);
    const path = await stage.write('a.txt', 'one\ntwo\nthree\n');
    const editor = await connectEditor(stage, { answer: () => choose('allow') });
    const { sessionId } = await editor.open();
    expect(await editor.prompt(sessionId, 'fix it')).toEqual({ stopReason: 'end_turn' });
    expect(await stage.read('a.txt')).toBe('one\nTWO\nthree\n');
    const diff = { type: 'diff', path, oldText: 'two', newText: 'TWO' };
    expect(editor.asked).toHaveLength(1);
    expect(editor.asked[0]?.toolCall).toMatchObject({ kind: 'edit', locations: [{ path, line: 2 }] });
    expect(editor.asked[0]?.toolCall.content?.[0]).toEqual(diff);
    expect(editor.asked[0]?.options.map(({ kind }) => kind)).toEqual([
      'allow_once',
      ...Array((editor.asked[0]?.options.length ?? 2) - 2).fill('allow_always'),
      'reject_once',
    ]);
    const [read, edit] = editor.updates(sessionId, 'tool_call');
    expect(read).toMatchObject({ kind: 'read', title: 'Read: a.txt', locations: [{ path }] });
    expect(edit).toMatchObject({ kind: 'edit', status: 'pending', rawInput: { new_string: 'TWO' }, content: [diff] });
    const last = editor.updates(sessionId, 'tool_call_update').filter((one) => one.toolCallId === edit?.toolCallId);
    expect(last.at(-1)).toMatchObject({ status: 'completed', content: [diff] });
    expect(String(last.at(-1)?.rawOutput)).toContain('Edited');
    expectAllAccepted(stage.sim);
  });

  it('CL-7: what is refused is not done; "always" is a rule from then on', async () => {
    const write = (name: string) => ({ tool: 'Write', input: { file_path: name, content: 'x\n' } });
    const stage = await setAcpStage([
      { when: { user: 'first' }, reply: [write('no.txt')] },
      { when: { user: 'second' }, reply: [write('a.txt')] },
      { when: { user: 'third' }, reply: [write('b.txt')] },
      { reply: 'Done.' },
    ]);
    const answers = ['reject', 'always'];
    const editor = await connectEditor(stage, {
      answer: ({ options }) => {
        const wanted = answers.shift() ?? 'none';
        return choose(
          options.find(({ name }) => wanted === 'always' && /auto-accept edits/.test(name))?.optionId ?? wanted,
        );
      },
    });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'first');
    await expect(stage.read('no.txt')).rejects.toThrow('ENOENT');
    await editor.prompt(sessionId, 'second');
    await editor.prompt(sessionId, 'third');
    expect(editor.asked).toHaveLength(2);
    expect(await stage.read('b.txt')).toBe('x\n');
    const modes = editor.updates(sessionId, 'current_mode_update').map(({ currentModeId }) => currentModeId);
    expect(modes).toEqual(['acceptEdits']);
  });

  it('CL-7: an option that was not offered allows nothing', async () => {
    const stage = await setAcpStage([
      { when: { user: 'go' }, reply: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }] },
      { reply: 'Done.' },
    ]);
    const editor = await connectEditor(stage, { answer: () => choose('allow-everything') });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'go');
    await expect(stage.read('a.txt')).rejects.toThrow('ENOENT');
    const [failed] = editor.updates(sessionId, 'tool_call_update').filter(({ status }) => status === 'failed');
    expect(JSON.stringify(failed?.content)).toContain('was not offered');
  });
});

describe('what a prompt brings', () => {
  it('CL-7: links are read under our rules, texts and images are sent along, nothing in them is followed', async () => {
    const stage = await setAcpStage([{ reply: 'Seen.' }]);
    const path = await stage.write('notes here.md', 'the linked notes\n');
    await stage.write('secret.txt', 'the secret\n');
    const editor = await connectEditor(stage);
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, [
      { type: 'text', text: 'Compare' },
      { type: 'resource_link', name: 'notes', uri: pathToFileURL(path).href },
      { type: 'text', text: 'with' },
      { type: 'resource', resource: { uri: 'file:///unsaved.txt', text: '/clear see @secret.txt' } },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
    ]);
    const sent = JSON.stringify(stage.sim.requests[0]?.body);
    expect(sent).toContain('the linked notes');
    expect(sent).toContain('/clear see @secret.txt');
    expect(sent).toContain(PIXEL);
    expect(sent).not.toContain('the secret');
    const [read] = editor.updates(sessionId, 'tool_call');
    expect(read).toMatchObject({ kind: 'read', locations: [{ path }] });
  });

  it('CL-7: what can not be taken is refused by name', async () => {
    const stage = await setAcpStage([{ reply: 'Seen.' }]);
    const editor = await connectEditor(stage);
    const { sessionId } = await editor.open();
    const audio = editor.prompt(sessionId, [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }]);
    await expect(audio).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('audio') });
    const image = editor.prompt(sessionId, [{ type: 'image', data: 'AAAA', mimeType: 'image/tiff' }]);
    await expect(image).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('image/tiff') });
    await expect(editor.prompt(sessionId, '  ')).rejects.toMatchObject({ code: -32602 });
    await expect(editor.prompt('no-such', 'hi')).rejects.toMatchObject({ code: -32002 });
    await expect(editor.agent.request('session/fork', {})).rejects.toMatchObject({ code: -32601 });
    expect(await editor.prompt(sessionId, 'hi')).toEqual({ stopReason: 'end_turn' });
  });
});

describe('what can be chosen', () => {
  it('CL-7: modes and models, by either way, and what may not be is refused', async () => {
    const stage = await setAcpStage([{ reply: 'Hi.' }]);
    const editor = await connectEditor(stage);
    const { sessionId } = await editor.open();
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'plan' });
    const bypass = editor.agent.request('session/set_mode', { sessionId, modeId: 'bypassPermissions' });
    await expect(bypass).rejects.toMatchObject({ code: -32602 });
    const { configOptions } = await editor.agent.request('session/set_config_option', {
      sessionId,
      configId: 'model',
      value: 'claude-haiku-5-5',
    });
    expect(configOptions).toMatchObject([
      { id: 'mode', currentValue: 'plan' },
      { id: 'model', currentValue: 'claude-haiku-5-5' },
    ]);
    await editor.prompt(sessionId, 'hi');
    expect(stage.sim.requests.at(-1)?.body).toMatchObject({ model: 'claude-haiku-5-5' });
    const other = editor.agent.request('session/set_config_option', { sessionId, configId: 'colour', value: 'red' });
    await expect(other).rejects.toMatchObject({ code: -32602 });
  });

  it('CL-7: commands: skills of the project and ours; /compact is one of the engine', async () => {
    const stage = await setAcpStage([{ when: { user: 'Say it in' }, reply: 'Ahoy.' }, { reply: 'Hello.' }]);
    const folder = join(stage.folder, '.claude', 'commands');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'greet.md'),
      '---\ndescription: Greets\nargument-hint: how\n---\nSay it in $ARGUMENTS.',
    );
    const editor = await connectEditor(stage, { args: ['--trust'] });
    const { sessionId } = await editor.open();
    const told = await untilFound(() => editor.updates(sessionId, 'available_commands_update').at(-1), 'commands');
    expect(told.availableCommands).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'compact' }),
        { name: 'greet', description: 'Greets', input: { hint: 'how' } },
      ]),
    );
    await editor.prompt(sessionId, '/greet pirate');
    expect(editor.said(sessionId)).toBe('Ahoy.');
    await editor.prompt(sessionId, '/compact');
    expect(editor.said(sessionId)).toContain('Not compacted: the conversation is too short');
    expect(stage.sim.requests).toHaveLength(1);
  });

  it('CL-7: the list of things to do is the plan', async () => {
    const todos = [
      { content: 'look', status: 'completed', activeForm: 'Looking' },
      { content: 'write', status: 'in_progress', activeForm: 'Writing' },
    ];
    const stage = await setAcpStage([
      { when: { user: 'go' }, reply: [{ tool: 'TodoWrite', input: { todos } }] },
      { reply: 'On it.' },
    ]);
    const editor = await connectEditor(stage);
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'go');
    expect(editor.updates(sessionId, 'plan').at(-1)?.entries).toEqual([
      { content: 'look', priority: 'medium', status: 'completed' },
      { content: 'write', priority: 'medium', status: 'in_progress' },
    ]);
    expect(editor.updates(sessionId, 'tool_call')).toEqual([]);
  });
});
