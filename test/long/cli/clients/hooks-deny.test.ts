/** GT-6, CL-2: a client's hook that denies, or can't be asked, denies: in every mode, for every agent, in every order. */

import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { type RawClient, startRaw } from '../../../program/cli/clients/raw-client.js';
import { setPlainStage } from '../../../program/cli/plain/plain-stage.js';

const BASH = { tool: 'Bash', input: { command: 'touch made' } };
const CALLS: readonly Rule[] = [
  { when: { result: { tool: 'Bash' } }, reply: 'Seen: {{result}}' },
  { when: { result: { tool: 'Agent' } }, reply: 'Child seen.' },
  { when: { said: 'CHILD TASK' }, reply: [BASH] },
  { when: { user: /^child/m }, reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'CHILD TASK' } }] },
  {
    when: { user: /^background/m },
    reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'CHILD TASK', run_in_background: true } }],
  },
  {
    when: { user: /^fork/m },
    reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'CHILD TASK', subagent_type: 'fork' } }],
  },
  { when: { user: /^go/m }, reply: [BASH] },
  { reply: 'Here.' },
];

const BYPASS = ['--permission-mode', 'bypassPermissions', '--allowedTools=Bash'];
const NO = {
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'NO.' },
};

async function start(matcher: object = {}) {
  const stage = await setPlainStage(CALLS);
  const client = startRaw(stage, BYPASS);
  const hooks = { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['h'], ...matcher }] };
  client.request('1', { subtype: 'initialize', hooks });
  return { stage, client };
}

type Asked = Awaited<ReturnType<RawClient['asked']>>;

describe('CL-2: a hook before calls, in a session that may do everything', () => {
  it.each(['go', 'child', 'background', 'fork'])('CL-2: %s: a no is a no', async (prompt) => {
    const { stage, client } = await start();
    client.prompt(`${prompt} on`);
    client.reply((await client.asked('hook_callback')).request_id, NO);
    expect(await client.end()).toBe(0);
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
  });

  it.each<[string, object, (client: RawClient, asked: Asked) => unknown]>([
    ['fails', {}, (client, { request_id }) => client.fail(request_id, 'it broke')],
    [
      'fails, with onFailure: continue',
      { onFailure: 'continue' },
      (client, { request_id }) => client.fail(request_id, 'x'),
    ],
    ['fails, with onFailure: block', { onFailure: 'block' }, (client, { request_id }) => client.fail(request_id, 'x')],
    ['takes too long', { timeout: 0.3 }, async (client) => client.until('control_cancel_request')],
    [
      'answers too late',
      { timeout: 0.3 },
      async (client, { request_id }) => {
        await client.until('control_cancel_request');
        client.reply(request_id, {});
      },
    ],
    [
      'answers after a wrong answer',
      {},
      (client, { request_id }) => {
        client.reply(request_id, 'yes');
        client.reply(request_id, {});
      },
    ],
    ['is gone: the client has closed its input', {}, (client) => client.end()],
  ])('CL-2: one that %s stops the call', async (_, matcher, act) => {
    const { stage, client } = await start(matcher);
    client.prompt('go on');
    await act(client, await client.asked('hook_callback'));
    await client.until('"type":"result"');
    await client.end();
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
    expect(client.ofType('result')).toHaveLength(1);
  });

  it('CL-2: one that can not be asked any more, because the input has ended, stops the call', async () => {
    const { stage, client } = await start();
    client.prompt('go on');
    expect(await client.end()).toBe(0);
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
    expect(client.ofType('result')).toHaveLength(1);
  });

  it('CL-2: the second of two denies; also if the first allows', async () => {
    const { stage, client } = await start({ hookCallbackIds: ['a', 'b'] });
    client.prompt('go on');
    const yes = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
    const two = [await client.asked('hook_callback', 1), await client.asked('hook_callback', 2)];
    for (const { request_id, request } of two) client.reply(request_id, request.callback_id === 'a' ? yes : NO);
    expect(await client.end()).toBe(0);
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
    expect(two.map(({ request }) => request.callback_id).sort()).toEqual(['a', 'b']);
  });

  it('CL-2: one that agrees lets it run', async () => {
    const { stage, client } = await start();
    client.prompt('go on');
    client.reply((await client.asked('hook_callback')).request_id, {});
    expect(await client.end()).toBe(0);
    expect(await stage.read('made')).toBe('');
  });
});
