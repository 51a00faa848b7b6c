/** Events as the loop writes them, and the request that would follow from the state they fold into. */

import { buildBody } from '../../../src/model/anthropic/body.js';
import { freezePrefix } from '../../../src/model/anthropic/prefix.js';
import type { AssistantBlock } from '../../../src/protocol/blocks.js';
import { text } from '../../../src/protocol/blocks.js';
import type { DurableEvent, DurableEventOf, NoticeKey, Origin } from '../../../src/protocol/events.js';
import { type FrozenBlock, type FrozenMessage, freezeBlock } from '../../../src/protocol/frozen-block.js';
import { History } from '../../../src/protocol/history.js';
import { type Repair, repairHistory } from '../../../src/session/repair/repair-history.js';
import type { AgentState } from '../../../src/session/state/agent-state.js';
import { type ReadState, StateReader } from '../../../src/session/state/read-state.js';
import { decodeRecord, encodeRecord, type TranscriptRecord } from '../../../src/session/transcript/record.js';
import { checkRequest, type Problem, signThinking } from '../../../src/sim/index.js';

const MODEL = 'claude-opus-5-5';

export const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite5m: 20, cacheWrite1h: 0 };

const prefix = freezePrefix({
  model: MODEL,
  thinking: { kind: 'adaptive' },
  tools: [{ name: 'Bash', description: 'runs', inputSchema: { type: 'object' } }],
  system: ['You are a test.'],
});

export function started(
  session = 's',
  mode: 'default' | 'bypassPermissions' = 'default',
): DurableEventOf<'session-started'> {
  return { kind: 'session-started', session, cwd: '/project', version: '0', model: MODEL, mode };
}

export function epoch(): DurableEventOf<'epoch-started'> {
  const { sha256, model } = prefix;
  return { kind: 'epoch-started', reason: 'session-start', prefix: sha256, model, maxTokens: 1000 };
}

export function admitted(
  words: string,
  origin: Origin = 'person',
  notice?: NoticeKey,
): DurableEventOf<'input-admitted'> {
  const key = notice === undefined ? {} : { notice };
  return { kind: 'input-admitted', origin, ...key, blocks: [freezeBlock(text(words))] };
}

export function joined(...from: number[]): DurableEventOf<'message-joined'> {
  return { kind: 'message-joined', from };
}

export function replied(
  blocks: readonly (AssistantBlock | FrozenBlock)[],
  stop = 'end_turn',
): DurableEventOf<'assistant-replied'> {
  const frozen = blocks.map((block) => ('bytes' in block ? block : freezeBlock(block)));
  return { kind: 'assistant-replied', response: 'r', model: MODEL, stop, usage, requestBytes: 1, blocks: frozen };
}

export function call(id: string, input: unknown = { command: 'ls' }, name = 'Bash'): AssistantBlock {
  return { type: 'tool_use', id, name, input };
}

export function thought(words: string): AssistantBlock {
  return { type: 'thinking', thinking: words, signature: signThinking(words, MODEL) };
}

export function intended(id: string): DurableEventOf<'call-intended'> {
  return { kind: 'call-intended', call: id, tool: 'Bash' };
}

export function finished(id: string, words = 'done', effects = true): DurableEventOf<'call-finished'> {
  const block = freezeBlock({ type: 'tool_result', tool_use_id: id, content: [text(words)] });
  return { kind: 'call-finished', call: id, tool: 'Bash', isError: false, effects, ms: 1, blocks: [block] };
}

export function ended(): DurableEventOf<'run-ended'> {
  return { kind: 'run-ended', reason: 'completed', usage };
}

export function turn(n = 1): DurableEventOf<'turn-started'> {
  return { kind: 'turn-started', turn: n };
}

/** The events as records, through their bytes. */
export function recordsOf(events: readonly DurableEvent[]): TranscriptRecord[] {
  return linesOf(events).map((line) => {
    const record = decodeRecord(line);
    if (record === undefined || !('event' in record)) throw new Error('not read back');
    return record;
  });
}

export function linesOf(events: readonly DurableEvent[]): Buffer[] {
  return events.map((event, index) => {
    const parent = index === 0 ? null : `u${index}`;
    return encodeRecord({ v: 1, seq: index + 1, uuid: `u${index + 1}`, parent, ts: '2026-01-01T00:00:00.000Z' }, event);
  });
}

/** The state read back from these records. */
export function readBack(
  records: readonly TranscriptRecord[],
  inherited: Iterable<FrozenMessage> = [],
): Pick<ReadState, 'state' | 'end' | 'records' | 'unknown'> {
  const reader = new StateReader(History.of(inherited));
  for (const record of records) reader.add(record);
  return reader.finish();
}

export function restore(events: readonly DurableEvent[], inherited: Iterable<FrozenMessage> = []): AgentState {
  return readBack(recordsOf(events), inherited).state;
}

/** The next request after a resume: the repaired history, results first, then waiting input, then a new prompt if needed. */
export function nextMessages(state: AgentState, repaired: Repair = repairHistory(state)): FrozenMessage[] {
  const results = repaired.closed.flatMap((one): readonly FrozenBlock[] => {
    if (one.kind === 'recorded') return one.blocks;
    if (one.kind === 'made') return one.event.blocks;
    throw new Error('nobody waits here');
  });
  const blocks = [...results, ...state.pending.flatMap((input) => input.blocks)];
  const messages: FrozenMessage[] = [...repaired.messages];
  if (blocks.length > 0) messages.push({ role: 'user', blocks });
  if (messages.at(-1)?.role !== 'user') messages.push({ role: 'user', blocks: [freezeBlock(text('go on'))] });
  return messages;
}

function bodyOf(messages: readonly FrozenMessage[], accepted?: number): Buffer {
  return buildBody({
    prefix,
    history: History.of(messages).view(),
    maxTokens: 1000,
    cacheLifetime: '5m',
    breakpoints: accepted === undefined ? [] : [{ messages: accepted }],
  });
}

export function problemOf(messages: readonly FrozenMessage[], accepted?: number): Problem | undefined {
  return checkRequest(JSON.parse(bodyOf(messages, accepted).toString('utf8')), { signatures: false });
}

export function show(messages: Iterable<FrozenMessage>): string[] {
  return Array.from(
    messages,
    ({ role, blocks }) => `${role}: ${blocks.map((one) => Buffer.from(one.bytes).toString()).join(' ')}`,
  );
}
