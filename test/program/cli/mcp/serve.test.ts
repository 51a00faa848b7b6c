/** MC-9: Coppice as a server. Each call passes our gate, and what would ask is denied. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT, runProgram } from '../../../support/program.js';
import { transcriptsIn } from '../../../support/session-files.js';
import { expectAllAccepted, readTranscript, type Stage } from '../../../support/story.js';
import { until, untilFound } from '../../../support/until.js';
import { isRunning } from '../../../unit/gate/hooks/open-hooks.js';
import { readResult, serve, setServeStage } from './serve-stage.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Confined, a command's processes have numbers of their own, and end with the program. */
const UNCONFINED = ['--settings', '{"confineReads":"off"}'];

describe('tools', () => {
  it('MC-9: lists ours with their schemas and honest hints; nothing goes to the background, nothing is forked', async () => {
    const { client } = await serve(await setServeStage());
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'Agent']));
    const of = (name: string) => tools.find((tool) => tool.name === name);
    expect(of('Read')).toMatchObject({
      inputSchema: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    expect(of('Bash')?.annotations).toEqual({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
    expect(of('Agent')?.annotations?.readOnlyHint).toBe(false);
    for (const name of ['Agent', 'Bash'])
      expect(of(name)?.inputSchema.properties).not.toHaveProperty('run_in_background');
    expect(of('Agent')?.inputSchema.properties).not.toHaveProperty('fork');
    await client.ping();
  });

  it('MC-9: listing writes nothing; a session that only served is not what --continue means', async () => {
    const stage = await setServeStage([{ reply: 'Here.' }]);
    const first = await runProgram(['-p', 'hello', '--output-format', 'json'], stage.at);
    const { session_id } = JSON.parse(first.stdout);
    const { client, call } = await serve(stage);
    await client.listTools();
    expect(await transcriptsIn(stage.env.COPPICE_HOME)).toHaveLength(1);
    await call('Bash', { command: 'echo hi' });
    await client.close();
    expect(await transcriptsIn(stage.env.COPPICE_HOME)).toHaveLength(2);
    const next = await runProgram(['-p', 'again', '--continue', '--output-format', 'json'], stage.at);
    expect(JSON.parse(next.stdout)).toMatchObject({ session_id });
  });
});

describe('calls', () => {
  it('MC-9: reads, and runs what reads; what would ask is denied with what would allow it', async () => {
    const stage = await setServeStage();
    const path = await stage.write('a.txt', 'alpha\n');
    const { call } = await serve(stage);
    expect(await call('Read', { file_path: path })).toMatchObject({
      isError: false,
      text: expect.stringContaining('alpha'),
    });
    expect(await call('Bash', { command: 'cat a.txt' })).toMatchObject({ isError: false, text: 'alpha' });
    const touch = await call('Bash', { command: 'touch made' });
    expect(touch.isError).toBe(true);
    expect(touch.text).toContain(
      'It can be allowed with the rule Bash(touch made) (--allowedTools, or permissions.allow',
    );
    const write = await call('Write', { file_path: join(stage.folder, 'b.txt'), content: 'b' });
    expect(write.isError).toBe(true);
    expect(write.text).toMatch(/the rule Edit\(.*b\.txt\).* or --permission-mode acceptEdits\./);
    expect(existsSync(join(stage.folder, 'made')) || existsSync(join(stage.folder, 'b.txt'))).toBe(false);
  });

  it('MC-9: flags, deny rules and hooks of the user apply', async () => {
    const stage = await setServeStage();
    const guard = { type: 'command', command: 'grep -q forbidden && { echo "not that" >&2; exit 2; } || exit 0' };
    await stage.settings({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [guard] }] } });
    const flags = ['--allowedTools', 'Bash(touch:*)', '--disallowedTools', 'Read(secret.txt)'];
    const { call } = await serve(stage, [...flags, '--permission-mode', 'acceptEdits']);
    expect(await call('Bash', { command: 'touch made' })).toMatchObject({ isError: false });
    expect(existsSync(join(stage.folder, 'made'))).toBe(true);
    const write = await call('Write', { file_path: join(stage.folder, 'b.txt'), content: 'b\n' });
    expect(write.isError).toBe(false);
    expect(await stage.read('b.txt')).toBe('b\n');
    const edit = { file_path: join(stage.folder, 'b.txt'), old_string: 'b', new_string: 'c' };
    expect(await call('Edit', edit)).toMatchObject({ isError: false });
    expect(await stage.read('b.txt')).toBe('c\n');
    const secret = await stage.write('secret.txt', 'x');
    expect(await call('Read', { file_path: secret })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/denied/i),
    });
    expect(await call('Bash', { command: 'echo forbidden' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('not that'),
    });
  });

  it('MC-9: bad input and unknown tools are errors, images are passed on', async () => {
    const stage = await setServeStage();
    const { client, call } = await serve(stage);
    expect(await call('Read', {})).toMatchObject({
      isError: true,
      text: expect.stringContaining('"file_path" is missing'),
    });
    await expect(client.callTool({ name: 'Nope', arguments: {} })).rejects.toThrow('There is no tool "Nope"');
    const path = await stage.write('a.png', Buffer.from(PIXEL, 'base64'));
    const { content } = await client.callTool({ name: 'Read', arguments: { file_path: path } });
    expect(content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }));
  });

  it('MC-9: calls run at once; one waits for nobody but its own kind', async () => {
    const stage = await setServeStage();
    const path = await stage.write('a.txt', 'alpha\n');
    const { call } = await serve(stage, ['--allowedTools', 'Bash']);
    // The first ends only when the test lets it; reading continues meanwhile.
    const slow = call('Bash', { command: 'touch began; while [ ! -e go ]; do sleep 0.02; done; echo first' });
    await until(() => existsSync(join(stage.folder, 'began')), 'the command began');
    const second = call('Bash', { command: 'touch second; echo second' });
    const reads = await Promise.all([call('Read', { file_path: path }), call('Read', { file_path: path })]);
    expect(reads.every(({ text }) => text.includes('alpha'))).toBe(true);
    expect(existsSync(join(stage.folder, 'second'))).toBe(false);
    await stage.write('go', '');
    expect((await Promise.all([slow, second])).map(({ text }) => text)).toEqual(['first', 'second']);
  });

  it('MC-9: works without a key; only agents do not', async () => {
    const stage = await setServeStage();
    const { call } = await serve(stage, [], { ANTHROPIC_API_KEY: undefined });
    expect(await call('Bash', { command: 'echo hi' })).toMatchObject({ isError: false, text: 'hi' });
    expect(await call('Agent', { prompt: 'go' })).toMatchObject({
      isError: true,
      text: expect.stringContaining("no API key is set, so agents can't run here"),
    });
  });
});

