/** CL-4: events as `stream-json` lines. */

import { describe, expect, it } from 'vitest';
import { createView } from '../../../../src/front/view/session-view.js';
import { partialEvents } from '../../../../src/front/view/stream-json/partial-events.js';
import { streamJson } from '../../../../src/front/view/stream-json/stream-json.js';
import { text } from '../../../../src/protocol/blocks.js';
import type { AgentEvent } from '../../../../src/protocol/events.js';
import { freezeBlock } from '../../../../src/protocol/frozen-block.js';
import { NO_USAGE } from '../../../../src/protocol/usage.js';
import { messageId } from '../../../../src/session/message-id.js';

/** The lines of events of one agent, numbered as records are. */
function lines(events: readonly AgentEvent[], { agent = 'main', partial = false } = {}) {
  const view = createView();
  return events.flatMap((event, index) => {
    const watched = { agent, seq: index + 1, event };
    const made = streamJson(view, watched, { session: 's', newId: () => 'new', now: () => 0, partial });
    view.apply(watched, 0);
    return made;
  });
}

const reply = (stop: string, ...words: readonly string[]): AgentEvent => ({
  kind: 'assistant-replied',
  response: 'msg_1',
  model: 'm',
  stop,
  usage: NO_USAGE,
  requestBytes: 1,
  blocks: words.map((one) => freezeBlock(text(one))),
});
const ended = (reason: 'api_error' | 'completed'): AgentEvent => ({
  kind: 'run-ended',
  reason,
  line: 'it failed',
  usage: NO_USAGE,
});

