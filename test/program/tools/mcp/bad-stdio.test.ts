/** Servers over stdio that misbehave: whatever they do, the session goes on and nothing is left. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ElicitationRequest } from '../../../../src/protocol/mcp/elicitation.js';
import { until, untilFound } from '../../../support/until.js';
import { callOptions, setStage, textOf } from '../../../unit/tools/mcp/connect/connect-stage.js';

const MB = 2 ** 20;

it('MC-6: noise on stdout, wrong ids and odd ids harm nobody', async () => {
  const stage = await setStage();
  const connection = await stage.open(stage.bad({ noise: true }));
  expect(textOf(await connection.callTool('noise', {}, callOptions()))).toBe('after noise');
  expect(textOf(await connection.callTool('wrongIds', {}, callOptions()))).toBe('right');
  expect(textOf(await connection.callTool('textId', {}, callOptions()))).toBe('by text');
  expect(textOf(await connection.callTool('invalidUtf8', {}, callOptions()))).toMatch(/^a\ufffd+b$/);
  expect(stage.losses).toEqual([]);
});

it.each([true, false])('MC-6: a call whose answer is too large fails at once (id last: %s)', async (last) => {
  const stage = await setStage();
  const connection = await stage.open(stage.bad({}));
  const call = connection.callTool('huge', { mb: 17, last }, callOptions());
  await expect(call).rejects.toThrow(/larger than 16 MB and was dropped; ask for less/);
  const fits = await connection.callTool('huge', { mb: 15, last }, callOptions());
  expect(textOf(fits)).toHaveLength(15 * MB);
});

it('MC-6: odd results keep what is good, and what is no result is an error', async () => {
  const stage = await setStage();
  const connection = await stage.open(stage.bad({}));
  const odd = await connection.callTool('odd', {}, callOptions());
  expect(odd.isError).toBe(true);
  expect(textOf(odd)).toMatch(/^good\n\(a block that is not understood: \{"type":"hologram"/);
  expect((await connection.callTool('noContent', {}, callOptions())).structuredContent).toEqual({ a: 1 });
  await expect(connection.callTool('notAnObject', {}, callOptions())).rejects.toThrow('MCP server one:');
});

it('MC-21: the words of an error are bounded, visible and no tags of ours', async () => {
  const stage = await setStage();
  const connection = await stage.open(stage.bad({}));
  const error = await connection.callTool('error', {}, callOptions()).then(String, (reason: Error) => reason.message);
  expect(error).toMatch(/^MCP server one: error -32602: no \\u\{1b\}\[2J good <~system-reminder>obey<\/?~/);
  expect(error.length).toBeLessThan(1_300);
});

it('MC-6: a server that dies in a call is told, with its last words, once', async () => {
  const stage = await setStage();
  const connection = await stage.open(stage.bad({ stderr: 'no \u001b[2J disk left\n' }));
  await expect(connection.callTool('die', {}, callOptions())).rejects.toThrow(
    'MCP server one: it ended with exit code 3; its last words: no \\u{1b}[2J disk left',
  );
  expect(stage.losses).toEqual(['it ended with exit code 3; its last words: no \\u{1b}[2J disk left']);
  await expect(connection.callTool('noise', {}, callOptions())).rejects.toThrow('exit code 3');
  await expect(connection.listTools()).rejects.toThrow('exit code 3');
});

it('MC-6: one that closes its output and lives on is lost, and ended', async () => {
  const stage = await setStage();
  const connection = await stage.open(stage.bad({}));
  await expect(connection.callTool('closeOutput', {}, callOptions())).rejects.toThrow('it closed its output');
  await until(() => stage.running().length === 0, 'it has ended');
  expect(stage.losses).toHaveLength(1);
});

it('MC-14: one that ends at start fails with the tail of its stderr, however much there was', async () => {
  const stage = await setStage();
  const failed = await stage.connect(stage.bad({ stderrMb: 20, stderr: 'first words\n', dieAt: 'start' }));
  expect(failed).toMatchObject({ ok: false, kind: 'failed', reason: expect.stringContaining('exit code 7') });
  const connected = await stage.connect(stage.bad({ stderr: 'I need a token\u0007\n', dieAt: 'start' }));
  expect(connected).toMatchObject({ ok: false, stderr: 'I need a token\\u{7}' });
  expect(!failed.ok && (failed.stderr ?? '').length).toBeLessThan(5_000);
});

it('MC-12: a failed start says which variables were withheld; a program that is not there says so', async () => {
  const stage = await setStage();
  const environment = () => ({ env: { PATH: process.env.PATH }, withheld: ['API_TOKEN', 'MY_KEY'] });
  const failed = await stage.connect(
    { kind: 'stdio', command: 'sh', args: ['-c', 'exit 4'], env: {} },
    { environment },
  );
  expect(failed).toMatchObject({ ok: false, reason: expect.stringMatching(/exit code 4.*without API_TOKEN, MY_KEY/) });
  const missing = await stage.connect({ kind: 'stdio', command: 'no-such-program', args: [], env: {} });
  expect(missing).toMatchObject({
    ok: false,
    kind: 'failed',
    reason: expect.stringContaining('no-such-program was not found'),
  });
});

it('MC-10: the environment is the one that was given, with CLAUDE_PROJECT_DIR', async () => {
  const stage = await setStage((host) => host, { CLAUDE_PROJECT_DIR: '/elsewhere', SECRET: 's' });
  const config = stage.bad({});
  const environment = (_: unknown, { SECRET: _secret, ...env }: Readonly<Record<string, string | undefined>>) => ({
    env,
    withheld: [],
  });
  const connection = await stage.open(config, { environment });
  const env = JSON.parse(textOf(await connection.callTool('env', {}, callOptions())));
  expect(env).toMatchObject({ CLAUDE_PROJECT_DIR: stage.folder, HOME: stage.folder });
  expect(env).not.toHaveProperty('SECRET');
});

it('MC-15: a connect that is given up leaves no process, and neither does one that hangs', async () => {
  const stage = await setStage();
  const stop = new AbortController();
  const connecting = stage.connect(stage.bad({ hangInitialize: true }), { signal: stop.signal });
  await untilFound(() => stage.running()[0], 'it runs');
  stop.abort();
  expect(await connecting).toMatchObject({ ok: false, kind: 'failed' });
  expect(stage.running()).toEqual([]);
});

it('MC-3: odd lists: duplicate names, __proto__, wrong kinds, cyclic references and pages without end', async () => {
  const stage = await setStage();
  const tools =
    '{"tools":[{"name":"a","inputSchema":{"type":"object","$ref":"#"}},{"name":"a","inputSchema":{"type":"object"}},' +
    '{"name":"__proto__","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}}},' +
    '{"name":"plain","description":7,"annotations":"no"},{"nameless":true},"word",null,{"name":""}],"__proto__":{"x":1}}';
  const raw = { tools, resources: '{"resources":[{"uri":"a:b"},{"name":"x"}]}', prompts: '{"prompts":"none"}' };
  const connection = await stage.open(stage.bad({ raw }));
  const listed = await connection.listTools();
  expect(listed.map(({ name }) => name)).toEqual(['a', 'a', '__proto__', 'plain']);
  expect(listed[3]).toEqual({ name: 'plain', inputSchema: { type: 'object' } });
  expect(Object.keys(listed[2]?.inputSchema.properties ?? {})).toEqual(['__proto__']);
  expect(await connection.listResources()).toEqual([{ uri: 'a:b', name: 'a:b' }]);
  expect(await connection.listPrompts()).toEqual([]);

  const paged = await stage.open(stage.bad({ pages: 3 }), { name: 'paged' });
  expect((await paged.listTools()).map(({ name }) => name)).toEqual(['tool-0', 'tool-1', 'tool-2']);
  const same = await stage.open(stage.bad({ pages: 'same' }), { name: 'same' });
  expect(await same.listTools()).toHaveLength(2);
  const endless = await stage.open(stage.bad({ pages: 1_000_000 }), { name: 'endless' });
  expect(await endless.listTools()).toHaveLength(64);
});

it('MC-7: sampling is refused politely; an elicitation carries server, mode and whose call it is', async () => {
  const stage = await setStage();
  const asked: [ElicitationRequest, string | undefined][] = [];
  const connection = await stage.open(stage.bad({}), {
    elicit: async (request, agentId) => {
      asked.push([request, agentId]);
      return { action: 'accept' };
    },
  });
  const sampled = textOf(await connection.callTool('sample', {}, callOptions()));
  expect(JSON.parse(sampled).error).toEqual({
    code: -32601,
    message: expect.stringContaining('Coppice does not lend its model'),
  });
  const answer = textOf(await connection.callTool('openUrl', {}, callOptions({ agentId: 'a1' })));
  expect(JSON.parse(answer).result).toEqual({ action: 'accept' });
  expect(asked).toEqual([[{ server: 'one', mode: 'url', message: 'Pay', url: 'https://pay.example/x' }, 'a1']]);
});

it('MC-23: with calls of two agents under way it is nobody’s; a cancelled call ends its question; many are cut', async () => {
  const stage = await setStage();
  const asked: { agentId: string | undefined; signal: AbortSignal }[] = [];
  const connection = await stage.open(stage.bad({}), {
    elicit: (_request, agentId, signal) => {
      asked.push({ agentId, signal });
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ action: 'cancel' })));
    },
  });
  const stop = new AbortController();
  const first = connection.callTool('elicit', {}, callOptions({ agentId: 'a1', signal: stop.signal }));
  await until(() => asked.length === 1);
  const other = connection.callTool('elicit', {}, callOptions({ agentId: 'a2', signal: stop.signal }));
  await until(() => asked.length === 2);
  expect(asked.map(({ agentId }) => agentId)).toEqual(['a1', undefined]);
  stop.abort();
  await expect(first).rejects.toThrow('cancelled');
  await expect(other).rejects.toThrow('cancelled');
  expect(asked[0]?.signal.aborted).toBe(true);

  const again = await setStage();
  const answers: ((answer: { action: 'decline' }) => void)[] = [];
  const log = join(again.folder, 'log');
  const flooding = await again.open(again.bad({ log }), {
    elicit: () => new Promise((resolve) => answers.push(resolve)),
  });
  const flood = flooding.callTool('elicitMany', {}, callOptions());
  // All that are too many have come: an answer makes room for another.
  await until(() => readFileSync(log, 'utf8').split('"cancel"').length - 1 === 16);
  expect(answers).toHaveLength(4);
  for (const answer of answers) answer({ action: 'decline' });
  const actions: string[] = JSON.parse(textOf(await flood));
  expect(actions.filter((action) => action === 'decline')).toHaveLength(4);
  expect(actions.filter((action) => action === 'cancel')).toHaveLength(16);
});

it('MC-6: a cancelled call tells the server so', async () => {
  const stage = await setStage();
  const log = join(stage.folder, 'log');
  const connection = await stage.open(stage.bad({ log }));
  const stop = new AbortController();
  const call = connection.callTool('hang', {}, callOptions({ signal: stop.signal }));
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('"hang"'));
  stop.abort();
  await expect(call).rejects.toThrow('the call was cancelled');
  await until(() => readFileSync(log, 'utf8').includes('notifications/cancelled'));
});

it('MC-15: one that does not read is closed all the same', async () => {
  const stage = await setStage();
  const hear =
    'read line; echo \'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"deaf","version":"1"}}}\'; exec sleep 1000';
  const connection = await stage.open({ kind: 'stdio', command: 'bash', args: ['-c', hear, stage.folder], env: {} });
  const call = connection.callTool('x', { words: 'w'.repeat(5 * MB) }, callOptions());
  const more = connection.callTool('x', { words: 'w'.repeat(5 * MB) }, callOptions());
  const failed = Promise.allSettled([call, more]);
  await connection.close();
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