describe('agents', () => {
  it('MC-9: Agent runs a child, reports what it does, and gives its result; the main agent asks no model', async () => {
    const stage = await setServeStage([
      { when: { result: { tool: 'Read' } }, reply: 'It says {{result}}' },
      { when: { user: 'look' }, reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
    ]);
    await stage.write('a.txt', 'alpha\n');
    const { client } = await serve(stage);
    const told: { progress: number; message?: string | undefined }[] = [];
    const result = await client.callTool(
      { name: 'Agent', arguments: { description: 'look at it', prompt: 'look' } },
      { onprogress: (one) => void told.push(one) },
    );
    expect(readResult(result)).toMatchObject({ isError: false, text: expect.stringContaining('alpha') });
    expect(told.map(({ message }) => message)).toEqual(['general-purpose: look at it', 'Read {"file_path":"a.txt"}']);
    expect(told.map(({ progress }) => progress)).toEqual([1, 2]);
    expectAllAccepted(stage.sim);
    expect(stage.sim.requests).toHaveLength(2);
  });

  it('MC-9: what a child would ask is denied too; its messages to its parent wake no model', async () => {
    const stage = await setServeStage([
      { when: { result: { tool: 'SendMessage' } }, reply: 'Told.' },
      {
        when: { result: { tool: 'Bash', error: true } },
        reply: [{ tool: 'SendMessage', input: { to: 'parent', message: 'no' } }],
      },
      { when: { user: 'make it' }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    ]);
    const { call } = await serve(stage);
    expect(await call('Agent', { prompt: 'make it' })).toMatchObject({
      isError: false,
      text: expect.stringContaining('Told.'),
    });
    expect(existsSync(join(stage.folder, 'made'))).toBe(false);
    await call('ListAgents');
    expect(stage.sim.requests).toHaveLength(3);
    expectAllAccepted(stage.sim);
  });

  it('MC-9: a client that cancels ends the call, its child and its processes; the server continues', async () => {
    const stage = await setServeStage([
      { when: { user: 'wait' }, reply: [{ tool: 'Bash', input: { command: 'echo $$ > pid; sleep 600' } }] },
    ]);
    const { client, call } = await serve(stage, ['--allowedTools', 'Bash', ...UNCONFINED]);
    const cancel = new AbortController();
    const running = client.callTool({ name: 'Agent', arguments: { prompt: 'wait' } }, { signal: cancel.signal });
    const pid = await pidIn(stage);
    cancel.abort();
    await expect(running).rejects.toThrow();
    await until(() => !isRunning(pid), 'its process ended');
    await until(
      async () => /general-purpose, (?:interrupted|stopped)/.test((await call('ListAgents')).text),
      'the child is told as interrupted',
    );
  });
});

describe('the end', () => {
  it.each(['stdin', 'SIGTERM'] as const)('MC-9: %s ends the session, its children and their processes', async (how) => {
    const stage = await setServeStage([
      { when: { user: 'wait' }, reply: [{ tool: 'Bash', input: { command: 'echo $$ > pid; sleep 600' } }] },
    ]);
    const hook = { type: 'command', command: `touch '${stage.folder}/left'` };
    await stage.settings({ hooks: { SessionEnd: [{ hooks: [hook] }] } });
    const args = [`${ROOT}/dist/cli.js`, 'mcp', 'serve', '--allowedTools', 'Bash', ...UNCONFINED];
    const child = spawn(process.execPath, args, { cwd: stage.folder, env: stage.env as NodeJS.ProcessEnv });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    send({ id: 1, method: 'initialize', params });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'Agent', arguments: { prompt: 'wait' } } });
    const pid = await pidIn(stage);
    if (how === 'stdin') child.stdin.end();
    else child.kill('SIGTERM');
    expect(await ended).toBe(how === 'stdin' ? 0 : 143);
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(join(stage.folder, 'left'))).toBe(true);
    // Nothing but JSON-RPC was on stdout.
    for (const line of stdout.split('\n').filter(Boolean)) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  it('MC-9: killed in the middle of calls, it leaves a transcript that loads and continues', async () => {
    const stage = await setServeStage([
      { when: { user: 'and now' }, reply: 'Here.' },
      { when: { user: 'wait' }, reply: [{ tool: 'Bash', input: { command: 'touch deep; sleep 600' } }] },
    ]);
    const { client, pid, call } = await serve(stage, ['--allowedTools', 'Bash', ...UNCONFINED]);
    await call('Bash', { command: 'echo kept' });
    void client.callTool({ name: 'Agent', arguments: { prompt: 'wait' } }).catch(() => {});
    void client.callTool({ name: 'Bash', arguments: { command: 'touch began; sleep 600' } }).catch(() => {});
    await until(() => ['began', 'deep'].every((name) => existsSync(join(stage.folder, name))), 'both began');
    process.kill(pid, 'SIGKILL');
    await until(() => !isRunning(pid), 'it is gone');
    const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
    const records = await readTranscript(transcript);
    expect(records.flatMap(({ event }) => (event.kind === 'call-finished' ? [event.aside] : []))).toEqual([true]);
    expect(records.filter(({ event }) => event.kind === 'call-intended')).toHaveLength(3);
    const id = /([^/]+)\.jsonl$/.exec(transcript)?.[1] ?? '';
    const next = await runProgram(['-p', 'and now', '--resume', id], stage.at);
    expect(next.stderr).toMatch(/call mcp-\S+ was still running after its session was killed; it was ended/);
    expect(next).toMatchObject({ code: 0, stdout: 'Here.\n' });
    expectAllAccepted(stage.sim);
    const body = JSON.stringify(stage.sim.requests.at(-1)?.body);
    expect(body).not.toContain('tool_result');
  });
});

/** Of a command that has written it down. */
async function pidIn({ read }: Stage): Promise<number> {
  return untilFound(async () => Number(await read('pid').catch(() => '')) || undefined, 'the command began');
}
