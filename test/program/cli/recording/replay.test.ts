/** SF-12: the real program records a session and replays it: exit codes, what it says, no key, no network. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';
import { recordHello, setElsewhere } from './replay-stage.js';

beforeAll(buildProgram);

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
    `If the change is intended, delete ${file} and record it again (--record).`,
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

it('SF-12: a line-based session replays, and reports at its end what is wrong', async () => {
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