describe('messages', () => {
  it('CL-4: each block has an id derived from its record: the same after a resume', () => {
    const ids = lines([reply('end_turn', 'a', 'b')]).map(({ uuid }) => uuid);
    expect(ids).toEqual([messageId('s', 'main', 1, 0), messageId('s', 'main', 1, 1)]);
    expect(
      new Set([...ids, messageId('s', 'kid', 1), messageId('t', 'main', 1), messageId('s', 'main', 11)]).size,
    ).toBe(5);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('CL-4: a truncated reply is marked, and gets no end', () => {
    expect(lines([reply('interrupted', 'half')], { partial: true })).toMatchObject([
      { type: 'assistant', aborted: true },
    ]);
  });

  it('CL-4: a hook’s message to the model is marked as synthetic; other internal input is not shown', () => {
    const admitted = (origin: 'hook' | 'reminder'): AgentEvent => ({
      kind: 'input-admitted',
      origin,
      blocks: [freezeBlock(text('go on'))],
    });
    expect(lines([admitted('reminder'), admitted('hook')])).toMatchObject([{ type: 'user', isSynthetic: true }]);
  });

  it('CL-4: the call of a client is no part of the conversation', () => {
    const call = { call: 'c', tool: 'Read', isError: false, effects: false, ms: 1, blocks: [] };
    expect(lines([{ kind: 'call-finished', ...call, aside: true }])).toEqual([]);
    expect(lines([{ kind: 'call-finished', ...call }])).toMatchObject([{ type: 'user' }]);
  });

  it.each([
    ['unauthorized', 'authentication_failed'],
    ['not-found', 'model_not_found'],
    ['overloaded', 'overloaded'],
    ['rate-limited', 'rate_limit'],
    ['server-error', 'server_error'],
    ['invalid-request', 'invalid_request'],
    ['unreachable', 'unknown'],
  ])('CL-4: a run that the API ended (%s) says why in the place of a reply: %s', (fault, error) => {
    const met: AgentEvent = { kind: 'fault-met', fault, line: 'it failed' };
    const [, said, ...more] = lines([met, ended('api_error')]);
    expect(said).toMatchObject({
      type: 'assistant',
      error,
      message: { content: [{ type: 'text', text: 'it failed' }] },
    });
    expect(more).toEqual([]);
    expect(lines([ended('completed')])).toEqual([]);
  });
});

describe('system lines', () => {
  it('CL-4: a retried fault is api_retry; any other is a line for the user', () => {
    const retry = { attempt: 2, most: 8, delayMs: 500, status: null };
    expect(
      lines([
        { kind: 'fault-met', fault: 'stream-cut', line: 'a', retry },
        { kind: 'fault-met', fault: 'pause-turn', line: 'b' },
      ]),
    ).toMatchObject([
      {
        subtype: 'api_retry',
        attempt: 2,
        max_retries: 8,
        retry_delay_ms: 500,
        error_status: null,
        error: 'server_error',
      },
      { subtype: 'informational', level: 'warning', content: 'b', fault: 'pause-turn' },
    ]);
  });

  it('CL-4: statuses and boundaries are the main agent’s own', () => {
    const events: readonly AgentEvent[] = [
      { kind: 'mode-changed', mode: 'plan' },
      { kind: 'compaction-began', trigger: 'overflow' },
      { kind: 'compaction-failed', reason: 'too long' },
      { kind: 'history-compacted', trigger: 'overflow', messages: 3, usage: { ...NO_USAGE, input: 70 }, blocks: [] },
      { kind: 'request-sent', turn: 1, bytes: 1 },
    ];
    expect(lines(events)).toMatchObject([
      { subtype: 'status', status: null, permissionMode: 'plan' },
      { subtype: 'status', status: 'compacting' },
      { subtype: 'status', status: null, compact_result: 'failed', compact_error: 'too long' },
      { subtype: 'status', status: null, compact_result: 'success' },
      { subtype: 'compact_boundary', compact_metadata: { trigger: 'auto', pre_tokens: 70, post_tokens: 0 } },
    ]);
    expect(lines(events, { partial: true }).at(-1)).toMatchObject({ subtype: 'status', status: 'requesting' });
    expect(lines(events, { agent: 'kid', partial: true })).toEqual([]);
  });

  it('CL-4: another model in its place is named', () => {
    const fell: AgentEvent = { kind: 'model-fallback', from: 'a', to: 'b', reason: 'overloaded', line: 'x' };
    expect(lines([fell])).toMatchObject([
      { subtype: 'model_fallback', trigger: 'overloaded', original_model: 'a', fallback_model: 'b', content: 'x' },
    ]);
  });

  it('CL-4: denials answered by someone are not repeated; levels are those that clients know', () => {
    const denied = (by: string): AgentEvent => ({
      kind: 'permission-answered',
      call: 'c',
      tool: 'Bash',
      behavior: 'deny',
      by,
      reason: 'no',
    });
    expect(lines([denied('person'), denied('hook'), denied('rule')], { agent: 'kid' })).toMatchObject([
      { subtype: 'permission_denied', agent_id: 'kid', tool_name: 'Bash', tool_use_id: 'c', message: 'no' },
    ]);
    expect(lines([{ kind: 'line-shown', level: 'error', line: 'bad' }])).toMatchObject([
      { subtype: 'informational', level: 'warning', is_error: true, content: 'bad' },
    ]);
  });
});

it('CL-4: blocks begin empty; thinking ends with its signature', () => {
  const begin = (block: Extract<AgentEvent, { kind: 'block-began' }>['block']) =>
    partialEvents({ kind: 'block-began', index: 1, block })[0]?.content_block;
  expect(begin({ type: 'tool_use', id: 'c', name: 'Read' })).toEqual({
    type: 'tool_use',
    id: 'c',
    name: 'Read',
    input: {},
  });
  expect(begin({ type: 'redacted_thinking', data: 'd' })).toEqual({ type: 'redacted_thinking', data: 'd' });
  expect(partialEvents({ kind: 'block-finished', index: 1, signature: 'sig' })).toEqual([
    { type: 'content_block_delta', index: 1, delta: { type: 'signature_delta', signature: 'sig' } },
    { type: 'content_block_stop', index: 1 },
  ]);
});
