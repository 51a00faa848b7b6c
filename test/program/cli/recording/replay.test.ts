/** SF-12: the real program records a session and replays it: exit codes, what it says, no key, no network. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { agentCall } from '../../../support/agent-call.js';
import { buildProgram, runProgram } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';

beforeAll(buildProgram);

/** No key, an address nothing answers at, and a helper that must not run. */
function elsewhere(stage: Stage): Stage['at'] {
  const { ANTHROPIC_API_KEY: _, ...env } = stage.env;
  return { cwd: stage.folder, env: { ...env, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' } };
}

async function setElsewhere(): Promise<{ readonly stage: Stage; readonly at: Stage['at'] }> {
  const stage = await setStage();
  await stage.settings({ apiKeyHelper: `touch ${join(stage.home, 'helper-ran')}; echo key` });
  return { stage, at: elsewhere(stage) };
}

async function recordHello(args: readonly string[] = []): Promise<string> {
  const stage = await setStage([
    { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'pwd' } }] },
    { reply: ({ results }) => `You are in ${results[0]?.text}` },
  ]);
  const file = join(stage.home, 'run.jsonl');
  const end = await runProgram(['-p', 'Where?', '--record', file, ...args], stage.at);
  expect(end, stage.sim.report()).toMatchObject({ code: 0, stderr: '', stdout: `You are in ${stage.folder}\n` });
  expect(await readFile(file, 'utf8')).not.toContain(stage.home);
  return file;
}

it('SF-12: -p --record, then --replay elsewhere without key, network or helper', async () => {
  const file = await recordHello();
  const { stage, at } = await setElsewhere();
  expect(await runProgram(['-p', 'Where?', '--replay', file], at)).toEqual({
    code: 0,
    signal: null,
    stdout: `You are in ${stage.folder}\n`,
    stderr: '',
  });
  expect(await readdir(stage.home)).not.toContain('helper-ran');
});

it('SF-12: a request that differs: the difference once on stderr, exit 1, also as json and stream-json', async () => {
  const file = await recordHello();
  const { at } = await setElsewhere();
  const end = await runProgram(['-p', 'Where now?', '--replay', file], at);
  expect(end).toMatchObject({ code: 1, stdout: '' });
  expect(end.stderr.split('\n')).toEqual([
    expect.stringMatching(/^error: Request 1 of 2 \(the main agent\) differs from the recording at messages\[0\]/),
    '  - Where?',
    '  + Where now?',
    `If the change is meant, delete ${file} and record it again (--record).`,
    '',
  ]);
  const json = await runProgram(['-p', 'Where now?', '--replay', file, '--output-format', 'json'], at);
  expect(JSON.parse(json.stdout)).toMatchObject({
    is_error: true,
    replay_error: expect.stringContaining('+ Where now?'),
  });
  expect([json.code, json.stderr.match(/differs from the recording/g)]).toEqual([1, ['differs from the recording']]);
  const line = JSON.stringify({ type: 'user', message: { role: 'user', content: 'Where now?' } });
  const flags = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--replay', file];
  const stream = await runProgram(['-p', ...flags], { ...at, input: `${line}\n` });
  expect(stream).toMatchObject({ code: 1, stderr: expect.stringMatching(/differs from the recording/) });
});

it('SF-12: a difference in a background child fails the run though the main agent ended well', async () => {
  const stage = await setStage([
    { when: { said: 'CHILD', nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'cat note.txt' } }] },
    { when: { said: 'CHILD' }, reply: 'Read it.' },
    { when: { nth: 1 }, reply: [agentCall('CHILD', { run_in_background: true, description: 'part', name: 'kim' })] },
    { reply: 'Done.' },
  ]);
  await stage.write('note.txt', 'one\n');
  const file = join(stage.home, 'run.jsonl');
  const allow = ['--allowedTools', 'Bash(cat:*)'];
  expect(await runProgram(['-p', 'Go.', '--record', file, ...allow], stage.at)).toMatchObject({ code: 0 });
  const other = await setElsewhere();
  await other.stage.write('note.txt', 'two\n');
  const end = await runProgram(['-p', 'Go.', '--replay', file, ...allow], other.at);
  expect(end.code).toBe(1);
  expect(end.stderr).toMatch(
    /\(child "kim"\) differs from the recording at messages\[2\] \(user\): tool_result of Bash/,
  );
  expect(end.stderr.match(/differs from the recording/g)).toHaveLength(1);
});

it('SF-12: recorded requests that did not come: exit 1, and the first of them', async () => {
  const file = await recordHello();
  const { at } = await setElsewhere();
  const end = await runProgram(['-p', 'Where?', '--replay', file, '--max-turns', '1'], at);
  expect(end.code).toBe(1);
  expect(end.stderr).toMatch(/error: 1 of 2 recorded requests was not made; the first of them: request 2 of 2/);
});

it('SF-12: wrong usage is exit 2 and says what to do', async () => {
  const file = await recordHello();
  const { stage, at } = await setElsewhere();
  const wrong = async (args: readonly string[], reason: RegExp) =>
    expect(await runProgram(['-p', 'x', ...args], at)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(reason),
    });
  await wrong(['--record', file], /run\.jsonl exists: delete it to record again/);
  await wrong(['--record', 'a', '--replay', 'b'], /give --record or --replay, not both/);
  await wrong(['--replay', 'none.jsonl'], /none\.jsonl can't be read: there is no such file; record it first/);
  await wrong(['--record', ''], /error: record needs the name of a file/);
  await wrong(['--replay', ''], /error: replay needs the name of a file/);
  await wrong(['--record', stage.folder], /is a folder: give the name of a new file/);
  await wrong(['--replay', stage.folder], /can't be read: it is a folder, not a recording/);
  await wrong(['--record', 'none/run.jsonl'], /run\.jsonl can't be made: there is no folder \S+none; make it first/);
  await writeFile(join(stage.folder, 'empty.jsonl'), '');
  await wrong(['--replay', 'empty.jsonl'], /empty\.jsonl has no requests in it: delete it and record again/);
  await writeFile(join(stage.folder, 'bad.jsonl'), 'nothing\n');
  await wrong(['--replay', 'bad.jsonl'], /bad\.jsonl:1: this is not a line of a recording/);
});

it('SF-12: a line that was being written when the process was killed is left out, with a warning', async () => {
  const file = await recordHello();
  await writeFile(file, `${await readFile(file, 'utf8')}{"started":9,"req`);
  const { at } = await setElsewhere();
  const end = await runProgram(['-p', 'Where?', '--replay', file], at);
  expect(end).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/:\d+: the last line is not whole and was left out/),
  });
});

it('SF-12: a line-based session replays, and says at its end what is wrong', async () => {
  const input = 'Where?\n/exit\n';
  const model = await setStage([
    { reply: ({ body }) => `You are in ${/Working folder: (\S+?)\\n/.exec(JSON.stringify(body))?.[1]}` },
  ]);
  const file = join(model.home, 'run.jsonl');
  await runProgram(['--plain', '--trust', '--record', file], { ...model.at, input });
  const { stage, at } = await setElsewhere();
  const end = await runProgram(['--plain', '--trust', '--replay', file], { ...at, input });
  expect(end.stdout).toContain(`You are in ${stage.folder}`);
  expect(end.code).toBe(0);
  const left = await runProgram(['--plain', '--trust', '--replay', file], { ...at, input: '/exit\n' });
  expect(left).toMatchObject({ code: 1, stdout: expect.stringMatching(/1 of 1 recorded requests was not made/) });
});
