/** CL-3: control requests about the session, while it runs. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { runningWith } from '../../support/processes.js';
import { until, untilFound } from '../../support/until.js';
import { type Case, runCases } from './cases.js';
import type { Line, Live, SdkStage } from './sdk-stage.js';

const TOUCH: readonly Rule[] = [
  { when: { result: { tool: 'Bash' } }, reply: 'Done.' },
  { when: { user: 'touch' }, reply: [{ tool: 'Bash', input: { command: 'touch made', description: 'make it' } }] },
  { reply: 'Hello.' },
];

/** A command in the background that waits. */
const WAITS: readonly Rule[] = [
  { when: { result: { tool: 'Bash' } }, reply: 'It runs.' },
  {
    when: { nth: 1 },
    reply: [
      {
        tool: 'Bash',
        input: { command: 'echo MARKER-OUT; exec sleep 76.54', description: 'wait', run_in_background: true },
      },
    ],
  },
  { reply: 'I see.' },
];

const isMade = (stage: SdkStage) => existsSync(join(stage.folder, 'made'));

/** A session that has answered a first prompt. */
async function begun(stage: SdkStage, options: Parameters<SdkStage['open']>[0] = {}): Promise<Live> {
  const live = stage.open(options);
  live.say('hello');
  await live.result(1);
  return live;
}

/** The id of the first call of a tool. */
function callIn(messages: readonly Line[], tool: string): string | undefined {
  const blocks = messages.flatMap((line) => (line.type === 'assistant' ? line.message.content : []));
  return blocks.flatMap((block) => (block.type === 'tool_use' && block.name === tool ? [block.id] : []))[0];
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'it was not refused',
    (error: Error) => error.message,
  );
}

