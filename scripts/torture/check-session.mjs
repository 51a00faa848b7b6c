/**
 * Checks the result of a tortured session against the durability promises. Knows the file format, but shares no code
 * with the program.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LINES_FILE } from './work.mjs';

export function noFaults() {
  return { lost: 0, notice: 0, unreadable: 0, invalid: 0, lock: 0, repeated: 0, stuck: 0 };
}

const FINAL = new Set(['completed', 'failed', 'stopped']);
const MOVED = 'moved to the background';

export async function checkSession(played) {
  const faults = Object.fromEntries(Object.keys(noFaults()).map((name) => [name, []]));
  const files = await readTranscripts(join(played.home, '.coppice', 'projects'), faults);
  faults.lock.push(...played.locked);
  faults.stuck.push(...played.stuck);
  checkRequests(played, files, faults);
  checkPrinted(played, files, faults);
  const notices = checkNotices(played, files, faults);
  const repeats = await checkEffects(played, files, faults);
  const records = files.reduce((sum, file) => sum + file.records.length, 0);
  return { faults, facts: { requests: played.requests.length, records, notices, repeats } };
}

/** Each line must be a record with the next number and a reference to the record before it. */
async function readTranscripts(folder, faults) {
  const found = [];
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  for (const name of names.filter((one) => one.endsWith('.jsonl'))) {
    const content = await readFile(join(folder, name), 'utf8');
    const lines = content.split('\n');
    if (lines.pop() !== '') faults.unreadable.push(`${name}: its last line is incomplete`);
    const records = [];
    lines.forEach((line, index) => {
      const record = parse(line);
      const follows = record?.parent === (records.at(-1)?.uuid ?? null);
      if (record?.seq === index + 1 && follows) records.push({ ...record, blockTexts: blockTexts(line) });
      else faults.unreadable.push(`${name}: line ${index + 1} is not record ${index + 1}: ${line.slice(0, 120)}`);
    });
    const agent = /agent-([^/]+)\.jsonl$/.exec(name)?.[1];
    // A process killed before its first record leaves an empty file, which is not a session.
    if (records.length > 0) found.push({ name, agent: agent ?? 'main', records });
  }
  const sessions = found.filter((file) => file.agent === 'main');
  if (sessions.length !== 1) faults.lost.push(`expected one session, found ${sessions.length}`);
  return found;
}

/** The blocks of a record as the bytes in its line: exactly these bytes must be sent. */
function blockTexts(line) {
  const at = line.indexOf(',"blocks":[');
  return at < 0 ? '' : line.slice(at + ',"blocks":['.length, -2);
}

/** Everything sent to the model must be on disk, byte for byte, and every request must be valid. */
function checkRequests(played, files, faults) {
  const stored = files.flatMap((file) => file.records.map((record) => record.blockTexts)).join('\n');
  const known = new Set();
  for (const request of played.requests) {
    if (request.status !== undefined && request.status !== 200)
      faults.invalid.push(`#${request.index}: ${request.error}`);
    for (const { content } of request.body.messages ?? []) {
      for (const block of content) {
        const { cache_control: _, ...plain } = block;
        const text = JSON.stringify(plain);
        if (known.has(text)) continue;
        known.add(text);
        if (!stored.includes(text))
          faults.lost.push(`request #${request.index} has a block that is in no record: ${text.slice(0, 200)}`);
      }
    }
  }
  faults.invalid.push(...played.unmatched);
}

/** Everything printed must be on disk. */
function checkPrinted(played, files, faults) {
  const replies = new Map();
  const results = new Map();
  const answers = new Set();
  for (const { records } of files) {
    for (const record of records) {
      if (record.kind === 'assistant-replied') replies.set(record.response, record);
      if (record.kind === 'call-finished') results.set(record.call, JSON.stringify(record.blocks));
      if (record.kind === 'permission-answered' && record.behavior === 'allow') answers.add(record.call);
    }
  }
  for (const line of played.printed) {
    if (line.type === 'assistant') {
      const record = replies.get(line.message.id);
      if (JSON.stringify(record?.blocks) !== JSON.stringify(line.message.content)) {
        faults.lost.push(`the reply ${line.message.id} was printed but is not on disk`);
      }
    }
    for (const block of line.type === 'user' ? line.message.content : []) {
      if (block.type !== 'tool_result') continue;
      if (results.get(block.tool_use_id) !== JSON.stringify([block])) {
        faults.lost.push(`the result of ${block.tool_use_id} was printed but is not on disk`);
      }
      if (played.allowed.has(block.tool_use_id) && block.is_error !== true && !answers.has(block.tool_use_id)) {
        faults.lost.push(`the answer about ${block.tool_use_id} was used but is not on disk`);
      }
    }
  }
}

