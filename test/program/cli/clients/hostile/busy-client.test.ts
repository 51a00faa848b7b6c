/** Requests while something waits for the client: none waits for what waits for it (no deadlock). */

import { expect, it } from 'vitest';
import { setPlainStage } from '../../plain/plain-stage.js';
import { startRaw } from '../raw-client.js';
import { askForAll, TOUCH } from './busy-client-stage.js';

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
});

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
});

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
});

it('CL-2: agents of the command line stay next to those of initialize', async () => {
  const stage = await setPlainStage(TOUCH);
  const given = (name: string) => ({ [name]: { description: name, prompt: 'p' } });
  const client = startRaw(stage, ['--agents', JSON.stringify(given('of-flags'))]);
  client.request('1', { subtype: 'initialize', agents: given('of-client') });
  const { response } = (await client.answer('1')) as { response: { agents: readonly { name: string }[] } };
  expect(response.agents.map(({ name }) => name)).toEqual(expect.arrayContaining(['of-flags', 'of-client']));
  expect(await client.end()).toBe(0);
});