const CASES: readonly Case[] = [
  {
    about: 'initialize',
    says: 'answers with `commands`, `agents`, `models`, `output_style`, `account`',
    play: async (stage) => {
      await stage.write('../home/.claude/commands/hew.md', '---\ndescription: hews wood\n---\nHew $ARGUMENTS.\n');
      const live = stage.open({ agents: { oak: { description: 'looks at trees', prompt: 'p' } } });
      const answer = await live.query.initializationResult();
      expect(answer.commands).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: 'hew', description: 'hews wood' })]),
      );
      expect(answer.agents).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: 'oak', description: 'looks at trees' })]),
      );
      expect(answer.models).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ value: 'opus', displayName: expect.any(String), description: expect.any(String) }),
        ]),
      );
      expect(answer.output_style).toBe('default');
      expect(answer.available_output_styles).toContain('default');
      expect(answer.account).toMatchObject({ apiKeySource: 'ANTHROPIC_API_KEY' });
      live.say('go');
      await live.result();
      await live.end();
    },
  },
  {
    about: 'initialize',
    says: 'a second one is answered like the first',
    play: async (stage) => {
      const live = await begun(stage);
      const again = await live.query.reinitialize();
      expect(again.models).toEqual((await live.query.initializationResult()).models);
      live.say('more');
      await live.result(2);
      expect((await live.end()).error).toBeUndefined();
    },
  },
  {
    about: 'interrupt',
    says: 'ends the work under way; the session goes on',
    rules: [
      { when: { user: 'again' }, reply: 'Here.' },
      { reply: [{ tool: 'Bash', input: { command: 'exec sleep 65.43', description: 'wait' } }] },
    ],
    play: async (stage) => {
      const live = stage.open({ allowedTools: ['Bash'] });
      live.say('go');
      await until(() => runningWith('sleep 65.43').length > 0, 'the command runs');
      await live.query.interrupt();
      expect(await live.result(1)).toMatchObject({ subtype: 'error_during_execution', is_error: expect.any(Boolean) });
      expect(runningWith('sleep 65.43')).toEqual([]);
      live.say('again');
      expect(await live.result(2)).toMatchObject({ result: 'Here.' });
      await live.end();
    },
  },
  {
    about: 'set_permission_mode',
    says: 'holds for the next call',
    rules: [
      { when: { result: { tool: 'Write' } }, reply: 'Done.' },
      { when: { user: 'write' }, reply: [{ tool: 'Write', input: { file_path: 'made', content: 'x' } }] },
      { reply: 'Hello.' },
    ],
    play: async (stage) => {
      const live = await begun(stage);
      live.say('write');
      await live.result(2);
      expect(isMade(stage)).toBe(false);
      await live.query.setPermissionMode('acceptEdits');
      live.say('write');
      await live.result(3);
      expect(isMade(stage)).toBe(true);
      await live.end();
    },
  },
  {
    about: 'set_permission_mode',
    says: '`bypassPermissions` is an error unless it was started with `allowDangerouslySkipPermissions`',
    rules: TOUCH,
    play: async (stage) => {
      const live = await begun(stage);
      expect(await refusal(live.query.setPermissionMode('bypassPermissions'))).toMatch(/bypassPermissions/);
      live.say('touch');
      await live.result(2);
      expect(isMade(stage)).toBe(false);
      await live.end();
    },
  },
  {
    about: 'set_permission_mode',
    says: '… with it, everything runs',
    rules: TOUCH,
    play: async (stage) => {
      const live = await begun(stage, { allowDangerouslySkipPermissions: true });
      live.say('touch');
      await live.result(2);
      expect(isMade(stage)).toBe(false);
      await live.query.setPermissionMode('bypassPermissions');
      live.say('touch');
      await live.result(3);
      expect(isMade(stage)).toBe(true);
      await live.end();
    },
  },
  {
    about: 'set_model',
    says: 'from the next turn on; without a name, the first one again',
    play: async (stage) => {
      const live = await begun(stage, { model: 'sonnet' });
      await live.query.setModel('haiku');
      live.say('more');
      await live.result(2);
      await live.query.setModel();
      live.say('more');
      await live.result(3);
      const { sent } = await live.end();
      expect(sent.map(({ model }) => model)).toEqual(['claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-sonnet-5-5']);
    },
  },
  {
    about: 'set_max_thinking_tokens',
    says: 'from the next turn on; 0 turns thinking off, null is as it was',
    play: async (stage) => {
      const live = await begun(stage, { model: 'claude-sonnet-4-5', maxThinkingTokens: 2000 });
      await live.query.setMaxThinkingTokens(3333);
      live.say('more');
      await live.result(2);
      await live.query.setMaxThinkingTokens(0);
      live.say('more');
      await live.result(3);
      const { sent } = await live.end();
      const budgets = sent.map(({ thinking }) => (thinking as { budget_tokens?: number } | undefined)?.budget_tokens);
      expect(budgets).toEqual([2000, 3333, undefined]);
    },
  },
  {
    about: 'rename_session',
    says: 'the session has the name from then on; `system/session_title_changed` says so',
    play: async (stage) => {
      const live = await begun(stage);
      await live.request({ subtype: 'rename_session', title: 'MARKER name' });
      await live.message(
        (line) => line.subtype === 'session_title_changed' && line.title === 'MARKER name',
        'the line',
      );
      expect(JSON.stringify(await live.request({ subtype: 'get_status' }))).toContain('MARKER name');
      await live.end();
    },
  },
  {
    about: 'rewind_files',
    says: 'a prompt that is not there: `canRewind: false` with an `error`',
    play: async (stage) => {
      const live = await begun(stage, { enableFileCheckpointing: true });
      const answer = await live.query.rewindFiles('99999999-9999-4999-8999-999999999999');
      expect(answer).toMatchObject({ canRewind: false, error: expect.any(String) });
      await live.end();
    },
  },
  {
    about: 'stop_task',
    says: 'ends a task in the background; `system/task_notification` says `stopped`',
    rules: WAITS,
    play: async (stage) => {
      const live = stage.open({ allowedTools: ['Bash'] });
      live.say('go');
      const started = await live.message(({ subtype }) => subtype === 'task_started', 'task_started');
      await until(() => runningWith('sleep 76.54').length > 0, 'the command runs');
      await live.query.stopTask(String(started.task_id));
      const ended = await live.message(({ subtype }) => subtype === 'task_notification', 'task_notification');
      expect(ended).toMatchObject({ task_id: started.task_id, status: 'stopped' });
      await until(() => runningWith('sleep 76.54').length === 0, 'the command has ended');
      await live.end();
    },
  },
  {
    about: 'stop_task',
    says: 'a task that is not there: an error',
    play: async (stage) => {
      const live = await begun(stage);
      expect(await refusal(live.query.stopTask('nobody'))).toMatch(/nobody/);
      await live.end();
    },
  },
  {
    about: 'get_task_output',
    says: '`output`, `total_bytes`, `truncated`',
    rules: WAITS,
    play: async (stage) => {
      const live = stage.open({ allowedTools: ['Bash'] });
      live.say('go');
      const started = await live.message(({ subtype }) => subtype === 'task_started', 'task_started');
      await until(() => runningWith('sleep 76.54').length > 0, 'the command runs');
      const answer = await live.request({ subtype: 'get_task_output', task_id: started.task_id });
      expect(answer).toMatchObject({ output: expect.stringContaining('MARKER-OUT'), truncated: false });
      expect(answer.total_bytes).toBeGreaterThan(0);
      await live.query.stopTask(String(started.task_id));
      await live.end();
    },
  },
  {
    about: 'background_tasks',
    says: 'an agent that is waited for goes on in the background',
    play: async (stage) => {
      let finish = (_: string) => {};
      const said = new Promise<string>((resolve) => {
        finish = resolve;
      });
      const input = { description: 'look', prompt: 'CHILD TASK', subagent_type: 'general-purpose' };
      stage.sim.use([
        { when: { said: 'CHILD TASK' }, reply: () => said },
        { when: { nth: 1 }, reply: [{ tool: 'Agent', input }] },
        { reply: 'It goes on.' },
      ]);
      const live = stage.open();
      live.say('go');
      await stage.sim.received(2);
      expect(await live.query.backgroundTasks()).toBe(true);
      expect(await live.result(1)).toMatchObject({ result: 'It goes on.' });
      finish('The child says ok.');
      await live.message(({ subtype }) => subtype === 'task_notification', 'task_notification');
      await live.result(2);
      await live.end();
    },
  },
  {
    about: 'background_tasks',
    says: 'a command goes on in the background: `backgrounded: true`',
    rules: [
      { when: { user: 'task-notification' }, reply: 'Heard.' },
      { when: { result: { tool: 'Bash' } }, reply: 'Done.' },
      {
        reply: [{ tool: 'Bash', input: { command: 'until test -e go-on; do sleep 0.05; done', description: 'wait' } }],
      },
    ],
    play: async (stage) => {
      const live = stage.open({ allowedTools: ['Bash'] });
      live.say('go');
      const call = await untilFound(() => callIn(live.messages, 'Bash'), 'the call');
      await until(() => runningWith('until test -e go-on').length > 0, 'the command runs');
      const request = { subtype: 'background_tasks', tool_use_id: call };
      expect(await live.request(request)).toEqual({ backgrounded: true });
      expect(await live.result(1)).toMatchObject({ result: 'Done.' });
      await stage.write('go-on', '');
      expect(await live.result(2)).toMatchObject({ result: 'Heard.' });
      await live.end();
    },
  },
  {
    about: 'can_use_tool',
    says: 'from us to the client: a question that is no longer needed is taken back',
    rules: TOUCH,
    play: async (stage) => {
      let asked = false;
      let takenBack = false;
      const live = stage.open({
        canUseTool: (_, _input, { signal }) =>
          new Promise((resolve) => {
            asked = true;
            signal.addEventListener('abort', () => {
              takenBack = true;
              resolve({ behavior: 'deny', message: 'too late' });
            });
          }),
      });
      live.say('touch');
      await until(() => asked, 'it asks');
      await live.query.interrupt();
      await live.result(1);
      await until(() => takenBack, 'it is taken back');
      expect(isMade(stage)).toBe(false);
      await live.end();
    },
  },
  {
    about: 'anything else',
    says: 'an error at once, that names it',
    play: async (stage) => {
      const live = await begun(stage);
      expect(await refusal(live.request({ subtype: 'no_such_request' }))).toContain('no_such_request');
      live.say('more');
      await live.result(2);
      await live.end();
    },
  },
];

runCases('CL-3', 'session requests', CASES);
