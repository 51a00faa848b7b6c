/** Rows for resuming: time to the first request of a resumed session, and what many sessions cost. */

import { copyFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startSim } from '../../dist/sim.mjs';
import { compare, row } from '../measure.mjs';
import { usageOf } from '../stage.mjs';

const MEGABYTE = 1024 * 1024;
const SIZES = [1, 100, 300];
/** The maximum size of the live view. Compacted records are skipped. */
const LIVE_BYTES = 4.5 * MEGABYTE;
const SESSIONS = 1_000;
const [FEW, MANY] = [100, 10_000];

export async function measure(stage, runs = 5) {
  const sim = await startSim({
    scenario: [
      {
        reply: async () => {
          seen = await usageOf(pid);
          return 'Hello.';
        },
      },
    ],
    keepBodies: false,
  });
  let pid;
  let seen;
  const timed = async (args) => {
    const arrival = sim.received(sim.requests.length + 1).then(() => performance.now());
    const began = performance.now();
    const process = stage.start(args, sim.url);
    pid = process.pid;
    await Promise.race([arrival, process.ended]);
    await process.ended;
    return { ms: (await arrival) - began, peak: seen.peakMb };
  };
  try {
    const first = await firstSession(stage, timed);
    const rows = [];
    for (const size of SIZES) {
      const path = await makeTranscript(first, size * MEGABYTE);
      const samples = await compare(
        size > 1 ? Math.min(runs, 3) : runs,
        () => timed(stage.floor('resume', stage.templateFile, path, 'go on')),
        async () => {
          await rm(checkpointOf(path), { force: true });
          return timed(stage.program('-p', 'go on', '--continue'));
        },
      );
      const name = size === 1 ? '' : ', no checkpoint';
      rows.push(row(`resume of ${size} MB${name} → first request`, 'ms', samples, undefined, ({ ms }) => ms));
      if (size === 300)
        rows.push(row(`resume of ${size} MB: peak memory`, 'MB', samples, { most: 512 }, ({ peak }) => peak));
      await rm(path);
    }
    rows.push(await longOverShort(stage, first, runs, timed));
    rows.push(await manyOverFew(stage, first, runs, timed));
    rows.push(await listing(stage, first, runs));
    return rows;
  } finally {
    await sim.close();
  }
}

function checkpointOf(path) {
  return join(path.replace(/\.jsonl$/, ''), 'checkpoint');
}

/** Both are ours: what lies before the last compaction must not count. The first resume makes the checkpoint. */
async function longOverShort(stage, first, runs, timed) {
  const [short, long] = [join(dirname(first), 'short.jsonl'), join(dirname(first), 'long.jsonl')];
  await rename(await makeTranscript(first, 1 * MEGABYTE), short);
  await rename(await makeTranscript(first, 300 * MEGABYTE), long);
  const resume = (id) => timed(stage.program('-p', 'go on', '--resume', id));
  await resume('short');
  await resume('long');
  const samples = await compare(
    runs,
    () => resume('short'),
    () => resume('long'),
  );
  await rm(short);
  await rm(long);
  return row('resume of 300 MB over 1 MB → first request', 'ms', samples, { ratio: 3 }, ({ ms }) => ms);
}

/** Both are ours: sessions that are not continued must not count. */
async function manyOverFew(stage, first, runs, timed) {
  const folder = dirname(first);
  const [few, many] = [`${folder}.few`, `${folder}.many`];
  await writeSessions(few, first, FEW);
  await writeSessions(many, first, MANY);
  const continued = async (from) => {
    await rm(folder, { recursive: true, force: true });
    await rename(from, folder);
    // What is known of the sessions of a folder belongs to it.
    await rename(`${from}.recent`, `${folder}.recent`).catch(() => {});
    const sample = await timed(stage.program('-p', 'go on', '--continue'));
    await rename(folder, from);
    await rename(`${folder}.recent`, `${from}.recent`);
    return sample;
  };
  await copyFile(`${first}.kept`, join(stage.scratch, 'kept'));
  const kept = join(stage.scratch, 'kept');
  await continued(few);
  await continued(many);
  const samples = await compare(
    runs,
    () => continued(few),
    () => continued(many),
  );
  for (const path of [few, many]) for (const name of [path, `${path}.recent`]) await rm(name, { recursive: true });
  await mkdir(folder, { recursive: true });
  await copyFile(kept, `${first}.kept`);
  const name = `--continue among ${MANY.toLocaleString('en')} sessions over ${FEW} → first request`;
  return row(name, 'ms', samples, { ratio: 1.5 }, ({ ms }) => ms);
}

