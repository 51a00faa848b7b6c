/** Requests while something waits for the client: none waits for what waits for it (no deadlock). */

import { expect, it } from 'vitest';
import { askForAll, TOUCH } from '../../../program/cli/clients/hostile/busy-client-stage.js';
import { startRaw } from '../../../program/cli/clients/raw-client.js';
import { setPlainStage } from '../../../program/cli/plain/plain-stage.js';

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
);

it('CL-3: every request is answered while a session that continues runs its hook for SessionStart', async () => {
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
});

it('SF-5: a task that was stopped because the wait was over is an error line, and the exit code reports it', async () => {
  const input = { command: 'sleep 600', run_in_background: true };
  const stage = await setPlainStage([
    { when: { result: { tool: 'Bash' } }, reply: 'It runs.' },
    { when: { user: /^go/m }, reply: [{ tool: 'Bash', input }] },
    { reply: 'Well.' },
  ]);
  const client = startRaw(stage, ['--allowedTools=Bash', '--background-wait', '1']);
  client.prompt('go');
  expect(await client.end()).toBe(1);
  expect(client.errors()).toEqual([
    expect.stringMatching(/^background tasks did not finish within 1 s and were stopped: /),
  ]);
});
