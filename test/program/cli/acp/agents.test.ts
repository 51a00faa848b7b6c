/** CL-7: agents in an editor: their progress, their questions, the model's questions to the user, plans. */

import { describe, expect, it } from 'vitest';
import { expectAllAccepted } from '../../../support/story.js';
import { until } from '../../../support/until.js';
import { choose, connectEditor, setAcpStage } from './acp-stage.js';

const agentCall = (input: object) => ({
  tool: 'Agent',
  input: { description: 'write it', prompt: 'Write b.txt.', ...input },
});

describe('agents', () => {
  it('CL-7: a fork that asks is its own call with its name; what it does is shown in the call that started it', async () => {
    const stage = await setAcpStage([
      { when: { said: 'Write b.txt.', result: { tool: 'Write' } }, reply: 'Written by the fork.' },
      {
        when: { said: 'Write b.txt.', not: { result: 'Written' } },
        reply: [{ tool: 'Write', input: { file_path: 'b.txt', content: 'b\n' } }],
        times: 1,
      },
      { when: { user: 'go' }, reply: [agentCall({ fork: true })] },
      { when: { result: { tool: 'Agent' } }, reply: 'The fork is done.' },
    ]);
    const editor = await connectEditor(stage, { answer: () => choose('allow') });
    const { sessionId } = await editor.open();
    expect(await editor.prompt(sessionId, 'go')).toEqual({ stopReason: 'end_turn' });
    expect(await stage.read('b.txt')).toBe('b\n');
    expect(editor.asked).toHaveLength(1);
    expect(editor.asked[0]?.toolCall.title).toMatch(/^fork \(.+\): Write: b\.txt$/);
    expect(editor.asked[0]?.toolCall.content?.[0]).toMatchObject({ type: 'diff', oldText: null, newText: 'b\n' });
    const calls = editor.updates(sessionId, 'tool_call');
    expect(calls.map(({ title }) => title)).toEqual(['Agent: write it', editor.asked[0]?.toolCall.title]);
    const [agent, write] = calls;
    const of = (id: string | undefined) =>
      editor.updates(sessionId, 'tool_call_update').filter((one) => one.toolCallId === id);
    expect(of(write?.toolCallId).at(-1)).toMatchObject({ status: 'completed' });
    const shown = of(agent?.toolCallId).map(({ content }) => JSON.stringify(content));
    expect(shown.some((text) => text?.includes('Write: b.txt') && /[\d.]+k? tokens/.test(text))).toBe(true);
    expect(of(agent?.toolCallId).at(-1)).toMatchObject({ status: 'completed' });
    expect(shown.at(-1)).toContain('Written by the fork.');
    expectAllAccepted(stage.sim);
  });

  it('CL-7: the end of work in the background is shown, and what the agent says about it', async () => {
    const stage = await setAcpStage([
      { when: { user: 'go' }, reply: [{ tool: 'Bash', input: { command: 'echo hello', run_in_background: true } }] },
      { when: { user: 'task-notification' }, reply: 'The command is done.' },
      { when: { result: { tool: 'Bash' } }, reply: 'It runs.' },
    ]);
    const editor = await connectEditor(stage, { args: ['--allowedTools', 'Bash(echo hello)'] });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'go');
    await until(() => editor.said(sessionId).includes('The command is done.'), 'the answer to the notice');
    const notice = editor.updates(sessionId, 'tool_call').find(({ toolCallId }) => toolCallId.startsWith('notice-'));
    expect(notice).toMatchObject({ status: 'completed', title: expect.stringContaining('echo hello') });
  });
});

describe('questions to the user', () => {
  const questions = [
    {
      question: 'Which colour?',
      header: 'Colour',
      options: [
        { label: 'Red', description: 'warm' },
        { label: 'Blue', description: 'cold' },
      ],
    },
    {
      question: 'Which sizes?',
      header: 'Sizes',
      multiSelect: true,
      options: [
        { label: 'S', description: '' },
        { label: 'M', description: '' },
        { label: 'L', description: '' },
      ],
    },
  ];
  const rules = [
    { when: { user: 'go' }, reply: [{ tool: 'AskUserQuestion', input: { questions } }] },
    { when: { result: { tool: 'AskUserQuestion' } }, reply: 'You said {{result}}' },
  ];

  it('CL-7: one after the other as options, several by choosing again', async () => {
    const stage = await setAcpStage(rules);
    const answers = ['option-2', 'option-3', 'option-1', 'none'];
    const editor = await connectEditor(stage, { answer: () => choose(answers.shift() ?? '') });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'go');
    expect(editor.asked.map(({ toolCall }) => toolCall.title)).toEqual([
      'Which colour?',
      'Which sizes?',
      'Which sizes?',
      'Which sizes?',
    ]);
    expect(editor.asked[3]?.options.map(({ name }) => name)).toEqual(['M', 'Done (L, S)']);
    expect(editor.said(sessionId)).toContain('Blue');
    expect(editor.said(sessionId)).toContain('L, S');
  });

  it('CL-7: in a form, where the editor has forms', async () => {
    const stage = await setAcpStage(rules);
    const forms: unknown[] = [];
    const editor = await connectEditor(stage, {
      capabilities: { elicitation: { form: {} } },
      elicit: (request) => {
        forms.push(request);
        return { action: 'accept', content: { answer1: 'Red', other2: 'one size', answer2: ['S'] } };
      },
    });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'go');
    expect(forms).toMatchObject([{ mode: 'form', requestedSchema: { properties: { answer1: { type: 'string' } } } }]);
    expect(editor.asked).toEqual([]);
    expect(editor.said(sessionId)).toContain('Red');
    expect(editor.said(sessionId)).toContain('one size');
  });

  it('CL-7: a plan is shown whole, and accepting it ends plan mode', async () => {
    const stage = await setAcpStage([
      { when: { user: 'go' }, reply: [{ tool: 'ExitPlanMode', input: { plan: '# The plan\n\nWrite it.' } }] },
      { when: { result: { tool: 'ExitPlanMode' } }, reply: 'Now I write.' },
    ]);
    const editor = await connectEditor(stage, { answer: () => choose('allow') });
    const { sessionId } = await editor.open();
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'plan' });
    await editor.prompt(sessionId, 'go');
    expect(editor.asked[0]?.toolCall).toMatchObject({ kind: 'switch_mode' });
    expect(JSON.stringify(editor.asked[0]?.toolCall.content)).toContain('# The plan');
    expect(editor.asked[0]?.options.map(({ name }) => name)).toEqual([
      'Yes, ask for each edit',
      'Yes, auto-accept edits in this session (mode acceptEdits)',
      'No, keep planning',
    ]);
    const modes = editor.updates(sessionId, 'current_mode_update').map(({ currentModeId }) => currentModeId);
    expect(modes.at(-1)).toBe('default');
    expect(editor.said(sessionId)).toBe('Now I write.');
  });
});
