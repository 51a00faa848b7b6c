/** CL-8: a client that is killed, at any moment: nothing of ours is left, and the session continues from where it was. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { runningIn, runningWith } from '../../../support/processes.js';
import { buildProgram, ROOT, runProgram } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';

beforeAll(buildProgram);

/** How often a client is killed; the long run has 50. */
const KILLS = Number(process.env.KILLS ?? 4);

/** Of the process that waits there, for the process table. */
const MARK = `6${process.pid}${Date.now() % 100_000}`;
const WAIT = { command: `sleep ${MARK}`, description: 'wait' };

const RULES: readonly Rule[] = [
  { when: { said: 'CHILD TASK' }, reply: [{ tool: 'Bash', input: WAIT }] },
  { when: { user: /^check/m }, reply: 'All here.' },
  { when: { user: /^stream/m }, reply: 'Endless words. '.repeat(40), fault: { kind: 'silence', at: 9 } },
  { when: { user: /^ask|^hook/m }, reply: [{ tool: 'Write', input: { file_path: 'never.txt', content: 'x' } }] },
  { when: { user: /^mcp/m }, reply: [{ tool: 'mcp__s__wait', input: {} }] },
  { when: { result: { tool: 'Agent' } }, reply: 'Both run.', delay: { firstMs: 600_000 } },
  {
    when: { user: /^background/m },
    reply: [
      { tool: 'Agent', input: { description: 'one', prompt: 'CHILD TASK', run_in_background: true } },
      { tool: 'Bash', input: { ...WAIT, run_in_background: true } },
    ],
  },
  { when: { user: /^tool|^closed/m }, reply: [{ tool: 'Bash', input: WAIT }] },
  { reply: 'Well.' },
];

const isWaiting = () => runningWith(`sleep ${MARK}`).length > 0;

/** When it is killed: once that is so, and a random time later. */
const MOMENTS: Readonly<Record<string, (said: () => string, stage: Stage) => boolean>> = {
  tool: isWaiting,
  ask: (said) => said().includes('ask'),
  closed: isWaiting,
  hook: (said) => said().includes('hook'),
  background: isWaiting,
  stream: (said) => said().includes('stream_event'),
  mcp: (said) => said().includes('mcp'),
  initialize: (_, { home }) => runningIn(home).length > 0,
  start: (said) => said().includes('start'),
  spawned: () => true,
};

function startClient(stage: Stage, options: object): { client: ChildProcess; said: () => string } {
  const given = {
    cwd: stage.folder,
    env: stage.env,
    pathToClaudeCodeExecutable: join(ROOT, 'dist', 'cli.js'),
    ...options,
  };
  const program = join(import.meta.dirname, 'mortal-client.mjs');
  const client = spawn(process.execPath, [program, JSON.stringify(given)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  client.stdout?.on('data', (piece) => {
    said += piece;
  });
  onTestFinished(() => void client.kill('SIGKILL'));
  return { client, said: () => said };
}

it(`CL-8: killed ${KILLS} times, at any moment: no process is left, and the session continues with the whole conversation`, async () => {
  const stage = await setStage(RULES);
  onTestFinished(() => {
    for (const line of runningIn(stage.home)) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  });
  const id = randomUUID();
  const check = async (nth: number, which: object) => {
    const ended = await runProgram(['-p', `check ${nth}.`, ...Object.entries(which).flat()], stage.at);
    expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: 'All here.\n' });
  };
  await check(0, { '--session-id': id });
  const names = Object.keys(MOMENTS);
  let slowest = 0;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const moment = names[(kill - 1) % names.length] ?? '';
    const { client, said } = startClient(stage, { moment, prompt: `${moment} ${kill}.`, resume: id });
    await until(() => MOMENTS[moment]?.(said, stage) ?? false, `${moment}: ${said()}`);
    await sleep(Math.random() * (moment === 'spawned' ? 700 : 150));
    client.kill('SIGKILL');
    const killed = Date.now();
    await until(() => runningIn(stage.home).length === 0, `nothing is left after ${moment}: ${runningIn(stage.home)}`);
    slowest = Math.max(slowest, Date.now() - killed);
    await check(kill, { '--resume': id });
    const sent = stage.sim.requests.at(-1)?.raw.toString('utf8') ?? '';
    for (let nth = 0; nth <= kill; nth += 1) expect(sent, moment).toContain(`check ${nth}.`);
  }
  if (process.env.KILLS !== undefined) console.log(`the slowest end: ${slowest} ms`);
}, 600_000);