/** Every run that ended without a waiting caller must have sent one notice to its parent; other runs none. */
function checkNotices(played, files, faults) {
  const owed = new Map();
  for (const { agent, records } of files) {
    const spawned = records.find((record) => record.kind === 'agent-spawned');
    if (spawned === undefined) continue;
    const moved = new Set(records.filter(({ reason }) => reason === MOVED).map(({ run }) => run));
    for (const { kind, state, run } of records) {
      if (kind !== 'agent-state-changed' || !FINAL.has(state)) continue;
      if (owed.has(`${agent} ${run}`)) faults.notice.push(`run ${run} of ${agent} ended twice`);
      owed.set(`${agent} ${run}`, spawned.background || moved.has(run) || run > 1);
    }
  }
  const main = files.find((file) => file.agent === 'main');
  const arrived = new Map();
  const joined = new Set(main?.records.flatMap((record) => (record.kind === 'message-joined' ? record.from : [])));
  for (const record of main?.records ?? []) {
    if (record.kind !== 'input-admitted' || record.notice === undefined) continue;
    const key = `${record.notice.agent} ${record.notice.run}`;
    arrived.set(key, (arrived.get(key) ?? 0) + (joined.has(record.seq) ? 1 : 0));
  }
  for (const [key, isOwed] of owed) {
    const times = arrived.get(key) ?? 0;
    if (times !== (isOwed ? 1 : 0)) faults.notice.push(`${key}: ${times} notices reached the parent`);
  }
  for (const key of arrived.keys())
    if (!owed.has(key)) faults.notice.push(`${key}: a notice of a run that did not end`);
  // The model must have seen it once, in the main agent's last request.
  const last = played.requests.findLast(({ body }) => JSON.stringify(body.messages ?? []).includes('main-2'));
  const text = JSON.stringify(last?.body.messages ?? []);
  for (const [key, isOwed] of owed) {
    const [agent] = key.split(' ');
    const runs = [...owed].filter(([other, counts]) => counts && other.startsWith(`${agent} `)).length;
    const times = text.split(`<task-id>${agent}</task-id>`).length - 1;
    if (isOwed && last !== undefined && times !== runs)
      faults.notice.push(`${agent}: the model saw ${times} notices of ${runs}`);
  }
  return [...owed.values()].filter(Boolean).length;
}

/** A line may occur once, plus once for each time the model was told that the outcome is unknown. */
async function checkEffects(played, files, faults) {
  const lines = (await readFile(join(played.project, LINES_FILE), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const commands = new Map();
  const unknown = new Map();
  const finished = new Map();
  for (const { records } of files) {
    for (const record of records) {
      for (const block of record.blocks ?? []) {
        if (block.type === 'tool_use' && block.name === 'Bash') {
          commands.set(block.id, /echo (\S+) >>/.exec(block.input.command)?.[1]);
        }
      }
      if (record.kind !== 'call-finished' || record.tool !== 'Bash') continue;
      const line = commands.get(record.call);
      const told = JSON.stringify(record.blocks);
      if (!record.isError) finished.set(line, (finished.get(line) ?? 0) + 1);
      else if (/outcome (is )?unknown/i.test(told)) unknown.set(line, (unknown.get(line) ?? 0) + 1);
    }
  }
  let repeats = 0;
  for (const line of new Set([...lines, ...finished.keys()])) {
    const times = lines.filter((one) => one === line).length;
    const most = (finished.get(line) ?? 0) + (unknown.get(line) ?? 0);
    if (times > 1) repeats += times - 1;
    if ((finished.get(line) ?? 0) > 1) faults.repeated.push(`${line} was executed ${finished.get(line)} times`);
    if (times > most) faults.repeated.push(`${line} occurs ${times} times; the model knows of at most ${most}`);
    if (times < (finished.get(line) ?? 0)) faults.lost.push(`${line} was reported as done but is missing`);
  }
  return repeats;
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
