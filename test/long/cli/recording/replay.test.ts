/** SF-12: the real program records a session and replays it: exit codes, what it says, no key, no network. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { recordHello, setElsewhere } from '../../../program/cli/recording/replay-stage.js';
import { agentCall } from '../../../support/agent-call.js';
import { buildProgram, runProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';

beforeAll(buildProgram);

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

it('SF-12: a usage error is exit 2 and reports what to do', async () => {
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
  await wrong(['--replay', 'none.jsonl'], /none\.jsonl can't be read: no such file; record it first/);
  await wrong(['--record', ''], /error: record needs a file name/);
  await wrong(['--replay', ''], /error: replay needs a file name/);
  await wrong(['--record', stage.folder], /is a folder: use the name of a new file/);
  await wrong(['--replay', stage.folder], /can't be read: it is a folder, not a recording/);
  await wrong(['--record', 'none/run.jsonl'], /run\.jsonl could not be created: no folder \S+none; create it first/);
  await writeFile(join(stage.folder, 'empty.jsonl'), '');
  await wrong(['--replay', 'empty.jsonl'], /empty\.jsonl contains no requests: delete it and record again/);
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
