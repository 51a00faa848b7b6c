/** LC-20, LC-21: what stream-json tells about each child while it works, from the real program. */

import { beforeAll, expect, it } from 'vitest';
import { buildProgram } from '../../support/program.js';
import { setPlainStage } from './plain/plain-stage.js';

beforeAll(buildProgram);

type Progress = Readonly<Record<string, unknown>> & { readonly status: string; readonly question?: object };

it('LC-20, LC-21: status, tool, time, turns, tokens, cache share, cost, depth and the question that waits, for one that is waited for too', async () => {
  const stage = await setPlainStage([
    { when: { said: 'CHILD', nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'mkdir made' } }] },
    { when: { said: 'CHILD' }, reply: 'Made.' },
    { when: { nth: 1 }, reply: [{ tool: 'Agent', input: { prompt: 'CHILD', description: 'Make it', name: 'maker' } }] },
    { reply: 'Done.' },
  ]);
  const flags = [
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--permission-prompt-tool',
    'stdio',
  ];
  const program = stage.pipe(['-p', ...flags]);
  const say = (line: object) => program.say(JSON.stringify(line));
  const lines = () =>
    program
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const progress = (): readonly Progress[] => lines().filter(({ subtype }) => subtype === 'task_progress');
  say({ type: 'control_request', request_id: '1', request: { subtype: 'initialize' } });
  say({ type: 'user', message: { role: 'user', content: 'go' } });
  await program.until(
    /"task_progress".*"question":\{[\s\S]*"can_use_tool"|"can_use_tool"[\s\S]*"task_progress".*"question":\{/,
  );
  const asking = progress().findLast(({ question }) => question !== undefined);
  const call = lines().find(({ type }) => type === 'assistant')?.message.content[0].id;
  expect(asking).toMatchObject({
    task_id: expect.any(String),
    tool_use_id: call,
    description: 'Make it',
    agent_type: 'general-purpose',
    name: 'maker',
    parent: 'main',
    depth: 1,
    chain: expect.stringContaining('/'),
    background: false,
    last_tool_name: 'Bash',
    summary: 'Bash: mkdir made',
    question: { tool_name: 'Bash', line: 'Bash: mkdir made' },
    turns: 1,
    tool_uses: 1,
    elapsed_ms: expect.any(Number),
    cache_share: expect.any(Number),
    cost_usd: expect.any(Number),
    folder: stage.folder,
    usage: { total_tokens: expect.any(Number), tool_uses: 1, duration_ms: expect.any(Number) },
  });
  expect(asking?.tokens_in).toBeGreaterThan(0);
  expect(asking?.tokens_out).toBeGreaterThan(0);
  const request = lines().find(
    ({ type, request: asked }) => type === 'control_request' && asked.subtype === 'can_use_tool',
  );
  const response = { behavior: 'allow', updatedInput: request.request.input };
  say({ type: 'control_response', response: { subtype: 'success', request_id: request.request_id, response } });
  expect(await program.end()).toBe(0);
  const last = progress().at(-1);
  expect(last).toMatchObject({ status: 'completed', turns: 2, tool_uses: 1 });
  expect(last).not.toHaveProperty('question');
  expect(last).not.toHaveProperty('last_tool_name');
  for (const line of progress())
    expect(line).toMatchObject({ session_id: expect.any(String), uuid: expect.any(String) });
});
