/** What a user waits for at the terminal, with the program as it is: its first paint, a key, a resumed session, a list. */

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startSim } from '../../dist/sim.mjs';
import { source } from '../floors/terminal/work.mjs';
import { compare, row } from '../measure.mjs';
import { atTerminal, pause } from './at-terminal.mjs';

const KEYS = 60;
const KEY_MS = 70;
const AGENTS = 20;
const SESSIONS = 10_000;

/** Until the editor is there. The session is opened afterwards. */
export async function measureFirstPaint(stage, runs) {
  await leaveOnce(stage);
  const painted = async (args) => {
    const terminal = open(stage, args);
    const at = await terminal.untilWritten('opening');
    // What it does after it has painted is ignored.
    process.kill(terminal.pid, 'SIGSTOP');
    const { cpuMs } = await terminal.usage();
    process.kill(terminal.pid, 'SIGCONT');
    await terminal.kill();
    return { ms: at - terminal.began, cpuMs };
  };
  const samples = await compare(
    runs,
    () => painted(stage.floor('terminal/bare')),
    () => painted(stage.program()),
  );
  return [
    row('first paint: CPU', 'ms', samples, { ratio: 2.5 }, ({ cpuMs }) => cpuMs),
    row('first paint', 'ms', samples, { ratio: 2.5 }, ({ ms }) => ms),
  ];
}

/** Keys in the middle of a reply of 200 lines a second, while agents work in the background. */
export async function measureEcho(stage) {
  const text = source(3000);
  const child = { tool: 'Agent', input: { prompt: 'This is the task of a child.', run_in_background: true } };
  const sim = await startSim({
    scenario: [
      { when: { said: 'task of a child' }, reply: text, delay: { eventMs: 100 } },
      { when: { nth: 1 }, reply: Array.from({ length: AGENTS }, () => child) },
      { reply: text, delay: { eventMs: 5 } },
    ],
    keepBodies: false,
  });
  // Agents in the background are asked for in advance otherwise.
  const args = stage.program('--permission-mode', 'acceptEdits');
  const terminal = open(stage, args, { simUrl: sim.url, shows: true });
  try {
    await terminal.untilWritten('? keys');
    terminal.press('go\r');
    await terminal.untilWritten('L00200');
    const waits = [];
    for (let count = 1; count <= KEYS; count += 1) {
      const wanted = `> ${'q'.repeat(count)}`;
      const began = performance.now();
      terminal.press('q');
      const at = await terminal.until(() => terminal.rows().some((line) => line.startsWith(wanted)), wanted);
      waits.push(at - began);
      await pause(KEY_MS);
    }
    waits.sort((a, b) => a - b);
    const [half, most] = [0.5, 0.95].map((share) => waits[Math.floor(share * waits.length)]);
    return [
      figure(`key echo, ${AGENTS} agents and 200 lines/s: p50`, half, undefined, waits),
      figure(`key echo, ${AGENTS} agents and 200 lines/s: p95`, most, { most: 10 }, waits),
    ];
  } finally {
    await terminal.kill();
    await sim.close();
  }
}

/** A conversation of 10,000 lines is gone on with. */
export async function measureResume(stage) {
  const lines = 10_000;
  const sim = await startSim({ scenario: [{ reply: source(lines) }], keepBodies: false });
  try {
    await stage.start(stage.program('-p', 'write it'), sim.url).ended;
    const terminal = open(stage, stage.program('--continue'), { simUrl: sim.url });
    await terminal.untilWritten('? keys');
    await terminal.atRest();
    const { cpuMs } = await terminal.usage();
    await terminal.kill();
    return [figure('10,000 lines resumed: CPU with the start', cpuMs, { most: 1000 })];
  } finally {
    await sim.close();
  }
}

/** `/resume` until the newest sessions can be seen. */
export async function measurePicker(stage) {
  const sim = await startSim({ scenario: [{ reply: 'Hello.' }], keepBodies: false });
  try {
    await writeSessions(stage, sim);
    const terminal = open(stage, stage.program(), { simUrl: sim.url, shows: true });
    await terminal.untilWritten('? keys');
    await terminal.atRest();
    terminal.press('/resume');
    await pause(300);
    const began = performance.now();
    terminal.press('\r');
    const at = await terminal.until(() => terminal.rows().some((line) => line.includes('session-')), 'the sessions');
    await terminal.kill();
    return [figure(`/resume among ${SESSIONS.toLocaleString('en')} sessions`, at - began, { most: 300 })];
  } finally {
    await sim.close();
  }
}

async function writeSessions(stage, sim) {
  const projects = join(stage.home, '.coppice', 'projects');
  await rm(projects, { recursive: true, force: true });
  await stage.start(stage.program('-p', 'hello'), sim.url).ended;
  const [name] = (await readdir(projects, { recursive: true })).filter((one) => one.endsWith('.jsonl'));
  const folder = dirname(join(projects, name));
  const [head, ...rest] = (await readFile(join(projects, name), 'utf8')).trimEnd().split('\n');
  await mkdir(folder, { recursive: true });
  for (let n = 0; n < SESSIONS; n += 1) {
    const id = `session-${String(n).padStart(5, '0')}`;
    const started = JSON.stringify({ ...JSON.parse(head), session: id });
    await writeFile(join(folder, `${id}.jsonl`), `${started}\n${rest.join('\n')}\n`);
  }
}

/** A session that ends well keeps the compiled form of the terminal's packs. */
async function leaveOnce(stage) {
  const terminal = open(stage, stage.program());
  await terminal.untilWritten('? keys');
  await terminal.atRest();
  terminal.press('\x04');
  await terminal.ended;
}

function open(stage, args, { simUrl = 'http://127.0.0.1:9', shows = false } = {}) {
  const env = {
    PATH: process.env.PATH,
    HOME: stage.home,
    COPPICE_HOME: join(stage.home, '.coppice'),
    COPPICE_MANAGED_SETTINGS: join(stage.home, 'managed.json'),
    ANTHROPIC_API_KEY: 'bench',
    ANTHROPIC_BASE_URL: simUrl,
  };
  return atTerminal(args, { env, cwd: stage.project, shows });
}

function figure(name, ours, target, samples = [ours]) {
  return { name, unit: 'ms', ours, target, samples: { ours: samples } };
}
