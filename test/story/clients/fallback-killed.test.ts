/** The real program with a fallback model: killed in the turn on it, and what it shows of it. */

import { beforeAll, expect, it } from 'vitest';
import { buildProgram, runProgram, startProgram } from '../../support/program.js';
import { setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { asked, busyAt, expectOnlyBusy, expectThinkingApart, rawOf } from './fallback-stage.js';

beforeAll(buildProgram);

const FLAGS = ['--model', 'sonnet', '--fallback-model', 'haiku'];
const SONNET = { reply: [{ thinking: 'OF-SONNET' }, 'from sonnet'] };

it('CL-2 DU-14 FK-25: killed in a turn on the other model: the own one comes back, without what the other thought', async () => {
  const stage = await setStage([
    busyAt('busy', 3),
    {
      when: { model: 'haiku' },
      reply: [{ thinking: 'OF-HAIKU' }, { tool: 'Bash', input: { command: 'touch begun; sleep 30' } }],
    },
    SONNET,
  ]);
  await runProgram(['-p', 'hello', ...FLAGS], stage.at);
  const { child, ended } = startProgram(
    ['--continue', '-p', 'busy', '--allowedTools', 'Bash', ...FLAGS.slice(2)],
    stage.at,
  );
  await until(() =>
    stage.read('begun').then(
      () => true,
      () => false,
    ),
  );
  child.kill('SIGKILL');
  await ended;
  const end = await runProgram(['--continue', '-p', 'go on', ...FLAGS.slice(2)], stage.at);
  expect(end.code, end.stderr).toBe(0);
  expectOnlyBusy(stage.sim);
  expect(asked(stage.sim)).toBe('sonnet sonnet! sonnet! sonnet! haiku sonnet');
  const bodies = stage.sim.requests.map((request) => rawOf(request).split('"messages":')[0]);
  expect(bodies.at(-1)).toBe(bodies[0]);
  expectThinkingApart(stage.sim);
});

it.each(['text', 'stream-json'])('CL-2 CL-5: as %s it says which model goes on', async (format) => {
  const stage = await setStage([busyAt('busy'), SONNET]);
  const verbose = format === 'stream-json' ? ['--verbose'] : [];
  const end = await runProgram(['-p', 'busy', '--output-format', format, ...verbose, ...FLAGS], stage.at);
  expect(end.code, end.stderr).toBe(0);
  const shown = `${end.stdout}${end.stderr}`;
  expect(shown).toContain('claude-sonnet-5-5 is overloaded');
  expect(shown).toContain('claude-haiku-5-5');
});

it('CL-5: a fallback that is the model itself ends the start, with one line that reports it', async () => {
  const stage = await setStage();
  const end = await runProgram(['-p', 'hi', '--model', 'haiku', '--fallback-model', 'haiku'], stage.at);
  expect(end.code).not.toBe(0);
  expect(end.stderr).toContain("the fallback model is the session's own model");
  expect(stage.sim.requests).toEqual([]);
});
