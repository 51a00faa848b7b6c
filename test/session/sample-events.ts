/** Events as the loop writes them, and the request that would follow from a restored state. */

import { buildBody } from '../../src/model/anthropic/body.js';
import { Conversation } from '../../src/model/conversation.js';

import { freezePrefix } from '../../src/model/prefix.js';
import type { AssistantBlock } from '../../src/protocol/blocks.js';
import { text } from '../../src/protocol/blocks.js';
import type { DurableEvent, NoticeKey, Origin } from '../../src/protocol/events.js';
import { type FrozenBlock, type FrozenMessage, freezeBlock } from '../../src/protocol/frozen-block.js';
import { type OpenCalls, type Repair, repairHistory } from '../../src/session/repair/repair-history.js';
import { createRestorer } from '../../src/session/state/restore.js';
import type { Restored } from '../../src/session/state/restored.js';
import { decodeRecord, encodeRecord, type TranscriptRecord } from '../../src/session/transcript/record.js';
import { checkRequest, type Problem, signThinking } from '../../src/sim/index.js';

const MODEL = 'claude-opus-5-5';

export const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite5m: 20, cacheWrite1h: 0 };

const prefix = freezePrefix({
  model: MODEL,
  thinking: { type: 'adaptive', display: 'summarized' },
  tools: [{ name: 'Bash', description: 'runs', input_schema: { type: 'object' } }],
  system: ['You are a test.'],
});

export function started(session = 's', mode: 'default' | 'bypassPermissions' = 'default'): DurableEvent {
  return { kind: 'session-started', session, cwd: '/project', version: '0', model: MODEL, mode };
}

export function epoch(): DurableEvent {
  const { sha256, model } = prefix;
  return { kind: 'epoch-started', reason: 'session-start', prefix: sha256, model, maxTokens: 1000 };
}

export function admitted(words: string, origin: Origin = 'person', notice?: NoticeKey): DurableEvent {
  const key = notice === undefined ? {} : { notice };
  return { kind: 'input-admitted', origin, ...key, blocks: [freezeBlock(text(words))] };
}

export function joined(...from: number[]): DurableEvent {
  return { kind: 'message-joined', from };
}

export function replied(blocks: readonly (AssistantBlock | FrozenBlock)[], stop = 'end_turn'): DurableEvent {
  const frozen = blocks.map((block) => ('bytes' in block ? block : freezeBlock(block)));
  return { kind: 'assistant-replied', response: 'r', model: MODEL, stop, usage, requestBytes: 1, blocks: frozen };
}

export function call(id: string, input: unknown = { command: 'ls' }, name = 'Bash'): AssistantBlock {
  return { type: 'tool_use', id, name, input };
}

export function thought(words: string): AssistantBlock {
  return { type: 'thinking', thinking: words, signature: signThinking(words) };
}

export function intended(id: string): DurableEvent {
  return { kind: 'call-intended', call: id, tool: 'Bash' };
}

export function finished(id: string, words = 'done', effects = true): DurableEvent {
  const block = freezeBlock({ type: 'tool_result', tool_use_id: id, content: [text(words)] });
  return { kind: 'call-finished', call: id, tool: 'Bash', isError: false, effects, ms: 1, blocks: [block] };
}

export function ended(): DurableEvent {
  return { kind: 'run-ended', reason: 'completed', usage };
}

export function turn(n = 1): DurableEvent {
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

export function restore(events: readonly DurableEvent[], inherited: readonly FrozenMessage[] = []): Restored {
  const restorer = createRestorer(inherited);
  for (const record of recordsOf(events)) restorer.add(record);
  return restorer.finish();
}

export function repair(restored: Restored, settleAgentCall?: OpenCalls['closeAgentCall']): Repair {
  return repairHistory(restored.history, {
    ...restored,
    ...(settleAgentCall ? { closeAgentCall: settleAgentCall } : {}),
  });
}

/** What going on would send next: the repaired history, results first, then what waits, then new words if it must. */
export function nextMessages(restored: Restored, repaired: Repair = repair(restored)): FrozenMessage[] {
  const results = repaired.closed.flatMap((one): readonly FrozenBlock[] => {
    if (one.kind === 'recorded') return one.blocks;
    if (one.kind === 'made') return one.event.blocks;
    throw new Error('nobody waits here');
  });
  const blocks = [...results, ...restored.pending.flatMap((input) => input.blocks)];
  const messages: FrozenMessage[] = [...repaired.messages];
  if (blocks.length > 0) messages.push({ role: 'user', blocks });
  if (messages.at(-1)?.role !== 'user') messages.push({ role: 'user', blocks: [freezeBlock(text('go on'))] });
  return messages;
}

function bodyOf(messages: readonly FrozenMessage[], accepted?: number): Buffer {
  const conversation = new Conversation(prefix);
  for (const message of messages) conversation.append(message);
  if (accepted !== undefined) conversation.accepted(accepted);
  return buildBody({
    prefix,
    history: conversation.history.view(),
    maxTokens: 1000,
    cacheLifetime: '5m',
    breakpoints: conversation.breakpoints,
  });
}

export function problemOf(messages: readonly FrozenMessage[], accepted?: number): Problem | undefined {
  return checkRequest(JSON.parse(bodyOf(messages, accepted).toString('utf8')), { signatures: false });
}

export function show(messages: readonly FrozenMessage[]): string[] {
  return messages.map(
    ({ role, blocks }) => `${role}: ${blocks.map((one) => Buffer.from(one.bytes).toString()).join(' ')}`,
  );
}
