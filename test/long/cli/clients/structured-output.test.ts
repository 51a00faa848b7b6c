/** CL-2, CL-5: --json-schema and --tools of the real program, in each output format. */

import { beforeAll, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { buildProgram, runProgram } from '../../../support/program.js';
import { expectAllAccepted, type Stage, setStage } from '../../../support/story.js';

beforeAll(buildProgram);

const SCHEMA = JSON.stringify({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] });
const RULES: readonly Rule[] = [
  { when: { user: 'Fail.' }, reply: 'I will not.' },
  { when: { user: 'You have not called' }, reply: 'No.' },
  { reply: ['Here it is.', { tool: 'StructuredOutput', input: { n: 1 } }] },
];
const run = (stage: Stage, prompt: string, ...more: string[]) =>
  runProgram(['-p', prompt, '--json-schema', SCHEMA, ...more], stage.at);
const linesOf = (output: string) =>
  output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('CL-5: --json-schema prints the value alone as text, and as structured_output otherwise', async () => {
  const stage = await setStage(RULES);
  expect(await run(stage, 'Go.')).toEqual({ code: 0, signal: null, stdout: '{"n":1}\n', stderr: '' });
  const json = await run(stage, 'Go.', '--output-format', 'json');
  const expected = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: '{"n":1}',
    structured_output: { n: 1 },
  };
  expect(JSON.parse(json.stdout)).toMatchObject(expected);
  const lines = linesOf((await run(stage, 'Go.', '--output-format', 'stream-json', '--verbose')).stdout);
  expect(lines.at(-1)).toMatchObject(expected);
  expect((lines[0] as { tools: string[] }).tools).toContain('StructuredOutput');
  expectAllAccepted(stage.sim);
});

it('CL-5: without a value the run fails: nothing on stdout as text, and an own subtype otherwise', async () => {
  const stage = await setStage(RULES);
  const line = 'Failed to provide valid structured output after 5 attempts: StructuredOutput was not called';
  expect(await run(stage, 'Fail.')).toEqual({ code: 1, signal: null, stdout: '', stderr: `error: ${line}\n` });
  const json = await run(stage, 'Fail.', '--output-format', 'json');
  expect(json.code).toBe(1);
  const result = JSON.parse(json.stdout) as Record<string, unknown>;
  expect(result).toMatchObject({ subtype: 'error_max_structured_output_retries', is_error: true });
  expect(json.stdout).toContain(line);
  expect(result).not.toHaveProperty('structured_output');
});

it('CL-5: with stream-json input every prompt has its own value', async () => {
  const stage = await setStage([
    { when: { user: 'Two.' }, reply: [{ tool: 'StructuredOutput', input: { n: 2 } }] },
    ...RULES,
  ]);
  const say = (text: string) => JSON.stringify({ type: 'user', message: { role: 'user', content: text } });
  const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--json-schema', SCHEMA];
  const end = await runProgram(args, { ...stage.at, input: `${say('One.')}\n${say('Two.')}\n` });
  const results = linesOf(end.stdout).filter(({ type }) => type === 'result');
  expect(results.map((result) => result.structured_output)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(end.code).toBe(0);
});

it.each([
  [['--json-schema', '{"type": "strin"}'], /--json-schema.*\/type must be/],
  [['--json-schema', 'no json'], /Expected a JSON schema/],
  [['--json-schema', '[]'], /Expected a JSON schema/],
  [['--json-schema', '{}', '--plain'], /--json-schema is for programs/],
  [['--tools', 'Raed'], /"Raed" \(nearest: .*Read/],
])('CL-5: a usage error: %j', async (args, message) => {
  const stage = await setStage();
  const interactive = args.includes('--plain') ? [] : ['-p', 'hi'];
  const end = await runProgram([...interactive, ...args], stage.at);
  expect(end).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  expect(stage.sim.requests).toEqual([]);
});

it('CL-5: --tools: a list, none, and all', async () => {
  const stage = await setStage([{ reply: 'Hi.' }]);
  const tools = async (...args: string[]) => {
    const end = await runProgram(['-p', 'hi', ...args], stage.at);
    expect(end).toMatchObject({ code: 0, stdout: 'Hi.\n' });
    return (stage.sim.requests.at(-1)?.body.tools ?? []).map(({ name }) => name);
  };
  expect(await tools('--tools', 'Edit,Read, Task')).toEqual(['Read', 'Edit', 'Agent']);
  expect(await tools('--tools', '')).toEqual([]);
  expect(await tools('--tools', 'default')).toEqual(await tools());
  expectAllAccepted(stage.sim);
});

it('CL-5: `mcp serve --tools` offers no others', async () => {
  const stage = await setStage();
  const request = (id: number, method: string, params: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const input = [
    request(1, 'initialize', hello),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    request(2, 'tools/list', {}),
    '',
  ].join('\n');
  const end = await runProgram(['mcp', 'serve', '--tools', 'Read,Grep'], { ...stage.at, input });
  const answer = linesOf(end.stdout).find(({ id }) => id === 2) as { result: { tools: { name: string }[] } };
  expect(answer.result.tools.map(({ name }) => name)).toEqual(['Read', 'Grep']);
});
