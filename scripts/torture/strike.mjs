/** How a running session is struck: what happens to it, and at which moment. */

import { readdirSync, readFileSync } from 'node:fs';

/** Records at which the machine fails: up to the n-th of a kind, or one with these words. Each with its weight. */
const RECORDS = [
  [{ kind: 'notice-queued', most: 3 }, 2],
  // Between this one and the next, only the notice on disk knows that the child of a child has ended.
  [{ kind: 'notice-queued', most: 1, has: 'leaf completed' }, 3],
  [{ kind: 'agent-state-changed', most: 12 }, 2],
  [{ kind: 'agent-state-changed', most: 1, has: '"waiting"' }, 2],
  [{ kind: 'result-made', most: 4 }, 1],
  [{ kind: 'input-admitted', most: 10 }, 2],
  [{ kind: 'message-joined', most: 10 }, 3],
  [{ kind: 'call-intended', most: 8 }, 2],
  [{ kind: 'call-finished', most: 8 }, 2],
  [{ kind: 'assistant-replied', most: 12 }, 1],
  [{ kind: 'agent-spawned', most: 4 }, 1],
  [{ kind: 'epoch-started', most: 3 }, 1],
  // What became of a worktree is on disk before the notice of the run.
  [{ kind: 'worktree-settled', most: 1 }, 2],
];

/** `what`: kill, tree (with all its processes), term, int, fill (the disk), or a fault at a record: record-kill, power, refuse. */
export function planStrike(random, { canFill, only }) {
  const ways = [
    ['kill', 8],
    ['tree', 3],
    ['term', 3],
    ['int', 2],
    ['record-kill', 6],
    ['power', 4],
    ['refuse', 3],
    ['fill', canFill ? 3 : 0],
  ];
  const what = random.pick(ways.filter(([way]) => only?.includes(way) ?? true));
  if (what === 'record-kill' || what === 'power' || what === 'refuse') {
    const { kind, most, has } = random.pick(RECORDS);
    const fault = { kind, has, count: random.whole(1, most), what: what === 'record-kill' ? 'kill' : what };
    return { what, fault: what === 'power' ? { ...fault, ms: random.whole(0, 30) } : fault };
  }
  return { what, at: planMoment(random), fillMs: random.whole(200, 1_500) };
}

/** After a time, or a moment after a number of requests or lines. */
function planMoment(random) {
  const kind = random.whole(1, 4);
  // Early ones hit the program while it starts or resumes.
  if (kind === 4) return { kind: 'time', ms: random.whole(60, 450) };
  if (kind === 1) return { kind: 'time', ms: random.whole(20, 1_800) };
  if (kind === 2) return { kind: 'requests', count: random.whole(1, 14), ms: random.whole(0, 40) };
  return { kind: 'lines', count: random.whole(1, 45), ms: random.whole(0, 15) };
}

/** Strikes that end the program at once. */
export function isSudden(what) {
  return what === 'kill' || what === 'tree' || what === 'record-kill' || what === 'power';
}

/** The program and all its descendants, killed together. */
export function killTree(child) {
  for (const pid of [child.pid, ...descendantsOf(child.pid)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended on its own.
    }
  }
}

function descendantsOf(root) {
  const children = new Map();
  for (const pid of processes()) {
    const parent = Number(read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found = [];
  for (let level = [root]; level.length > 0; level = level.flatMap((pid) => children.get(pid) ?? [])) {
    found.push(...level);
  }
  return found.slice(1);
}

/** Processes whose command line has the words, ended ones that nobody collected aside. */
export function runningWith(words) {
  return processes().filter((pid) => read(`/proc/${pid}/cmdline`).includes(words));
}

function processes() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
