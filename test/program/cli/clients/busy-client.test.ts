/** Requests while something waits for the client: none waits for what waits for it (no deadlock). */

import { expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { setPlainStage } from '../plain/plain-stage.js';
import { type RawClient, startRaw } from './raw-client.js';

const TOUCH: readonly Rule[] = [
  { when: { result: { tool: 'Bash' } }, reply: 'It worked.' },
  { when: { user: /^go\b/m }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
  { reply: 'Here.' },
];

/** Everything that a client can ask for; what must be refused now is refused. */
const REQUESTS: readonly (Record<string, unknown> & { readonly subtype: string })[] = [
  { subtype: 'set_permission_mode', mode: 'acceptEdits' },
  { subtype: 'set_model', model: 'haiku' },
  { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 0 },
  { subtype: 'mcp_status' },
  { subtype: 'mcp_set_servers', servers: {} },
  { subtype: 'mcp_reconnect', serverName: 'none' },
  { subtype: 'mcp_toggle', serverName: 'none', enabled: false },
  { subtype: 'mcp_read_resource', serverName: 'none', uri: 'x:y' },
  { subtype: 'rewind_files', user_message_id: '00000000-0000-4000-8000-000000000000' },
  { subtype: 'stop_task', task_id: 'none' },
  { subtype: 'background_tasks' },
  { subtype: 'get_task_output', task_id: 'none' },
  { subtype: 'cancel_async_message', message_uuid: 'none' },
  { subtype: 'get_context_usage' },
  { subtype: 'get_session_cost' },
  { subtype: 'get_usage' },
  { subtype: 'get_settings' },
  { subtype: 'get_status' },
  { subtype: 'get_binary_version' },
  { subtype: 'list_models' },
  { subtype: 'list_permission_rules' },
  { subtype: 'apply_flag_settings', settings: { model: 'haiku' } },
  { subtype: 'update_settings', source: 'userSettings', settings: { model: 'haiku' } },
  { subtype: 'rename_session', title: 'a name' },
  { subtype: 'reload_skills' },
  { subtype: 'reload_output_styles' },
  { subtype: 'reload_plugins' },
  { subtype: 'read_file', path: 'none.txt' },
];

/** All are answered although nobody has answered what waits. */
async function askForAll(client: RawClient): Promise<void> {
  for (const request of REQUESTS) {
    client.request(request.subtype, request);
    await client.answer(request.subtype);
  }
}

it('CL-3: every request is answered while a permission is asked for', async () => {
  const stage = await setPlainStage(TOUCH);
  const client = startRaw(stage, ['--permission-prompt-tool', 'stdio']);
  client.request('1', { subtype: 'initialize' });
  client.prompt('go');
  const { request_id: id } = await client.asked('can_use_tool');
  await askForAll(client);
  client.reply(id, { behavior: 'allow' });
  expect(await client.end()).toBe(0);
  expect(client.results()).toEqual(['It worked.']);
}, 60_000);

it.each(['PreToolUse', 'UserPromptSubmit', 'SessionStart', 'Stop'])(
  'CL-3: every request is answered while a hook for %s runs',
  async (event) => {
    const stage = await setPlainStage(TOUCH);
    const client = startRaw(stage, ['--allowedTools=Bash']);
    client.request('1', { subtype: 'initialize', hooks: { [event]: [{ hookCallbackIds: ['h'] }] } });
    client.prompt('go');
    const { request_id: id } = await client.asked('hook_callback');
    await askForAll(client);
    client.reply(id, {});
    expect(await client.end()).toBe(0);
    expect(client.results()).toEqual(['It worked.']);
  },
  60_000,
);

it('CL-3: every request is answered while a session that goes on runs its hook for SessionStart', async () => {
  const stage = await setPlainStage(TOUCH);
  const first = startRaw(stage);
  first.prompt('hello');
  await first.end();
  const [result] = first.ofType('result');
  const client = startRaw(stage, ['--allowedTools=Bash', '--resume', String(result?.session_id)]);
  client.request('1', { subtype: 'initialize', hooks: { SessionStart: [{ hookCallbackIds: ['h'] }] } });
  client.prompt('go');
  const { request_id: id } = await client.asked('hook_callback');
  await askForAll(client);
  client.reply(id, {});
  expect(await client.end()).toBe(0);
  expect(client.results()).toEqual(['It worked.']);
}, 60_000);

it('CL-3: in-process servers that connect do not hold up initialize, nor other requests; a hook at the end is not waited for', async () => {
  const stage = await setPlainStage(TOUCH);
  const client = startRaw(stage, ['--allowedTools=Bash'], { MCP_TIMEOUT: '60000' });
  const hooks = { SessionEnd: [{ hookCallbackIds: ['e'] }] };
  client.request('1', { subtype: 'initialize', hooks, sdkMcpServers: ['s'] });
  await client.asked('mcp_message');
  client.request('mode', { subtype: 'set_permission_mode', mode: 'acceptEdits' });
  client.request('status', { subtype: 'mcp_status' });
  client.request('set', { subtype: 'mcp_set_servers', servers: { t: { type: 'sdk', name: 't' } } });
  const { request_id: id } = await client.asked('mcp_message');
  client.fail(id, 'no such server');
  for (const one of ['1', 'mode', 'status']) expect(await client.answer(one)).toMatchObject({ subtype: 'success' });
  expect(await client.end()).toBe(0);
}, 60_000);

it('CL-3: an interruption does not wait for the requests before it', async () => {
  const stage = await setPlainStage(TOUCH);
  const client = startRaw(stage, ['--permission-prompt-tool', 'stdio'], { MCP_TIMEOUT: '60000' });
  client.request('1', { subtype: 'initialize' });
  client.prompt('go');
  await client.asked('can_use_tool');
  // Its handshake is never answered.
  client.request('set', { subtype: 'mcp_set_servers', servers: { t: { type: 'sdk', name: 't' } } });
  await client.asked('mcp_message');
  client.request('stop', { subtype: 'interrupt' });
  expect(await client.answer('stop')).toMatchObject({ subtype: 'success' });
  await client.until('"type":"result"');
  // It ends what was waited for, too.
  expect(await client.answer('set')).toMatchObject({ subtype: 'error' });
  expect(await client.end()).toBe(0);
}, 60_000);

it('SF-5: a task that was stopped because the wait was over is an error line, and the exit code says so', async () => {
  const input = { command: 'sleep 600', run_in_background: true };
  const stage = await setPlainStage([
    { when: { result: { tool: 'Bash' } }, reply: 'It runs.' },
    { when: { user: /^go/m }, reply: [{ tool: 'Bash', input }] },
    { reply: 'Well.' },
  ]);
  const client = startRaw(stage, ['--allowedTools=Bash', '--background-wait', '1']);
  client.prompt('go');
  expect(await client.end()).toBe(1);
  expect(client.errors()).toEqual([expect.stringMatching(/^stopped after 1 s of waiting: /)]);
}, 60_000);

it('CL-2: agents of the command line stay beside those of initialize', async () => {
  const stage = await setPlainStage(TOUCH);
  const given = (name: string) => ({ [name]: { description: name, prompt: 'p' } });
  const client = startRaw(stage, ['--agents', JSON.stringify(given('of-flags'))]);
  client.request('1', { subtype: 'initialize', agents: given('of-client') });
  const { response } = (await client.answer('1')) as { response: { agents: readonly { name: string }[] } };
  expect(response.agents.map(({ name }) => name)).toEqual(expect.arrayContaining(['of-flags', 'of-client']));
  expect(await client.end()).toBe(0);
});