/** The transcript of a session with one prompt, written by the program. */
async function firstSession(stage, timed) {
  await rm(join(stage.home, '.coppice', 'projects'), { recursive: true, force: true });
  await timed(stage.program('-p', 'hello'));
  const projects = join(stage.home, '.coppice', 'projects');
  const [name] = (await readdir(projects, { recursive: true })).filter((one) => one.endsWith('.jsonl'));
  return join(projects, name);
}

/** Replaces the session with a long one: calls with results of 50 KB, compacted repeatedly. */
async function makeTranscript(first, size) {
  const kept = `${first}.kept`;
  await copyFile(first, kept).catch(() => copyFile(kept, first));
  const lines = (await readFile(kept, 'utf8')).trimEnd().split('\n');
  const ended = JSON.parse(lines.at(-1));
  const replied = JSON.parse(lines.findLast((line) => line.includes('"assistant-replied"')));
  const file = await open(first, 'w');
  let bytes = 0;
  let view = 0;
  let seq = 0;
  const write = async (record) => {
    seq += 1;
    const line = `${JSON.stringify({ ...record, seq, uuid: `u${seq}`, parent: seq > 1 ? `u${seq - 1}` : null })}\n`;
    bytes += line.length;
    view += line.length;
    await file.write(line);
    return seq;
  };
  const result = 'lorem ipsum "dolor" sit amet\n'.repeat(1_700);
  for (const line of lines.slice(0, -1)) await write(JSON.parse(line));
  const head = { v: 1, ts: ended.ts };
  for (let n = 0; bytes < size; n += 1) {
    if (view > LIVE_BYTES) {
      await write({
        ...head,
        kind: 'history-compacted',
        trigger: 'auto',
        messages: 9,
        blocks: [{ type: 'text', text: 'So far.' }],
      });
      view = 0;
    }
    const id = `toolu_${n}`;
    const call = { type: 'tool_use', id, name: 'Bash', input: { command: `echo ${n}` } };
    await write({ ...head, kind: 'turn-started', turn: n });
    await write({ ...replied, response: `r${n}`, stop: 'tool_use', blocks: [call] });
    const block = { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: `${n} ${result}` }] };
    const at = await write({
      ...head,
      kind: 'call-finished',
      call: id,
      tool: 'Bash',
      isError: false,
      effects: true,
      ms: 1,
      blocks: [block],
    });
    await write({ ...head, kind: 'message-joined', from: [at] });
  }
  await write({
    ...head,
    kind: 'history-compacted',
    trigger: 'auto',
    messages: 9,
    blocks: [{ type: 'text', text: 'So far.' }],
  });
  await write({ ...replied, response: 'last', stop: 'end_turn', blocks: [{ type: 'text', text: 'Done.' }] });
  await write(ended);
  await file.close();
  return first;
}

/** Copies of the first session, of 110 KB each. */
async function writeSessions(folder, first, count) {
  const content = await readFile(`${first}.kept`, 'utf8');
  const [head, ...rest] = content.trimEnd().split('\n');
  const filler =
    `${JSON.stringify({ v: 1, seq: 9, uuid: 'u', parent: 'u', ts: '', kind: 'fault-met', fault: 'x', line: 'y'.repeat(900) })}\n`.repeat(
      120,
    );
  await mkdir(folder, { recursive: true });
  for (let n = 0; n < count; n += 1) {
    const id = `session-${String(n).padStart(5, '0')}`;
    const started = JSON.stringify({ ...JSON.parse(head), session: id });
    await writeFile(join(folder, `${id}.jsonl`), `${started}\n${rest.join('\n')}\n${filler}${rest.at(-1)}\n`);
  }
}

async function listing(stage, first, runs) {
  const folder = dirname(first);
  await writeSessions(folder, first, SESSIONS);
  const timed = async (args) => {
    const began = performance.now();
    await stage.start(args).ended;
    return performance.now() - began;
  };
  const samples = await compare(
    runs,
    () => timed(stage.floor('list', folder)),
    () => timed(stage.program('sessions', '--json')),
  );
  return row(`listing ${SESSIONS.toLocaleString('en')} sessions`, 'ms', samples, { ratio: 3 });
}
