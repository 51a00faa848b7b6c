/** CL-7: who asks and when: children, after the prompt has ended, in worktrees, servers; forks by hand; what a load shows. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../support/program.js';
import { until, untilFound } from '../../../support/until.js';
import { choose, connectEditor, setAcpStage, type TestEditor, textOf } from './acp-stage.js';

const agentCall = (input: object) => ({
  tool: 'Agent',
  input: { description: 'write it', prompt: 'Write b.txt.', subagent_type: 'general-purpose', ...input },
});
const child = (then: string) => [
  { when: { said: 'Write b.txt.', result: { tool: 'Write' } }, reply: then },
  {
    when: { said: 'Write b.txt.', not: { result: 'Written' } },
    reply: [{ tool: 'Write', input: { file_path: 'b.txt', content: 'b\n' } }],
    times: 1,
  },
];

describe('agents that ask', () => {
  it('CL-7: in the background, after the prompt has ended: the question comes, and its answer applies', async () => {
    const stage = await setAcpStage([
      ...child('Written in the background.'),
      { when: { user: 'go' }, reply: [agentCall({ run_in_background: true })] },
      { when: { user: 'task-notification' }, reply: 'It is there now.' },
      { reply: 'It has begun.' },
    ]);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const editor = await connectEditor(stage, {
      answer: async ({ toolCall }) => {
        if (toolCall.toolCallId === 'agents-edit') return choose('reject');
        await released;
        return choose('allow');
      },
    });
    const { sessionId } = await editor.open();
    expect(await editor.prompt(sessionId, 'go')).toEqual({ stopReason: 'end_turn' });
    // Asked once for all agents; it is no call, so its own entry begins and ends with it.
    const all = editor.updates(sessionId, 'tool_call').find(({ toolCallId }) => toolCallId === 'agents-edit');
    expect(all?.title).toMatch(/^Let agents edit files in .*\?$/);
    expect(editor.updates(sessionId, 'tool_call_update').filter((one) => one.toolCallId === 'agents-edit')).toEqual([
      expect.objectContaining({ status: 'failed' }),
    ]);
    const asked = await untilFound(() => editor.asked[1], 'the question');
    expect(asked.toolCall.title).toMatch(/^general-purpose \(.+\): Write: b\.txt$/);
    expect(JSON.stringify(asked.toolCall.content)).toContain('For: write it');
    expect(asked.toolCall.rawInput).toEqual({ file_path: 'b.txt', content: 'b\n' });
    release();
    await until(() => editor.said(sessionId).includes('It is there now.'), 'the word about it');
    expect(await stage.read('b.txt')).toBe('b\n');
  });

  it('CL-7: a cancel while a child asks takes the question back, and nothing is done', async () => {
    const stage = await setAcpStage([
      ...child('Written.'),
      { when: { user: 'hello' }, reply: 'Here.' },
      { when: { user: 'go' }, reply: [agentCall({})] },
      { reply: 'Stopped.' },
    ]);
    const never = () => new Promise<never>(() => {});
    const editor = await connectEditor(stage, {
      answer: ({ toolCall }) => (toolCall.toolCallId === 'agents-edit' ? choose('reject') : never()),
    });
    const { sessionId } = await editor.open();
    const prompt = editor.prompt(sessionId, 'go');
    const asked = await untilFound(() => editor.asked[1], 'the question');
    await editor.agent.notify('session/cancel', { sessionId });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    const of = () =>
      editor.updates(sessionId, 'tool_call_update').filter((one) => one.toolCallId === asked.toolCall.toolCallId);
    await until(() => of().at(-1)?.status === 'failed', 'the end of the call');
    expect(await editor.prompt(sessionId, 'hello')).toEqual({ stopReason: 'end_turn' });
    await expect(stage.read('b.txt')).rejects.toThrow('ENOENT');
  });

  it('CL-7: one in a worktree is asked about with the file it is about, not the one of the project', async () => {
    const stage = await setAcpStage([
      ...child('Written.'),
      { when: { user: 'go' }, reply: [agentCall({ isolation: 'worktree' })] },
      { reply: 'Done.' },
    ]);
    await stage.write('b.txt', 'of the project\n');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: stage.folder });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    const editor = await connectEditor(stage, { answer: () => choose('reject') });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'go');
    const write = editor.asked.find(({ toolCall }) => toolCall.kind === 'edit');
    const [place] = write?.toolCall.locations ?? [];
    expect(place?.path).toMatch(/\/b\.txt$/);
    expect(place?.path).not.toBe(join(stage.folder, 'b.txt'));
    expect(write?.toolCall.content?.[0]).toMatchObject({ type: 'diff', path: place?.path });
  });

  it('CL-7: a fork of the user is its own entry, from its start to its end', async () => {
    const stage = await setAcpStage([
      { when: { user: 'task-notification' }, reply: 'The fork is done.' },
      { when: { said: 'count the files' }, reply: 'Three.' },
      { reply: 'Hello.' },
    ]);
    const editor = await connectEditor(stage);
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'hello');
    expect(await editor.prompt(sessionId, '/fork count the files')).toEqual({ stopReason: 'end_turn' });
    expect(editor.said(sessionId)).toMatch(/Forked as \S+\. You'll be notified when it finishes\./);
    await until(() => editor.said(sessionId).includes('The fork is done.'), 'the notice');
    const fork = editor.updates(sessionId, 'tool_call').find(({ toolCallId }) => !toolCallId.startsWith('notice-'));
    expect(fork).toMatchObject({ title: expect.stringContaining('count the files'), status: 'in_progress' });
    const of = editor.updates(sessionId, 'tool_call_update').filter((one) => one.toolCallId === fork?.toolCallId);
    expect(of.some(({ status }) => status === 'completed')).toBe(true);
  });
});

describe('servers that ask', () => {
  const every = join(ROOT, 'node_modules', '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
  const mcpServers = [{ name: 'every', command: process.execPath, args: [every, 'stdio'], env: [] }];
  const connected = (editor: TestEditor, sessionId: string) =>
    until(() => JSON.stringify(editor.updates(sessionId, 'available_commands_update')).includes('mcp__every__'), 'it');
  const rules = [
    { when: { user: 'go' }, reply: [{ tool: 'mcp__every__trigger-elicitation-request', input: {} }] },
    { reply: '{{result}}' },
  ];

  it('CL-7: a form is passed on, and what the user declines is declined', async () => {
    for (const [action, answer] of [
      ['accept', /Ada/],
      ['decline', /declined/],
      ['cancel', /cancel/],
    ] as const) {
      const stage = await setAcpStage(rules);
      const editor = await connectEditor(stage, {
        capabilities: { elicitation: { form: {} } },
        answer: () => choose('allow'),
        elicit: () => (action === 'accept' ? { action, content: { name: 'Ada' } } : { action }),
      });
      const { sessionId } = await editor.open({ mcpServers });
      await connected(editor, sessionId);
      await editor.prompt(sessionId, 'go');
      expect(editor.said(sessionId)).toMatch(answer);
    }
  });

  it('CL-7: without forms it is reported, and nothing is answered for the user', async () => {
    const stage = await setAcpStage(rules);
    const editor = await connectEditor(stage, { answer: () => choose('allow') });
    const { sessionId } = await editor.open({ mcpServers });
    await connected(editor, sessionId);
    await editor.prompt(sessionId, 'go');
    expect(textOf(editor.updates(sessionId, 'agent_thought_chunk'))).toContain('has no forms');
    expect(editor.said(sessionId)).toMatch(/cancel/);
  });
});

describe('what is shown', () => {
  it('CL-7: retries are reported, and are no part of the answer', async () => {
    const stage = await setAcpStage([
      { when: { nth: 1 }, fault: { kind: 'overloaded', retryAfter: 0, times: 1 }, reply: 'Here.' },
      { reply: 'Here.' },
    ]);
    const editor = await connectEditor(stage, { capabilities: { session: { notices: {} } } as never });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'hi');
    expect(editor.said(sessionId)).toBe('Here.');
    const notices = editor.all(sessionId).filter(({ sessionUpdate }) => sessionUpdate === ('notice' as never));
    expect(notices).not.toEqual([]);
  });

  it('CL-7: after /clear a load shows what came since', async () => {
    const stage = await setAcpStage([{ reply: 'Hi.' }]);
    const editor = await connectEditor(stage);
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'before');
    await editor.prompt(sessionId, '/clear');
    await editor.prompt(sessionId, 'after');
    await editor.agent.request('session/close', { sessionId });
    const other = await connectEditor(stage);
    await other.agent.request('session/load', { sessionId, cwd: stage.folder, mcpServers: [] });
    expect(textOf(other.updates(sessionId, 'user_message_chunk'))).toBe('after');
  });

  it('CL-7: after a rewind a load shows what is still in force', async () => {
    const stage = await setAcpStage([{ when: { user: 'second' }, reply: 'Two.' }, { reply: 'One.' }]);
    const editor = await connectEditor(stage);
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'first');
    await editor.prompt(sessionId, 'second');
    await editor.agent.request('session/close', { sessionId });
    const session = await stage.open({ resume: sessionId });
    expect(await session.rewind({ to: 2, part: 'conversation' })).toMatchObject({ ok: true });
    await session.close();
    await editor.agent.request('session/load', { sessionId, cwd: stage.folder, mcpServers: [] });
    expect(textOf(editor.updates(sessionId, 'user_message_chunk'))).toBe('first');
  });
});
