/** A conversation printed into the history, while it happens. */

import { expect, it } from 'vitest';
import { TranscriptPrinter } from '../../../../../src/front/tui/history/transcript-printer.js';
import { chooseTheme } from '../../../../../src/front/tui/theme/choose-theme.js';
import type { AgentEvent } from '../../../../../src/protocol/events.js';
import { freezeBlock } from '../../../../../src/protocol/frozen-block.js';
import { NO_USAGE } from '../../../../../src/protocol/usage.js';

function tell() {
  const told: string[] = [];
  const printer = new TranscriptPrinter({
    print: (rows) => void told.push(...rows),
    width: () => 60,
    theme: () => chooseTheme({ level: 0, background: 'dark' }),
    cwd: '/p',
    wholeKey: () => 'ctrl+o',
    leavesOut: (item) => item.kind === 'notice',
  });
  let seq = 0;
  const take = (...events: AgentEvent[]) => {
    for (const event of events) {
      seq += 1;
      printer.take(event, seq);
    }
  };
  return { told, printer, take, next: () => seq + 1 };
}

const begun = (): AgentEvent => ({ kind: 'response-began', turn: 1, response: 'r', model: 'm', usage: NO_USAGE });
const streamed = (text: string, index = 0): AgentEvent => ({ kind: 'text-streamed', index, text });
const replied = (...texts: string[]): AgentEvent => ({
  kind: 'assistant-replied',
  response: 'r',
  model: 'm',
  stop: 'end_turn',
  usage: NO_USAGE,
  requestBytes: 0,
  blocks: texts.map((text) => freezeBlock({ type: 'text', text })),
});
const ended = (reason: 'completed' | 'interrupted'): AgentEvent => ({ kind: 'run-ended', reason, usage: NO_USAGE });

it('TU-1: a reply is printed once, streamed or not', () => {
  const { told, take } = tell();
  take(begun(), streamed('One\n\nTw'), streamed('o\n'), replied('One\n\nTwo\n'), ended('completed'));
  take(begun(), replied('Three'), ended('completed'));
  expect(told).toEqual(['● One', '', '  Two', '', '● Three']);
});

it('TU-1: incomplete text is in the live area, not in the history', () => {
  const { told, printer, take } = tell();
  take(begun(), streamed('One\n\nTwo and'));
  expect(told).toEqual(['● One']);
  expect(printer.tail(60, 5, 0).join('\n')).toContain('Two and');
  take(streamed(' more'));
  expect(printer.tail(60, 5, 99).join('\n')).not.toContain('more');
  expect(printer.tail(60, 5, 100).join('\n')).toContain('Two and more');
  take(replied('One\n\nTwo and more'));
  expect(printer.tail(60, 5, 200)).toEqual([]);
});

it('TU-23: an interrupted reply stays, and the end reports it', () => {
  const { told, take } = tell();
  take(begun(), streamed('Half a sent'), ended('interrupted'));
  expect(told[0]).toBe('● Half a sent');
  expect(told.filter((row) => row.includes('interrupted'))).toHaveLength(1);
});

it('TU-23: knows whether part of an answer has arrived, from the prompt on', () => {
  const { printer, take, next } = tell();
  const seq = next();
  take({ kind: 'input-admitted', origin: 'person', key: 'k', blocks: [freezeBlock({ type: 'text', text: 'Do it' })] });
  take({ kind: 'message-joined', from: [seq] });
  expect([printer.hasToken, printer.lastPrompt]).toEqual([false, 'Do it']);
  take(begun());
  expect(printer.hasToken).toBe(false);
  take({ kind: 'thinking-streamed', index: 0, text: 'Hm' });
  expect(printer.hasToken).toBe(true);
});

it('TU-2: a diff that takes time to make keeps its position', async () => {
  const { told, printer, take } = tell();
  const input = { file_path: '/p/a.ts', old_string: 'one', new_string: 'two' };
  take({ kind: 'call-started', call: 'c', tool: 'Edit', input });
  take({ kind: 'call-finished', call: 'c', tool: 'Edit', isError: false, effects: true, ms: 5, blocks: [] });
  take(begun(), replied('Done'));
  expect(told).toEqual([]);
  await printer.settled();
  const at = (part: string) => told.findIndex((row) => row.includes(part));
  expect(at('Edit a.ts')).toBeGreaterThanOrEqual(0);
  expect(at('Done')).toBeGreaterThan(at('two'));
});
