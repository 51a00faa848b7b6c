/** What it costs to show a session: CPU, bytes and memory, next to the floor; more agents, more lines. */

import { compare, row } from '../measure.mjs';
import { atTerminal, pause } from './at-terminal.mjs';
import { bundlePrograms } from './bundle.mjs';

const LINES = 2000;
const MANY = 10_000;
/** Typed meanwhile, a key at a time. */
const TYPED = 'while it works, a person writes wörds 你好 ';

export async function measureShows(stage, runs) {
  const programs = await bundlePrograms(stage);
  const show = (name, env = {}) =>
    showOnce(stage, programs[name], { LINES: `${LINES}`, RATE: '200', AGENTS: '20', ...env });
  const samples = await compare(
    runs,
    () => show('floor'),
    () => show('ours'),
  );
  const few = samples.ours;
  const many = [await show('ours', { AGENTS: '200' })];
  const atOnce = { floor: [await show('floor', atOnceOf(MANY))], ours: [await show('ours', atOnceOf(MANY))] };
  const long = [await show('ours', { LINES: `${MANY}`, RATE: '2000' })];
  const name = `20 agents, ${LINES.toLocaleString('en')} lines at 200/s`;
  return [
    row(`${name}: CPU`, 'ms', samples, { ratio: 1.5 }, ({ cpuMs }) => cpuMs),
    row(`${name}: written`, 'KB', samples, { ratio: 1.5 }, ({ kb }) => kb),
    row(`${name}: memory`, 'MB', samples, { ratio: 1.5 }, ({ rssMb }) => rssMb),
    row('the same, 200 agents over 20: CPU', 'ms', { floor: few, ours: many }, { ratio: 2 }, ({ cpuMs }) => cpuMs),
    row('10,000 lines at once: CPU', 'ms', atOnce, { most: 1000 }, ({ cpuMs }) => cpuMs),
    row('memory after 10,000 lines over 2,000', 'MB', { floor: few, ours: long }, { ratio: 1.5 }, ({ rssMb }) => rssMb),
  ];
}

function atOnceOf(lines) {
  return { LINES: `${lines}`, AT_ONCE: '1' };
}

/** From the moment it has loaded everything: how programs start is another row. */
async function showOnce(stage, program, env) {
  const terminal = atTerminal([program], {
    env: { PATH: process.env.PATH, HOME: stage.home, ...env },
    cwd: stage.project,
  });
  try {
    await pause(300);
    await terminal.atRest();
    const { cpuMs: before } = await terminal.usage();
    process.kill(terminal.pid, 'SIGUSR2');
    const typing = type(terminal);
    await terminal.untilWritten(idOf(Number(env.LINES)));
    await typing;
    await pause(300);
    const { cpuMs, rssMb } = await terminal.usage();
    const kb = terminal.bytes() / 1024;
    await checkLines(terminal, Number(env.LINES));
    return { cpuMs: cpuMs - before, rssMb, kb };
  } finally {
    await terminal.kill();
  }
}

async function type(terminal) {
  for (const key of TYPED) {
    terminal.press(key);
    await pause(30);
  }
}

/** What shows less is no faster. */
async function checkLines(terminal, count) {
  const seen = new Map();
  for (const line of await terminal.lines())
    for (const [id] of line.matchAll(/L\d{5}/g)) seen.set(id, (seen.get(id) ?? 0) + 1);
  for (let line = 1; line <= count; line += 1) {
    const times = seen.get(idOf(line)) ?? 0;
    if (times !== 1) throw new Error(`${idOf(line)} is there ${times} times`);
  }
}

function idOf(line) {
  return `L${String(line).padStart(5, '0')}`;
}
