/** SF-1, SF-3, SF-4, SF-5: the real program without a screen. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram, ROOT, runProgram } from '../../support/program.js';
import { expectAllAccepted, setStage } from '../../support/story.js';

beforeAll(buildProgram);

const lines = (output: string) =>
  output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('SF-1: -p answers on stdout alone and exits with 0; a prompt as argument, from a pipe, or both', async () => {
  const stage = await setStage([
    { reply: ({ user }) => `heard: ${user.split('\n').filter(Boolean).slice(-2).join(' + ')}` },
  ]);
  const at = stage.at;
  expect(await runProgram(['-p', 'from the argument'], at)).toEqual({
    code: 0,
    signal: null,
    stdout: expect.stringMatching(/heard: .* from the argument\n$/),
    stderr: '',
  });
  expect((await runProgram(['-p'], { ...at, input: 'from the pipe\n' })).stdout).toMatch(/from the pipe\n$/);
  expect((await runProgram([], { ...at, input: 'no flag at all' })).stdout).toMatch(/no flag at all\n$/);
  expect((await runProgram(['-p', 'and this'], { ...at, input: 'first that' })).stdout).toBe(
    'heard: first that + and this\n',
  );
  expectAllAccepted(stage.sim);
});

it('SF-1: flags reach the session', async () => {
  const stage = await setStage([
    {
      when: { nth: 1 },
      reply: [
        { tool: 'Bash', input: { command: 'mkdir made' } },
        { tool: 'Read', input: { file_path: '/etc/hostname' } },
      ],
    },
    { reply: 'done' },
  ]);
  const args = ['-p', 'go', '--model', 'haiku', '--append-system-prompt', 'Be brave.', '--session-id', 'my-session'];
  const end = await runProgram(
    [...args, '--allowedTools', 'Bash(mkdir:*)', '--disallowedTools', 'Read(//etc/**)', '--output-format', 'json'],
    stage.at,
  );
  expect(end.code).toBe(0);
  expect(await readdir(stage.folder)).toEqual(['made']);
  const result = JSON.parse(end.stdout) as { session_id: string; permission_denials: { tool_name: string }[] };
  expect(result.session_id).toBe('my-session');
  expect(result.permission_denials.map(({ tool_name }) => tool_name)).toEqual(['Read']);
  expect(stage.sim.requests[0]?.body.model).toBe('claude-haiku-5-5');
  expect(JSON.stringify(stage.sim.requests[0]?.body.system)).toContain('Be brave.');

  const turns = await runProgram(['-p', 'go', '--max-turns', '1'], stage.at);
  expect(turns).toMatchObject({ code: 1, stderr: expect.stringContaining('stopped after 1 turns') });
});

it.each([
  ['--modle sonnet', /unknown option '--modle'[\s\S]*Did you mean --model\?/],
  ['--output-format xml', /argument 'xml' is invalid/],
  ['--permission-mode yolo', /argument 'yolo' is invalid/],
  ['--max-turns none', /whole number/],
  ['--max-usd -1', /number above 0/],
  ['--setting-sources user,mars', /"mars" is not one of user, project, local/],
  ['--session-id ../up', /use letters, digits/],
  ['--add-dir /no/such/folder', /\/no\/such\/folder.*no such folder/],
  ['one two three', /too many arguments/],
])('SF-1: a usage error (%s) is exit 2 with what was wrong', async (args, message) => {
  const stage = await setStage();
  const end = await runProgram(['-p', 'hi', ...args.split(' ')], stage.at);
  expect(end).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  expect(end.stderr).not.toMatch(/^\s+at /m);
  expect(stage.sim.requests).toEqual([]);
});

it.each(['--permission-prompt-tool x', '--managed-settings {}', '--project-config-root .', '--resume-drops-turn x'])(
  'SF-1, CL-1: a known flag that is not built yet (%s) is refused, never ignored',
  async (flag) => {
    const stage = await setStage([{ reply: 'ran all the same' }]);
    const end = await runProgram(['-p', 'hi', ...flag.split(' ')], stage.at);
    // Whichever issue builds it takes it out of this list.
    expect(end).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('not yet') });
    expect(end.stderr).toContain(flag.split(' ')[0]);
    expect(stage.sim.requests).toEqual([]);
  },
);

it('SF-2: --help of the program and of each subcommand has an example', async () => {
  const stage = await setStage();
  const at = stage.at;
  for (const args of [['--help'], ['sim', '--help'], ['demo', '--help'], ['doctor', '--help'], ['config', '--help']]) {
    const end = await runProgram(args, at);
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(end.stdout).toMatch(/Examples?:\n\s+(coppice|git)/);
  }
});

it('SF-3: no key: one screen that shows how to set one, and that the demo runs without', async () => {
  const stage = await setStage();
  const env = { ...stage.env, ANTHROPIC_API_KEY: undefined };
  const end = await runProgram(['-p', 'hi'], { cwd: stage.folder, env });
  expect(end.code).toBe(1);
  expect(end.stderr).toContain('export ANTHROPIC_API_KEY');
  expect(end.stderr).toContain('coppice demo');
  expect(end.stderr.split('\n').length).toBeLessThan(24);
  expect(end.stdout).toBe('');
});

it("SF-3: a wrong key: the API's message, what to check, exit 1, no retries", async () => {
  const stage = await setStage([{ reply: 'never' }], { key: 'the-right-one' });
  const end = await runProgram(['-p', 'hi'], stage.at);
  expect(end).toMatchObject({ code: 1, stdout: '' });
  expect(end.stderr).toMatch(/authentication failed: invalid x-api-key\. Check ANTHROPIC_API_KEY/);
  expect(stage.sim.requests).toHaveLength(1);
  // Said once, not twice.
  expect(end.stderr.match(/authentication failed/g)).toHaveLength(1);
});

it('SF-4: nothing is loaded before it is needed: no proxy, PDF or page library for a plain prompt, nothing at all for --version', async () => {
  const stage = await setStage([{ reply: 'quick' }]);
  const coverage = join(stage.home, 'coverage');
  const at = { cwd: stage.folder, env: { ...stage.env, NODE_V8_COVERAGE: coverage } };
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(await runProgram(['--version'], at)).toMatchObject({ code: 0, stdout: `${version} (coppice)\n`, stderr: '' });
  expect(await loadedFiles(coverage)).toEqual(['cli.js']);
  await mkdir(join(stage.home, 'second'));
  at.env.NODE_V8_COVERAGE = join(stage.home, 'second');
  expect((await runProgram(['-p', 'hi'], at)).code).toBe(0);
  const loaded = await loadedFiles(join(stage.home, 'second'));
  // Of the program's packs only the first, which has all that a session needs before its first request.
  expect(loaded).toEqual(['cli.js', expect.stringMatching(/^program-.*\.cjs$/)]);
});

it('SF-4, CL-2: a program at the other end, its first request and its first prompt load one pack more, and not the rest', async () => {
  const stage = await setStage([{ reply: 'quick' }]);
  const coverage = join(stage.home, 'coverage');
  const at = { cwd: stage.folder, env: { ...stage.env, NODE_V8_COVERAGE: coverage } };
  const initialize = { type: 'control_request', request_id: '1', request: { subtype: 'initialize' } };
  const user = { type: 'user', message: { role: 'user', content: 'hi' } };
  const input = [initialize, user].map((line) => `${JSON.stringify(line)}\n`).join('');
  const flags = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  expect((await runProgram(['-p', ...flags], { ...at, input })).code).toBe(0);
  expect([...(await loadedFiles(coverage))].sort()).toEqual([
    'cli.js',
    expect.stringMatching(/^control-.*\.cjs$/),
    expect.stringMatching(/^program-.*\.cjs$/),
  ]);
});

it('SF-5: --output-format json: one object with everything a program needs', async () => {
  const stage = await setStage([
    { when: { nth: 1 }, reply: ['I try.', { tool: 'Bash', input: { command: 'touch x' } }] },
    { reply: 'It was not allowed.' },
  ]);
  const end = await runProgram(['-p', 'hi', '--output-format', 'json'], stage.at);
  expect(end.code).toBe(0);
  const [result, ...more] = lines(end.stdout);
  expect(more).toEqual([]);
  expect(result).toMatchObject({
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 2,
    result: 'It was not allowed.',
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    duration_ms: expect.any(Number),
    total_cost_usd: expect.any(Number),
    permission_denials: [{ tool_name: 'Bash', tool_use_id: expect.any(String), tool_input: { command: 'touch x' } }],
  });
  const counted = stage.sim.requests.map(({ usage }) => usage);
  const sum = (name: 'input_tokens' | 'output_tokens' | 'cache_read_input_tokens') =>
    counted.reduce((total, usage) => total + (usage?.[name] ?? 0), 0);
  expect(result?.usage).toMatchObject({
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    cache_read_input_tokens: sum('cache_read_input_tokens'),
  });
  expect(result?.modelUsage).toMatchObject({
    'claude-opus-5-5': { outputTokens: sum('output_tokens'), costUSD: result?.total_cost_usd },
  });
  expect(result?.total_cost_usd).toBeGreaterThan(0);
});

it('SF-5: a failed run is an object too, with the error in it and exit 1', async () => {
  const stage = await setStage([{ fault: 'no_model' }]);
  const end = await runProgram(['-p', 'hi', '--output-format', 'json'], stage.at);
  expect(end.code).toBe(1);
  expect(lines(end.stdout)).toMatchObject([
    { type: 'result', is_error: true, subtype: 'error_during_execution', result: expect.stringContaining('--model') },
  ]);
});

it('SF-5: stream-json: init, each message, the result; one object a line', async () => {
  const stage = await setStage([
    { when: { nth: 1 }, reply: [{ thinking: 'hm' }, 'I look.', { tool: 'Glob', input: { pattern: '*' } }] },
    { reply: 'Nothing there.' },
  ]);
  const end = await runProgram(['-p', 'hi', '--output-format', 'stream-json', '--verbose'], stage.at);
  const all = lines(end.stdout);
  expect(all.map(({ type, subtype }) => (subtype ? `${type}/${subtype}` : type))).toEqual([
    'system/init',
    'assistant',
    'assistant',
    'assistant',
    'user',
    'assistant',
    'result/success',
  ]);
  const [init, ...rest] = all;
  const [result, last, results] = rest.toReversed();
  expect(init).toMatchObject({
    cwd: stage.folder,
    model: 'claude-opus-5-5',
    permissionMode: 'default',
    tools: expect.arrayContaining(['Bash', 'Read']),
  });
  expect(rest.slice(0, 3)).toMatchObject(
    [{ type: 'thinking' }, { type: 'text', text: 'I look.' }, { type: 'tool_use', name: 'Glob' }].map((block) => ({
      message: { role: 'assistant', content: [block], stop_reason: null },
      parent_tool_use_id: null,
    })),
  );
  expect(results).toMatchObject({ message: { role: 'user', content: [{ type: 'tool_result' }] } });
  expect(last).toMatchObject({
    message: { content: [{ type: 'text', text: 'Nothing there.' }], stop_reason: null },
  });
  expect(new Set(all.map(({ session_id }) => session_id))).toEqual(new Set([result?.session_id]));
});

it('SF-5: --include-partial-messages adds the pieces as they come, and they add up', async () => {
  const words =
    'a sentence that is long enough to be sent in more than one piece, because pieces have at most eighty characters each. '.repeat(
      2,
    );
  const stage = await setStage([{ reply: [{ thinking: 'hm' }, words] }]);
  const end = await runProgram(['-p', 'hi', '--output-format', 'stream-json', '--include-partial-messages'], stage.at);
  const deltas = lines(end.stdout)
    .filter(({ type }) => type === 'stream_event')
    .map(({ event }) => event as { type: string; delta?: { type: string; text?: string } });
  expect(deltas.filter(({ delta }) => delta?.type === 'text_delta').length).toBeGreaterThan(2);
  expect(deltas.map(({ delta }) => delta?.text ?? '').join('')).toBe(words);
});

it('SF-5: a fault on the way is a line on stderr, and its own line in stream-json', async () => {
  const stage = await setStage([{ fault: { kind: 'overloaded', retryAfter: 0, times: 2 }, reply: 'at last' }]);
  const at = stage.at;
  expect(await runProgram(['-p', 'hi'], at)).toMatchObject({
    code: 0,
    stdout: 'at last\n',
    stderr: expect.stringMatching(/Overloaded · retrying.*\n.*\(attempt 2\)\n$/),
  });
  stage.sim.use([{ fault: { kind: 'overloaded', retryAfter: 0, times: 1 }, reply: 'at last' }]);
  const streamed = await runProgram(['-p', 'hi', '--output-format', 'stream-json'], at);
  expect(lines(streamed.stdout).find(({ subtype }) => subtype === 'api_retry')).toMatchObject({
    line: expect.stringContaining('Overloaded'),
  });
});

it('SF-8: --max-usd with a model without a price is a usage error, with the setting to add', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const at = stage.at;
  const refused = await runProgram(['-p', 'hi', '--model', 'mine', '--max-usd', '1'], at);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('{"models": {"mine": {"prices"') });
  const settings = join(stage.home, 'prices.json');
  await writeFile(settings, '{"models": {"mine": {"prices": {"input": 3, "output": 15}}}}');
  expect(await runProgram(['-p', 'hi', '--model', 'mine', '--max-usd', '1', '--settings', settings], at)).toMatchObject(
    { code: 0 },
  );
});

it('LC-17: --max-tokens reached: exit 1, the reply so far on stdout, why on stderr', async () => {
  const stage = await setStage([{ reply: ['still looking', { tool: 'Glob', input: { pattern: '*' } }] }]);
  const end = await runProgram(['-p', 'hi', '--max-tokens', '40000'], stage.at);
  expect(end).toMatchObject({ code: 1, stdout: 'still looking\n', stderr: expect.stringContaining('--max-tokens') });
});

/** The files of ours that a process loaded, as V8 counted them. */
async function loadedFiles(coverage: string): Promise<string[]> {
  const names = await readdir(coverage);
  const reports = await Promise.all(names.map((name) => readFile(join(coverage, name), 'utf8')));
  return reports
    .flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result.map(({ url }) => url))
    .filter((url) => /^(file:|\/)/.test(url))
    .map((url) => (url.includes('node_modules') ? url : (url.split('/').at(-1) ?? url)));
}
