/** The flags that clients and scripts pass, on the real program. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { runningWith } from '../../../support/processes.js';
import { buildProgram, runProgram, startProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';

beforeAll(buildProgram);

const OK: Rule[] = [{ reply: 'ok' }];

type Line = Record<string, unknown> & { readonly type: string };
const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

describe('flags of clients', () => {
  it.each([
    [['--fork-session'], '--fork-session needs --continue or --resume'],
    [['--resume-session-at', 'x'], '--resume-session-at needs --continue or --resume'],
    [['--resume', 'x', '--no-session-persistence'], '--no-session-persistence'],
    [['--dangerously-skip-permissions', '--permission-mode', 'plan'], '--dangerously-skip-permissions'],
    [['--replay-user-messages'], '--replay-user-messages needs --input-format stream-json'],
    [['--continue', '--rewind-to', '1', '--resume-session-at', 'x'], '--rewind-to'],
  ])('CL-5: %j is a mistake that is named', async (flags, named) => {
    const stage = await setStage(OK);
    const { code, stderr } = await runProgram(['-p', 'hello', ...flags], stage.at);
    expect(code).toBe(2);
    expect(stderr).toContain(named);
    expect(stage.sim.requests).toEqual([]);
  });

  it('CL-5: --setting-sources= reads no instructions', async () => {
    const stage = await setStage(OK);
    await stage.write('CLAUDE.md', 'whistle while you work');
    expect((await runProgram(['-p', 'hello', '--setting-sources='], stage.at)).code).toBe(0);
    expect(stage.sim.requests[0]?.raw.toString('utf8')).not.toContain('whistle');
  });

  it('CL-5: --fork-session continues as a new session', async () => {
    const stage = await setStage(OK);
    const first = await runProgram(['-p', 'hello', '--output-format', 'json'], stage.at);
    const { session_id: id } = JSON.parse(first.stdout) as { session_id: string };
    const fork = await runProgram(
      ['-p', 'more', '--resume', id, '--fork-session', '--output-format', 'json'],
      stage.at,
    );
    expect(fork.code).toBe(0);
    expect((JSON.parse(fork.stdout) as { session_id: string }).session_id).not.toBe(id);
    expect(stage.sim.requests.at(-1)?.raw.toString('utf8')).toContain('hello');
  });

  it('CL-2: --no-session-persistence, killed: what it left goes with the next session, and so do its processes', async () => {
    const stage = await setStage([
      { when: { result: { tool: 'Bash' } }, reply: 'never' },
      { when: { user: 'wait' }, reply: [{ tool: 'Bash', input: { command: 'touch begun; exec sleep 60017' } }] },
      { reply: 'ok' },
    ]);
    const mode = ['--permission-mode', 'bypassPermissions'];
    const killed = startProgram(['-p', 'wait', '--no-session-persistence', ...mode], stage.at);
    await until(async () => (await readdir(stage.folder)).includes('begun'), 'the command runs');
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(runningWith('sleep 60017')).toHaveLength(1);
    const unkept = join(stage.home, '.coppice', 'unkept');
    expect((await filesIn(unkept)).some((file) => file.endsWith('.jsonl'))).toBe(true);
    const listed = await runProgram(['sessions', '--all'], stage.at);
    expect(listed.stdout).toContain('No sessions');
    expect((await runProgram(['-p', 'hello', '--no-session-persistence'], stage.at)).code).toBe(0);
    expect(await filesIn(unkept)).toEqual([]);
    expect(runningWith('sleep 60017')).toEqual([]);
    expect(await filesIn(join(stage.home, '.coppice', 'projects'))).toEqual([]);
  });

  it('CL-5: --debug-file gets what happens, without message texts and without keys', async () => {
    const stage = await setStage(OK);
    const file = join(stage.folder, 'debug.log');
    const env = { ...stage.env, ANTHROPIC_API_KEY: 'sk-very-secret-key' };
    const { code } = await runProgram(['-p', 'a private word', '--debug-file', file], { ...stage.at, env });
    expect(code).toBe(0);
    const text = await readFile(file, 'utf8');
    for (const kind of ['session-started', 'request-sent', 'assistant-replied', 'run-ended'])
      expect(text).toContain(kind);
    expect(text).toMatch(/^\d{4}-\d\d-\d\dT\S+ main( #\d+)? request-sent .*bytes=\d+/m);
    expect(text).not.toContain('private');
    expect(text).not.toContain('sk-very-secret-key');
  });

  it('CL-5: a debug file that can not be written is a mistake', async () => {
    const stage = await setStage(OK);
    const { code, stderr } = await runProgram(['-p', 'hello', '--debug-file', 'no/such/debug.log'], stage.at);
    expect(code).toBe(2);
    expect(stderr).toContain('--debug-file no/such/debug.log');
    expect(stage.sim.requests).toEqual([]);
  });

  it('CL-5: a name is shown by coppice sessions', async () => {
    const stage = await setStage(OK);
    const input = ['hello', '/rename the big move', '/rename', '/exit', ''].join('\n');
    const plain = await runProgram(['--plain'], { ...stage.at, input });
    expect(plain.stdout).toContain('name: the big move');
    expect((await runProgram(['sessions'], stage.at)).stdout).toContain('[the big move] hello');
  });
});

describe('lines of clients', () => {
  const ARGS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];
  const UUID = '0d6c5c1e-8f5a-4b53-9d54-5a1f6b0f7c11';
  const user = (content: string, more: object = {}) =>
    JSON.stringify({ type: 'user', message: { role: 'user', content }, ...more });
  const request = (request_id: string, fields: object) =>
    JSON.stringify({ type: 'control_request', request_id, request: fields });
  const answerTo = (lines: readonly Line[], id: string) =>
    lines.map((line) => line.response as Line | undefined).find((response) => response?.request_id === id);

  it('CL-2: a prompt keeps its id: it is printed again when asked for, and shown once', async () => {
    const stage = await setStage(OK);
    const input = `${user('hello', { uuid: UUID })}\n${user('hello', { uuid: UUID })}\n`;
    const { code, stdout } = await runProgram([...ARGS, '--replay-user-messages'], { ...stage.at, input });
    expect(code).toBe(0);
    expect(stage.sim.requests).toHaveLength(1);
    const [replay] = linesOf(stdout).filter(({ type }) => type === 'user');
    expect(replay).toMatchObject({ uuid: UUID, isReplay: true, message: { role: 'user', content: 'hello' } });
    expect(replay?.timestamp).toMatch(/^\d{4}-/);
    expect(replay?.session_id).toBeTruthy();
  });

  it('CL-8: an id that is none is an error line, and the session lives', async () => {
    const stage = await setStage(OK);
    const input = `${user('hello', { uuid: 'opening' })}\n${user('again')}\n`;
    const { stdout } = await runProgram(ARGS, { ...stage.at, input });
    const lines = linesOf(stdout);
    expect(lines.filter(({ is_error, type }) => is_error === true && type === 'system')).toEqual([
      expect.objectContaining({ subtype: 'informational', content: expect.stringContaining('input line 1') }),
    ]);
    expect(JSON.stringify(lines)).toContain('uuid');
    expect(lines.filter(({ type }) => type === 'result')).toHaveLength(1);
  });

  it('CL-3: to bypassPermissions only if it was started so that it may', async () => {
    const stage = await setStage(OK);
    const input = `${request('r1', { subtype: 'set_permission_mode', mode: 'bypassPermissions' })}\n`;
    const refused = linesOf((await runProgram(ARGS, { ...stage.at, input })).stdout);
    expect(answerTo(refused, 'r1')).toMatchObject({ subtype: 'error' });
    const allowed = [...ARGS, '--allow-dangerously-skip-permissions'];
    const first = linesOf((await runProgram(allowed, { ...stage.at, input: `${user('hello')}\n${input}` })).stdout);
    expect(first.find(({ subtype }) => subtype === 'init')).toMatchObject({ permissionMode: 'default' });
    const done = linesOf((await runProgram(allowed, { ...stage.at, input: `${input}${user('hello')}\n` })).stdout);
    expect(answerTo(done, 'r1')).toMatchObject({ subtype: 'success', response: { mode: 'bypassPermissions' } });
    expect(done.find(({ subtype }) => subtype === 'init')).toMatchObject({ permissionMode: 'bypassPermissions' });
    await stage.settings({ permissions: { disableBypassPermissionsMode: 'disable' } });
    const off = linesOf((await runProgram(allowed, { ...stage.at, input })).stdout);
    expect(answerTo(off, 'r1')).toMatchObject({ subtype: 'error', error: expect.stringContaining('turned off') });
  });
});
