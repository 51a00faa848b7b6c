/** Plays one tortured session from its first prompt to its end, with all its kills. */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startSim } from '../../dist/sim.mjs';
import { ALL_DONE, createModel, FIRST_PROMPT, NEXT_PROMPT } from './work.mjs';

const PROGRAM = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const ARGS = [
  '-p',
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
  '--permission-prompt-tool',
  'stdio',
];
/** A session without output for this long is stuck. */
const PATIENCE_MS = 25_000;
/** How many starts are allowed beyond the number of kills. */
const SPARE_STARTS = 3;
const BUSY = /in use/;

export async function playSession(random) {
  const began = performance.now();
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'coppice-torture-')));
  const project = join(scratch, 'project');
  const home = join(scratch, 'home');
  await Promise.all([mkdir(project), mkdir(home)]);
  const automatic = random.chance(0.5);
  const model = createModel({ forks: random.whole(2, 3), sleepMs: () => random.whole(0, 60) });
  const sim = await startSim({
    scenario: [
      {
        reply: async (request) => {
          await sleep(random.whole(0, 25));
          return model(request);
        },
      },
    ],
    chunk: undefined,
  });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    COPPICE_HOME: join(home, '.coppice'),
    COPPICE_MANAGED_SETTINGS: join(home, 'managed.json'),
    ANTHROPIC_BASE_URL: sim.url,
    ANTHROPIC_API_KEY: 'torture',
    COPPICE_FORK_SUBAGENT: '1',
    ...(automatic ? { COPPICE_RESUME_AGENTS: 'auto' } : {}),
  };
  const played = {
    scratch,
    project,
    home,
    automatic,
    /** Lines of stdout of all processes, in order. */
    printed: [],
    /** Calls that we allowed. */
    allowed: new Set(),
    locked: [],
    stuck: [],
    facts: { kills: 0, resumes: 0, automatic: 0 },
  };
  const kills = random.whole(1, 4);
  for (let start = 0; ; start += 1) {
    const kill = start < kills ? planKill(random) : undefined;
    const end = await runOnce({ played, env, project, sim, random, kill });
    if (kill !== undefined && end.killed) played.facts.kills += 1;
    if (end.done && !end.killed) break;
    if (BUSY.test(end.stderr)) played.locked.push(end.stderr.trim());
    if (end.stuck) played.stuck.push(`no output for ${PATIENCE_MS} ms (${end.stderr.trim().slice(-300)})`);
    if (!end.killed && !end.stuck) played.stuck.push(`ended with ${end.code} before it was done: ${end.stderr.trim()}`);
    if (end.stuck || start > kills + SPARE_STARTS) break;
  }
  await sim.close();
  return { ...played, requests: sim.requests, unmatched: sim.unmatched, ms: performance.now() - began };
}

/** Plans a kill: after a time, or a moment after a number of requests or lines. */
function planKill(random) {
  const kind = random.whole(1, 4);
  // Early kills hit the program while it starts or resumes.
  if (kind === 4) return { kind: 'time', ms: random.whole(60, 450) };
  if (kind === 1) return { kind: 'time', ms: random.whole(20, 1_800) };
  if (kind === 2) return { kind: 'requests', count: random.whole(1, 12), ms: random.whole(0, 40) };
  return { kind: 'lines', count: random.whole(1, 40), ms: random.whole(0, 15) };
}

async function runOnce({ played, env, project, sim, random, kill }) {
  const goesOn = await hasSession(env.COPPICE_HOME);
  const child = spawn(process.execPath, [PROGRAM, ...ARGS, ...(goesOn ? ['--continue'] : [])], { cwd: project, env });
  if (goesOn) played.facts.resumes += 1;
  if (goesOn && played.automatic) played.facts.automatic += 1;
  const state = { killed: false, done: false, stuck: false, stderr: '', code: null };
  const say = (line) => child.stdin.write(`${JSON.stringify(line)}\n`);
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    state.stderr += piece;
  });
  const strike = () => {
    if (state.killed || child.exitCode !== null) return;
    state.killed = true;
    child.kill('SIGKILL');
  };
  const timers = new Set();
  const after = (ms, act) => timers.add(setTimeout(act, ms));
  let patience = setTimeout(() => {}, 0);
  const alive = () => {
    clearTimeout(patience);
    patience = setTimeout(() => {
      state.stuck = true;
      child.kill('SIGKILL');
    }, PATIENCE_MS);
  };
  alive();
  if (kill?.kind === 'time') after(kill.ms, strike);
  if (kill?.kind === 'requests') void sim.received(sim.requests.length + kill.count).then(() => after(kill.ms, strike));
  let lines = 0;
  const reading = createInterface({ input: child.stdout });
  const read = new Promise((resolve) => reading.once('close', resolve));
  reading.on('line', (text) => {
    alive();
    lines += 1;
    if (kill?.kind === 'lines' && lines === kill.count) after(kill.ms, strike);
    const line = parse(text);
    if (line === undefined) return;
    played.printed.push(line);
    if (line.type === 'control_request') {
      const allow = random.chance(0.95) || line.request.tool_name !== 'Bash';
      if (allow) played.allowed.add(line.request.tool_use_id);
      const response = allow ? { behavior: 'allow' } : { behavior: 'deny', message: 'Not now; try again.' };
      const answer = { subtype: 'success', request_id: line.request_id, response };
      after(random.whole(0, 20), () => say({ type: 'control_response', response: answer }));
    }
    if (saysDone(line)) {
      state.done = true;
      after(random.whole(0, 30), () => child.stdin.end());
    }
  });
  say({ type: 'user', message: { role: 'user', content: goesOn ? NEXT_PROMPT : FIRST_PROMPT } });
  await new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', (code) => {
      state.code = code;
      resolve();
    });
  });
  await read;
  clearTimeout(patience);
  for (const timer of timers) clearTimeout(timer);
  return state;
}

/** Whether there is anything on disk to continue from. */
async function hasSession(home) {
  const names = await readdir(join(home, 'projects'), { recursive: true }).catch(() => []);
  const sizes = names.filter((name) => name.endsWith('.jsonl')).map((name) => stat(join(home, 'projects', name)));
  return (await Promise.all(sizes)).some(({ size }) => size > 0);
}

/** Whether the line is the main agent's last message. */
function saysDone(line) {
  if (line.type !== 'assistant' || line.parent_tool_use_id !== null) return false;
  return line.message.content.some((block) => block.type === 'text' && block.text === ALL_DONE);
}

/** A process that is killed may leave half a line. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
