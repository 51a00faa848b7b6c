/** The real program killed while a search of the web, a hook or a hook's agent is running: what a resume makes of it. */

import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';
import { buildProgram, runProgram, startProgram } from '../../support/program.js';
import { type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

beforeAll(buildProgram);

const rawOf = (request: SimRequest | undefined) => request?.raw.toString('utf8') ?? '';

async function killed(stage: Stage, args: readonly string[], when: () => boolean | Promise<boolean>): Promise<void> {
  const { child, ended } = startProgram(args, stage.at);
  await until(when);
  child.kill('SIGKILL');
  await ended;
}

/** One that has ended may wait for its parent to look. */
async function isRunning(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid.trim()}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}

function hasPid(stage: Stage): Promise<boolean> {
  return stage.read('pid').then(
    (pid) => pid.trim() !== '',
    () => false,
  );
}

it('EX-24 DU-12: while a search of the web streams: its outcome is unknown, and it is not made again', async () => {
  const held = gate();
  let searched = 0;
  const stage = await setStage([
    {
      when: { where: ({ tools }) => tools.includes('web_search') },
      reply: async () => {
        searched += 1;
        await held.opened;
        return 'late';
      },
    },
    { when: { user: 'begin' }, reply: [{ tool: 'WebSearch', input: { query: 'coppice' } }] },
    { reply: 'done' },
  ]);
  await killed(stage, ['-p', 'begin', '--allowedTools', 'WebSearch'], () => searched === 1);
  held.open();
  const end = await runProgram(['--continue', '-p', 'go on'], stage.at);
  expect(end.code, end.stderr).toBe(0);
  expect(searched).toBe(1);
  const last = stage.sim.requests.at(-1);
  expect(last?.status).toBe(200);
  expect(rawOf(last)).toContain('Interrupted, outcome unknown');
});

it.each([
  ['async', { async: true }],
  ['that is waited for', {}],
])('EX-23 GT-17 DU-22: while a hook %s runs: no process is left, nothing runs twice', async (_, more) => {
  const held = gate();
  const stage = await setStage([
    {
      when: { result: { tool: 'Glob' } },
      reply: async () => {
        await held.opened;
        return 'late';
      },
    },
    { when: { user: 'begin' }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
    { reply: 'done' },
  ]);
  const hook = { type: 'command', command: 'echo x >> ran; echo $$ > pid; sleep 600', ...more };
  await stage.settings({ hooks: { PostToolUse: [{ matcher: 'Glob', hooks: [hook] }] } });
  await killed(stage, ['-p', 'begin'], () => hasPid(stage));
  held.open();
  const pid = await stage.read('pid');
  const end = await runProgram(['--continue', '-p', 'go on'], stage.at);
  expect(end.code, end.stderr).toBe(0);
  await until(async () => !(await isRunning(pid)), 'the hook is ended');
  expect(await stage.read('ran')).toBe('x\n');
  expect(stage.sim.requests.at(-1)?.status).toBe(200);
});

it('EX-23 DU-22: a session that is closed keeps its lock until its hooks in the background have ended', async () => {
  const stage = await setStage([
    { when: { user: 'begin' }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
    { reply: 'done' },
  ]);
  const hook = { type: 'command', command: "trap '' TERM; echo $$ > pid; sleep 600", async: true };
  await stage.settings({ hooks: { PostToolUse: [{ matcher: 'Glob', hooks: [hook] }] } });
  const session = await stage.open();
  await session.send('begin');
  await until(() => hasPid(stage), 'the hook runs');
  const pid = await stage.read('pid');
  const isLocked = () =>
    readdirSync(stage.home, { recursive: true }).some((name) => String(name).endsWith(`${session.id}.lock`));
  expect(isLocked()).toBe(true);
  const closed = session.close();
  await until(() => !isLocked(), 'the lock is released');
  expect(await isRunning(pid)).toBe(false);
  await closed;
});

it('EX-23 DU-15: while the agent of a hook works: it is not brought back, and its call never had its effect', async () => {
  const held = gate();
  let asked = 0;
  const stage = await setStage([
    {
      when: { said: 'HOOK-QUESTION' },
      reply: async () => {
        asked += 1;
        await held.opened;
        return '{"ok": true}';
      },
    },
    { when: { user: 'begin' }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    { reply: 'done' },
  ]);
  const hook = { type: 'agent', prompt: 'HOOK-QUESTION' };
  await stage.settings({
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] },
    permissions: { allow: ['Bash'] },
  });
  await killed(stage, ['-p', 'begin'], () => asked === 1);
  held.open();
  const env = { ...stage.env, COPPICE_RESUME_AGENTS: 'auto' };
  const end = await runProgram(['--continue', '-p', 'go on'], { ...stage.at, env });
  expect(end.code, end.stderr).toBe(0);
  expect(asked).toBe(1);
  expect(rawOf(stage.sim.requests.at(-1))).toContain('Never started');
  expect(stage.sim.requests.at(-1)?.status).toBe(200);
});
