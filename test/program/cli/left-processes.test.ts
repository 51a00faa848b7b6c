/** Processes that outlive their session, of the real program: found by their mark, ended, and reported. */

import { readFileSync } from 'node:fs';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { MAIN_AGENT } from '../../../src/protocol/events.js';
import { parseBlock } from '../../../src/protocol/frozen-block.js';
import type { Rule } from '../../../src/sim/index.js';
import { runningWith } from '../../support/processes.js';
import { buildProgram, runProgram, type Started, startProgram } from '../../support/program.js';
import { transcriptsIn } from '../../support/session-files.js';
import { readTranscript, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

beforeAll(buildProgram);

const BYPASS = ['--permission-mode', 'bypassPermissions'];
/** Confined, a command would end with the program. */
const UNCONFINED = '{"confineReads":"off"}';
/** Each test has processes of its own to look for. */
let next = 760_000 + (process.pid % 10_000);

async function startLong(rules: (seconds: number) => readonly Rule[]) {
  const seconds = next++;
  const stage = await setStage(rules(seconds));
  const program = startProgram(['-p', 'go', ...BYPASS, '--settings', UNCONFINED], stage.at);
  onTestFinished(() => endSleeps(seconds));
  await until(() => sleeps(seconds).length > 0, 'the command runs');
  return { stage, program, seconds };
}

/** Leaves a process in its own session; it has left the group before the command ends. */
function hidden(seconds: number): string {
  return `setsid bash -c 'touch up; exec sleep ${seconds}' >/dev/null 2>&1 & until [ -e up ]; do sleep 0.01; done; echo started`;
}

async function kill({ child, ended }: Started): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

function sleeps(seconds: number): string[] {
  return runningWith(`sleep ${seconds}`).filter((line) => /^\d+ sleep /.test(line));
}

function endSleeps(seconds: number): void {
  for (const line of sleeps(seconds)) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
}

async function resultsIn(stage: Stage): Promise<string> {
  const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
  const records = await readTranscript(transcript);
  const results = records.flatMap(({ event }) => (event.kind === 'call-finished' ? event.blocks : []));
  return results.map((block) => JSON.stringify(parseBlock(block))).join('\n');
}

it('DU-12: a command of a killed process is ended when the session is resumed, and its result names it', async () => {
  const { stage, program, seconds } = await startLong((n) => [
    { when: { result: { tool: 'Bash' } }, reply: 'I see' },
    { when: { user: /^go\b/m }, reply: [{ tool: 'Bash', input: { command: `touch begun; sleep ${n}; touch late` } }] },
    { reply: 'well' },
  ]);
  await kill(program);
  expect(sleeps(seconds)).toHaveLength(1);
  const [pid] = sleeps(seconds)[0]?.split(' ') ?? [];
  const end = await runProgram(['-p', 'go on', '--continue', ...BYPASS], stage.at);
  expect(end, end.stderr).toMatchObject({ code: 0 });
  expect(sleeps(seconds)).toEqual([]);
  const result = await resultsIn(stage);
  expect(result).toContain('Interrupted, outcome unknown');
  expect(result).toContain('was still running when the session was resumed, and was ended');
  expect(result).toContain(`process ${pid} (sleep ${seconds})`);
  expect(end.stderr).toContain(`process ${pid} (sleep ${seconds})`);
});

it('DU-12: a command in the background is ended too, and its notice reports it', async () => {
  const { stage, program, seconds } = await startLong((n) => [
    { when: { user: '<task-notification>' }, reply: 'heard' },
    {
      when: { result: { tool: 'Bash' } },
      reply: 'it runs',
      delay: { firstMs: 600_000 },
    },
    {
      when: { user: /^go\b/m },
      reply: [{ tool: 'Bash', input: { command: `touch c; sleep ${n}`, run_in_background: true } }],
    },
    { reply: 'well' },
  ]);
  await stage.sim.received(2);
  await kill(program);
  expect(sleeps(seconds)).toHaveLength(1);
  const end = await runProgram(['-p', 'go on', '--continue', ...BYPASS], stage.at);
  expect(end, end.stderr).toMatchObject({ code: 0 });
  expect(sleeps(seconds)).toEqual([]);
  const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
  const notices = (await readTranscript(transcript)).filter(
    ({ event }) => event.kind === 'input-admitted' && event.origin === 'notice',
  );
  expect(notices).toHaveLength(1);
  expect(readFileSync(transcript, 'utf8')).toContain('was still running when the session was resumed, and was ended');
});

it('DU-12: a command of a child of the killed process is ended as well', async () => {
  const { stage, program, seconds } = await startLong((n) => [
    {
      when: { said: 'task of the child', user: 'task of the child' },
      reply: [{ tool: 'Bash', input: { command: `touch c; sleep ${n}` } }],
    },
    { when: { user: 'go on' }, reply: 'well' },
    { when: { user: /^go\b/m }, reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'task of the child' } }] },
    { reply: 'well' },
  ]);
  await kill(program);
  const end = await runProgram(['-p', 'go on', '--continue', ...BYPASS], stage.at);
  expect(end, end.stderr).toMatchObject({ code: 0 });
  expect(sleeps(seconds)).toEqual([]);
  expect(end.stderr).toMatch(new RegExp(`process \\d+ \\(sleep ${seconds}\\) of (?!${MAIN_AGENT})\\S+, call`));
});

it('DU-12: what hid in its own session (setsid) ends when the session is left', async () => {
  const seconds = next++;
  onTestFinished(() => endSleeps(seconds));
  const stage = await setStage([
    { when: { result: { tool: 'Bash' } }, reply: 'started' },
    {
      reply: [{ tool: 'Bash', input: { command: hidden(seconds) } }],
    },
  ]);
  const end = await runProgram(['-p', 'go', ...BYPASS], stage.at);
  expect(end, end.stderr).toMatchObject({ code: 0 });
  expect(await resultsIn(stage)).toContain('started');
  expect(sleeps(seconds)).toEqual([]);
});

it('DU-12: also when it is left at once, by a second Ctrl+C', async () => {
  const { program, seconds } = await startLong((n) => [
    {
      when: { result: { tool: 'Bash' } },
      reply: 'never',
      delay: { firstMs: 600_000 },
    },
    { reply: [{ tool: 'Bash', input: { command: hidden(n) } }] },
  ]);
  program.child.kill('SIGINT');
  program.child.kill('SIGTERM');
  await program.ended;
  expect(sleeps(seconds)).toEqual([]);
});

it("DU-12: a program that a user's own hook detached is not ended with the session", async () => {
  const seconds = next++;
  onTestFinished(() => endSleeps(seconds));
  const stage = await setStage([{ reply: 'well' }]);
  const command = hidden(seconds);
  await stage.settings({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } });
  const end = await runProgram(['-p', 'go', ...BYPASS], stage.at);
  expect(end, end.stderr).toMatchObject({ code: 0 });
  expect(sleeps(seconds)).toHaveLength(1);
});
