/** A call of a server that takes long: in the terminal it continues in the background (MC-19). */

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { smallServer } from '../../support/mcp/small-server.js';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

const CALL = [{ tool: 'mcp__s__slow', input: {} }];

async function stageWith(ms: number) {
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'heard of it' },
    { when: { user: 'go' }, reply: CALL },
    { reply: 'ended' },
  ]);
  const slow = { name: 'slow', ms, result: { content: [{ type: 'text', text: 'the slow answer' }] } };
  await stage.settings({ mcpServers: { s: smallServer({ tools: [slow] }) }, permissions: { allow: ['mcp__s'] } });
  return stage;
}

describe('MC-19: a main call that takes long', () => {
  it('MC-19 goes to the background where a user waits; a notice brings its result', async () => {
    const stage = await stageWith(400);
    const env = { ...stage.env, CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: '50' };
    const session = await stage.open({ interactive: true, env });
    const end = await session.send('go');
    expect(end.reason, stage.sim.report()).toBe('completed');
    const [task] = session.tasks();
    expect(task).toMatchObject({ kind: 'shell', title: 'mcp__s__slow' });
    await session.settled();
    await until(() => stage.sim.requests.some(({ raw }) => raw.includes('the slow answer')));
    expect(await readFile(task?.outputFile ?? '', 'utf8')).toBe('the slow answer');
    expect(eventsOf(stage, 'task-started')).toHaveLength(1);
    expectAllAccepted(stage.sim);
  });

  it('MC-19 stopping the task cancels the call', async () => {
    const stage = await stageWith(600_000);
    const env = { ...stage.env, CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: '20' };
    const session = await stage.open({ interactive: true, env });
    await session.send('go');
    const [task] = session.tasks();
    await task?.stop();
    expect(session.tasks()[0]?.status).toBe('stopped');
  });

  it.each([
    ['without a person', {}, '20'],
    ['with 0', { interactive: true }, '0'],
  ])('MC-19 is waited for %s', async (_, options, wait) => {
    const stage = await stageWith(150);
    const env = { ...stage.env, CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: wait };
    const session = await stage.open({ ...options, env });
    await session.send('go');
    expect(session.tasks()).toEqual([]);
    expect(stage.sim.requests[1]?.raw.includes('the slow answer')).toBe(true);
  });
});
