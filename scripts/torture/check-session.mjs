/**
 * Checks the result of a tortured session against the durability promises. Knows the file format, but shares no code
 * with the program.
 */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkEffects } from './check-effects.mjs';
import { checkNotices } from './check-notices.mjs';
import { checkWorktrees } from './check-worktrees.mjs';

export function noFaults() {
  return { lost: 0, notice: 0, unreadable: 0, invalid: 0, lock: 0, repeated: 0, left: 0, stuck: 0, worktree: 0 };
}

export async function checkSession(played) {
  const faults = Object.fromEntries(Object.keys(noFaults()).map((name) => [name, []]));
  const folder = join(played.home, '.coppice', 'projects');
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = await readTranscripts(folder, names, faults);
  await checkPrefixes(folder, names, faults);
  faults.lock.push(...played.locked);
  faults.left.push(...played.left);
  faults.stuck.push(...played.stuck);
  checkRequests(played, files, faults);
  checkPrinted(played, files, faults);
  const notices = checkNotices(played, files, faults);
  const repeats = await checkEffects(played, files, faults);
  const worktrees = await checkWorktrees(played, files, faults);
  const records = files.reduce((sum, file) => sum + file.records.length, 0);
  const all = files.flatMap((file) => file.records);
  const compactions = all.filter(({ kind }) => kind === 'history-compacted').length;
  const nested = all.filter(({ kind, depth }) => kind === 'agent-spawned' && depth > 1).length;
  return {
    faults,
    facts: { requests: played.requests.length, records, notices, repeats, compactions, nested, ...worktrees },
  };
}

/** Each line must be a record with the next number and a reference to the record before it. */
async function readTranscripts(folder, names, faults) {
  const found = [];
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

/** A prefix is named by the hash of its content. */
async function checkPrefixes(folder, names, faults) {
  for (const name of names.filter((one) => /\/prefixes\/[0-9a-f]{64}\.json$/.test(one))) {
    const hash = createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex');
    if (hash !== basename(name, '.json')) faults.unreadable.push(`${name}: its content is not what its name says`);
  }
}

/** The blocks of a record as the bytes in its line: exactly these bytes must be sent. */
function blockTexts(line) {
  const at = line.indexOf(',"blocks":[');
  return at < 0 ? '' : line.slice(at + ',"blocks":['.length, -2);
}

/**
 * Everything sent to the model must be on disk, byte for byte, and every request must be valid. When the power went, that
 * holds for the user’s prompt and for results with effects.
 */
function checkRequests(played, files, faults) {
  const stored = files.flatMap((file) => file.records.map((record) => record.blockTexts)).join('\n');
  const known = new Set();
  const tools = toolNames(played);
  for (const request of played.requests) {
    if (request.status !== undefined && request.status !== 200)
      faults.invalid.push(`#${request.index}: ${request.error}`);
    for (const { content } of request.body.messages ?? []) {
      for (const block of content) {
        const { cache_control: _, ...plain } = block;
        const text = JSON.stringify(plain);
        if (known.has(text)) continue;
        known.add(text);
        // A request for a summary is not part of the conversation.
        if (plain.type === 'text' && plain.text.startsWith('<compaction>')) continue;
        if (hasLostPower(played) && !survivesPower(plain, tools)) continue;
        if (!stored.includes(text))
          faults.lost.push(`request #${request.index} has a block that is in no record: ${text.slice(0, 200)}`);
      }
    }
  }
  faults.invalid.push(...played.unmatched);
  const intruded = played.requests.filter(({ body }) =>
    JSON.stringify(body.messages).includes('SECOND PROCESS SPEAKS'),
  );
  if (intruded.length > 0) faults.left.push('a second process got through to the model');
}

function hasLostPower({ facts }) {
  return facts.powers > 0;
}

/** The user's words, and results of children and of what had effects. */
function survivesPower(block, tools) {
  if (block.type === 'text') return /^(?:Begin|Go on with) the work\. \(\d+\)$/.test(block.text);
  if (block.type !== 'tool_result' || block.is_error === true) return false;
  return ['Bash', 'Agent'].includes(tools.get(block.tool_use_id));
}

function toolNames({ requests }) {
  const blocks = requests.flatMap(({ body }) => (body.messages ?? []).flatMap(({ content }) => content));
  return new Map(blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name]] : [])));
}

/** Everything printed must be on disk. When the power went, that holds for what had effects, and answers to questions. */
function checkPrinted(played, files, faults) {
  const replies = new Map();
  const results = new Map();
  const answers = new Set();
  const tools = toolNames(played);
  for (const { records } of files) {
    for (const record of records) {
      if (record.kind === 'assistant-replied') replies.set(record.response, record);
      if (record.kind === 'call-finished') results.set(record.call, JSON.stringify(record.blocks));
      if (record.kind === 'permission-answered' && record.behavior === 'allow') answers.add(record.call);
    }
  }
  for (const [id, blocks] of hasLostPower(played) ? [] : printedReplies(played)) {
    const stored = replies.get(id)?.blocks ?? [];
    // A line for each block: a kill may come between two of them.
    if (JSON.stringify(stored.slice(0, blocks.length)) !== JSON.stringify(blocks)) {
      faults.lost.push(`the reply ${id} was printed but is not on disk`);
    }
  }
  for (const line of played.printed) {
    for (const block of line.type === 'user' ? line.message.content : []) {
      if (block.type !== 'tool_result') continue;
      const isBound = !hasLostPower(played) || survivesPower(block, tools);
      if (isBound && results.get(block.tool_use_id) !== JSON.stringify([block])) {
        faults.lost.push(`the result of ${block.tool_use_id} was printed but is not on disk`);
      }
      if (played.allowed.has(block.tool_use_id) && block.is_error !== true && !answers.has(block.tool_use_id)) {
        faults.lost.push(`the answer about ${block.tool_use_id} was used but is not on disk`);
      }
    }
  }
}

/** By their ids: the blocks, in the order of their lines. */
function printedReplies({ printed }) {
  const replies = new Map();
  for (const { type, message } of printed) {
    if (type === 'assistant') replies.set(message.id, [...(replies.get(message.id) ?? []), ...message.content]);
  }
  return replies;
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
