/** Control requests about tasks and queued prompts, sent by the real SDK to the real program. */

import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { until } from '../../../support/until.js';
import { driveBySdk } from './requests-stage.js';

const A = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const B = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const C = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc';

/** It is waited for until somebody ends that. */
const NEVER = () => new Promise<never>(() => {});

const SLOW: Rule[] = [
  { when: { user: 'third' }, reply: 'Three.' },
  { when: { user: 'second' }, reply: 'Two.' },
  { when: { user: 'slow' }, reply: NEVER },
];

describe('prompts that wait', () => {
  it('CL-3: interrupt shows which prompts have not begun; they are answered', async () => {
    const client = await driveBySdk(SLOW);
    client.say('slow', { uuid: A });
    await until(() => client.sim.requests.length > 0, 'a request');
    client.say('second', { uuid: B });
    client.say('third', { uuid: C });
    await until(async () => ((await client.request({ subtype: 'get_status' })).sections as []).length > 0);
    expect(await client.query.interrupt()).toEqual({ still_queued: [B, C] });
    expect(await client.result(2)).toMatchObject({ result: 'Two.' });
    expect(await client.result(3)).toMatchObject({ result: 'Three.' });
    expect(await client.query.interrupt()).toEqual({ still_queued: [] });
    await client.end();
  });

  it('CL-3: with cancel_queued they are dropped; cancel_async_message drops one', async () => {
    const client = await driveBySdk(SLOW);
    client.say('slow', { uuid: A });
    await until(() => client.sim.requests.length > 0, 'a request');
    client.say('second', { uuid: B });
    client.say('third', { uuid: C });
    await client.request({ subtype: 'get_status' });
    const cancel = (message_uuid: unknown) => client.request({ subtype: 'cancel_async_message', message_uuid });
    expect(await cancel(B)).toEqual({ cancelled: true });
    expect(await cancel(B)).toEqual({ cancelled: false });
    expect(await cancel(A)).toEqual({ cancelled: false });
    expect(await client.refusal({ subtype: 'cancel_async_message' })).toMatch(/message_uuid must be/);
    expect(await client.refusal({ subtype: 'interrupt', cancel_queued: 'yes' })).toMatch(/cancel_queued must be/);
    expect(await client.request({ subtype: 'interrupt', cancel_queued: true })).toEqual({
      still_queued: [],
      cancelled: [C],
    });
    await client.result(1);
    client.say('third');
    expect(await client.result(2)).toMatchObject({ result: 'Three.' });
    await client.end();
    expect(client.messages.filter(({ type }) => type === 'result')).toHaveLength(2);
  });
});

const SHELL: Rule[] = [
  { when: { user: '<task-notification>' }, reply: 'I see.' },
  { when: { result: { tool: 'Bash' } }, reply: 'Started.' },
  {
    when: { user: 'run it' },
    reply: [{ tool: 'Bash', input: { command: 'echo begun; sleep 300', run_in_background: true } }],
  },
];

const CHILD: Rule[] = [
  { when: { user: 'count the trees' }, reply: NEVER },
  { when: { result: { tool: 'Agent' } }, reply: 'It goes on without me.' },
  {
    when: { user: 'ask an agent' },
    reply: [
      {
        tool: 'Agent',
        id: 'toolu_child',
        input: { description: 'count', prompt: 'count the trees', subagent_type: 'general-purpose' },
      },
    ],
  },
  { reply: 'Noted.' },
];

type TaskLine = { readonly task_id: string };

describe('tasks', () => {
  it('CL-3: get_task_output reads what a command printed, stop_task ends it', async () => {
    const client = await driveBySdk(SHELL, {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    client.say('run it');
    await client.result();
    const started = client.messages.find(({ subtype }) => subtype === 'task_started') as TaskLine | undefined;
    const task_id = started?.task_id ?? '';
    const output = () => client.request({ subtype: 'get_task_output', task_id });
    await until(async () => (await output()).output === 'begun\n', 'its output');
    expect(await output()).toEqual({ output: 'begun\n', total_bytes: 6, truncated: false });
    await client.query.stopTask(task_id);
    await until(() =>
      client.messages.some(({ subtype, status }) => subtype === 'task_notification' && status === 'stopped'),
    );
    expect(await client.refusal({ subtype: 'stop_task', task_id: 'x' })).toBe('no task x in this session');
    expect(await client.refusal({ subtype: 'get_task_output', task_id: 'x' })).toBe('no task x in this session');
    for (const subtype of ['stop_task', 'get_task_output']) {
      expect(await client.refusal({ subtype })).toBe(`${subtype}: task_id must be a non-empty string`);
      expect(await client.refusal({ subtype, task_id: 7 })).toBe(`${subtype}: task_id must be a string`);
    }
    await client.end();
  });

  it('CL-3: background_tasks lets a child continue in the background, by the call that waits for it', async () => {
    const client = await driveBySdk(CHILD);
    client.say('ask an agent');
    await until(() => client.sim.requests.length > 1, 'the request of the child');
    expect(await client.query.backgroundTasks('toolu_other')).toBe(false);
    expect(await client.query.backgroundTasks('toolu_child')).toBe(true);
    expect(await client.result()).toMatchObject({ result: 'It goes on without me.' });
    const started = client.messages.find(({ subtype }) => subtype === 'task_started') as TaskLine | undefined;
    const { output } = await client.request({ subtype: 'get_task_output', task_id: started?.task_id });
    expect(output).toContain('general-purpose: count');
    expect(await client.query.backgroundTasks()).toBe(true);
    expect(await client.refusal({ subtype: 'background_tasks', tool_use_id: 1 })).toMatch(/tool_use_id must be/);
    await client.query.stopTask(started?.task_id ?? '');
    await client.end();
  });
});
