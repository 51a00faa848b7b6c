/** Ctrl+C and a request to end, at each stage of the real program. */

import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { groupRuns, runningWith } from '../../support/processes.js';
import { buildProgram, type Started, startProgram } from '../../support/program.js';
import { transcriptsIn } from '../../support/session-files.js';
import { readTranscript, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

beforeAll(buildProgram);

const FOR_EVER = 600_000;
const BYPASS = ['--permission-mode', 'bypassPermissions'];

async function start(rules: readonly Rule[], args: readonly string[] = []) {
  const stage = await setStage(rules);
  const program = startProgram(['-p', 'go', ...args], stage.at);
  return { stage, program };
}

async function expectLeft(stage: Stage, program: Started, code: number): Promise<void> {
  const end = await program.ended;
  expect(end, end.stderr).toMatchObject({ code, signal: null });
  const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
  const records = await readTranscript(transcript);
  expect(records.at(-1)?.event).toMatchObject({ kind: 'run-ended', reason: 'interrupted' });
  expect(runningWith(stage.folder)).toEqual([]);
}

it('SF-1: Ctrl+C before the first byte of the reply: exit 130, valid transcript', async () => {
  const { stage, program } = await start([{ reply: 'too late', delay: { firstMs: FOR_EVER } }]);
  await stage.sim.received(1);
  program.child.kill('SIGINT');
  await expectLeft(stage, program, 130);
});

it('SF-1: a terminal that is gone (SIGHUP): exit 129, valid transcript', async () => {
  const { stage, program } = await start([{ reply: 'too late', delay: { firstMs: FOR_EVER } }]);
  await stage.sim.received(1);
  program.child.kill('SIGHUP');
  await expectLeft(stage, program, 129);
});

it('SF-1: Ctrl+C in mid-stream: the reply so far is saved', async () => {
  const { stage, program } = await start(
    [{ reply: 'half a sentence', fault: { kind: 'silence', at: 4 } }],
    ['--output-format', 'stream-json', '--include-partial-messages'],
  );
  await until(() => program.stdout().includes('half a sentence'));
  program.child.kill('SIGINT');
  await expectLeft(stage, program, 130);
  const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
  expect(await readFile(transcript, 'utf8')).toContain('half a sentence');
});

it('SF-1: Ctrl+C during a command: no process of it is left, not even one that ignores the request', async () => {
  const { stage, program } = await start(
    [
      {
        reply: [
          {
            tool: 'Bash',
            input: { command: 'echo $$ > pid; (trap "" TERM INT; sleep 311) & trap "" TERM; sleep 311' },
          },
        ],
      },
    ],
    BYPASS,
  );
  const group = await pidIn(stage);
  program.child.kill('SIGINT');
  await expectLeft(stage, program, 130);
  expect(groupRuns(group)).toBe(false);
});

it('SF-1: Ctrl+C while waiting to try again', async () => {
  const { stage, program } = await start([{ fault: { kind: 'overloaded', retryAfter: 300 } }]);
  await until(() => program.stderr().includes('retrying'));
  program.child.kill('SIGINT');
  await expectLeft(stage, program, 130);
});

it('SF-1: Ctrl+C during a hook of the user', async () => {
  const stage = await setStage([{ reply: [{ tool: 'Glob', input: { pattern: '*' } }] }]);
  await stage.settings({
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: `echo $$ > ${stage.folder}/pid; sleep 312` }] }] },
  });
  const program = startProgram(['-p', 'go'], stage.at);
  const group = await pidIn(stage);
  program.child.kill('SIGINT');
  await expectLeft(stage, program, 130);
  await until(() => !groupRuns(group));
});

it('SF-1: Ctrl+C at the very start ends the program by that signal or with 130, and leaves no half record', async () => {
  const stage = await setStage([{ reply: 'hello', delay: { firstMs: FOR_EVER } }]);
  for (const delay of [0, 15, 40, 70, 100, 140]) {
    const program = startProgram(['-p', 'go'], stage.at);
    await new Promise((resolve) => setTimeout(resolve, delay));
    program.child.kill('SIGINT');
    const end = await program.ended;
    expect(end.signal === 'SIGINT' || end.code === 130, JSON.stringify(end)).toBe(true);
  }
  for (const transcript of await transcriptsIn(stage.env.COPPICE_HOME)) {
    const content = await readFile(transcript, 'utf8');
    expect(content === '' || content.endsWith('\n')).toBe(true);
    await readTranscript(transcript);
  }
});

it('SF-1: a second Ctrl+C leaves at once, and takes the processes along', async () => {
  const { stage, program } = await start(
    [{ reply: [{ tool: 'Bash', input: { command: 'trap "" TERM INT; echo $$ > pid; sleep 313; sleep 313' } }] }],
    BYPASS,
  );
  const group = await pidIn(stage);
  program.child.kill('SIGINT');
  program.child.kill('SIGINT');
  // Two of a kind can arrive as one: a third makes sure.
  setTimeout(() => program.child.kill('SIGINT'), 50);
  const end = await program.ended;
  expect(end).toMatchObject({ code: 130, signal: null });
  await until(() => !groupRuns(group));
  const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
  await readTranscript(transcript);
});

it('SF-1: a request to end (SIGTERM): exit 143, valid transcript', async () => {
  const { stage, program } = await start([{ reply: 'too late', delay: { firstMs: FOR_EVER } }]);
  await stage.sim.received(1);
  program.child.kill('SIGTERM');
  await expectLeft(stage, program, 143);
});

it('SF-1: in json the interrupted run is a result too', async () => {
  const { stage, program } = await start(
    [{ reply: 'too late', delay: { firstMs: FOR_EVER } }],
    ['--output-format', 'json'],
  );
  await stage.sim.received(1);
  program.child.kill('SIGINT');
  const end = await program.ended;
  expect(end.code).toBe(130);
  expect(JSON.parse(end.stdout)).toMatchObject({ type: 'result', is_error: true, error: 'interrupted' });
});

async function pidIn(stage: Stage): Promise<number> {
  let pid = '';
  await until(async () => {
    pid = (await stage.read('pid').catch(() => '')).trim();
    return pid !== '';
  });
  return Number(pid);
}
