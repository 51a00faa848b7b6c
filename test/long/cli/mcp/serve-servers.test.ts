/** MC-9: `coppice mcp serve` in a place that has servers of its own. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serve, setServeStage } from '../../../program/cli/mcp/serve-stage.js';
import { smallServer } from '../../../support/mcp/small-server.js';
import { callsFor, mcpNames, resultsIn } from '../../../support/mcp/told.js';
import { groupRuns } from '../../../support/processes.js';
import { expectAllAccepted } from '../../../support/story.js';
import { until } from '../../../support/until.js';

it('MC-9 MC-4 its agents use the servers that are configured; a call of theirs passes the gate; they end with it', async () => {
  const stage = await setServeStage(
    callsFor('CHILD', [
      { tool: 'mcp__s__echo', input: { words: 'x' } },
      { tool: 'mcp__other__echo', input: { words: 'x' } },
    ]),
  );
  const log = join(stage.folder, 'log');
  await stage.settings({
    mcpServers: {
      s: smallServer({ log }),
      other: smallServer({ name: 'other' }),
      dead: { command: '/no/such/program' },
    },
    permissions: { allow: ['mcp__s'] },
  });
  const { client, call } = await serve(stage);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names()).toContain('Agent');
  await until(async () => (await names()).filter((name) => name.startsWith('mcp__')).length === 2, 'both are there');
  const done = await call('Agent', { subagent_type: 'general-purpose', description: 'd', prompt: 'CHILD' });
  expect(done).toMatchObject({ isError: false, text: expect.stringContaining('CHILD: done') });
  expect(mcpNames(stage.sim.requests[0])).toEqual(['mcp__other__echo', 'mcp__s__echo']);
  const [allowed, denied] = resultsIn(stage.sim.requests.at(-1));
  expect(allowed).toMatchObject({ isError: false });
  expect(denied).toMatchObject({ isError: true });
  expectAllAccepted(stage.sim);
  const pids = [...(await readFile(log, 'utf8')).matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid));
  expect(pids).toHaveLength(1);
  await client.close();
  await until(() => !groupRuns(pids[0] ?? 0), 'its server to end');
});

it.each([
  ['declared', 'false'],
  ['found on demand', 'true'],
])('MC-9 MC-18 tools of its servers, %s, pass the gate as themselves', async (_, ENABLE_TOOL_SEARCH) => {
  const stage = await setServeStage();
  const log = join(stage.folder, 'log');
  const tools = ['yes', 'no', 'pay'].map((name) => ({
    name,
    ...(name === 'pay' ? { _meta: { 'anthropic/requiresUserInteraction': true } } : {}),
  }));
  await stage.settings({
    mcpServers: { s: smallServer({ log, tools }) },
    permissions: { allow: ['mcp__s__yes', 'mcp__s__pay'] },
  });
  const { client, call } = await serve(stage, [], { ENABLE_TOOL_SEARCH });
  const isDirect = ENABLE_TOOL_SEARCH === 'false';
  const wanted = isDirect ? 'mcp__s__yes' : 'McpCall';
  await until(async () => (await client.listTools()).tools.some(({ name }) => name === wanted), 'it has connected');
  // A search waits for servers that still connect.
  if (!isDirect) expect((await call('ToolSearch', { query: 'yes' })).text).toContain('"name":"mcp__s__yes"');
  const use = (name: string) =>
    isDirect ? call(`mcp__s__${name}`) : call('McpCall', { tool: `mcp__s__${name}`, input: {} });
  expect(await use('yes')).toMatchObject({ isError: false, text: 'small yes {}' });
  expect(await use('no')).toMatchObject({ isError: true, text: expect.stringContaining('mcp__s__no') });
  expect(await use('pay')).toMatchObject({ isError: true });
  expect((await readFile(log, 'utf8')).match(/tools\/call .*/g)).toEqual(['tools/call yes']);
});
