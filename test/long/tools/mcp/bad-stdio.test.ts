/** Servers over stdio that misbehave: whatever they do, the session goes on and nothing is left. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runningWith } from '../../../support/processes.js';
import { until } from '../../../support/until.js';
import { callOptions, setStage, textOf } from '../../../unit/tools/mcp/connect/connect-stage.js';

const MB = 2 ** 20;

it('MC-6: what is no message is counted, and said where the connect fails', async () => {
  const stage = await setStage((host) => host, { MCP_TIMEOUT: '1500' });
  const script = 'echo Server is ready; echo "{}"; echo; exec sleep 1000';
  const failed = await stage.connect({ kind: 'stdio', command: 'sh', args: ['-c', script, stage.folder], env: {} });
  const reason = expect.stringMatching(/within 1.5 seconds.*; it wrote 2 lines to stdout that are no messages/);
  expect(failed).toMatchObject({ ok: false, kind: 'failed', reason });
});

it('MC-6: a line of 1 GB is dropped while it comes, and the answer after it arrives', async () => {
  const stage = await setStage();
  const connection = await stage.open(stage.bad({}));
  let most = 0;
  const measure = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const before = process.memoryUsage().rss;
  const answer = await connection
    .callTool('endless', { mb: 1024 }, callOptions())
    .finally(() => clearInterval(measure));
  expect(textOf(answer)).toBe('and now the answer');
  // Far below what was sent: the rest is what the machine keeps for chunks it has read.
  expect((most - before) / MB).toBeLessThan(400);
});

it('MC-6: an answer nested two million times is an answer, or an error, and no more', async () => {
  const stage = await setStage();
  const connection = await stage.open(stage.bad({}));
  await connection
    .callTool('deep', {}, callOptions())
    .catch((error: Error) => expect(error.message).toContain('MCP server'));
  expect(textOf(await connection.callTool('noise', {}, callOptions()))).toBe('after noise');
});

it.each([false, true])('MC-15: nothing is left of a server and its children (ignores TERM: %s)', async (ignoreTerm) => {
  const stage = await setStage();
  const seconds = `${process.pid}${ignoreTerm ? 1 : 2}.25`;
  const sleeping = () => runningWith(`sleep ${seconds}`).filter((line) => /^\d+ sleep/.test(line));
  const connection = await stage.open(stage.bad({ children: [seconds], ignoreTerm }));
  await until(() => sleeping().length === 3, 'all its children run');
  expect(readdirSync(join(stage.folder, 'coppice', 'mcp', 'running'))).toHaveLength(1);
  await connection.close();
  expect(sleeping()).toEqual([]);
  expect(stage.running()).toEqual([]);
  expect(readdirSync(join(stage.folder, 'coppice', 'mcp', 'running'))).toEqual([]);
  expect(stage.losses).toEqual([]);
});

it('MC-15: the server that npx starts ends with it', async () => {
  const stage = await setStage();
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  const args = ['--offline', '--prefix', root, 'mcp-server-everything', 'stdio', stage.folder];
  const connection = await stage.open({ kind: 'stdio', command: 'npx', args, env: {} });
  expect(stage.running().length).toBeGreaterThan(1);
  await connection.close();
  expect(stage.running()).toEqual([]);
});
