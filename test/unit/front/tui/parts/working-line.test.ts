/** The current action of the agent in view. */

import { expect, it } from 'vitest';
import { workingRows } from '../../../../../src/front/tui/parts/working-line.js';
import { widthOf } from '../../../../../src/front/tui/screen/width.js';
import type { AgentView } from '../../../../../src/front/view/agent-view.js';
import { blankAgent } from '../../../../../src/front/view/agent-view.js';
import { createView } from '../../../../../src/front/view/session-view.js';
import type { AgentEvent } from '../../../../../src/protocol/events.js';
import { NO_USAGE } from '../../../../../src/protocol/usage.js';
import fc from '../../../../support/fast-check.js';
import { agent, asking, running, viewOf } from '../../view/tree/sample-view.js';
import { PLAIN } from '../identity-theme.js';

function rows(main: Partial<AgentView>, { now = 48_000, width = 80, others = [] as AgentView[] } = {}): string[] {
  const view = viewOf([{ ...blankAgent('main'), status: 'running', ...main }, ...others]);
  return workingRows(view, 'main', { now, width, theme: PLAIN, interruptKey: 'esc' });
}

const retry = (at: number, delayMs = 12_000) => ({
  attempt: 3,
  most: 10,
  delayMs,
  status: 529,
  line: 'the model is overloaded · retrying in 12.0 s (attempt 3)',
  at,
});

it('TU-2: a running call has its time and the key that interrupts', () => {
  const call = running('Bash', { command: 'npm test' }, 7_000);
  expect(rows(call)).toEqual(['✻ Bash npm test · 0:41 · esc interrupts']);
  expect(rows(call, { now: 48_120 })).toEqual(['✽ Bash npm test · 0:41 · esc interrupts']);
  expect(rows(call, { width: 40 })).toEqual(['✻ Bash npm test · 0:41 · esc interrupts']);
  expect(rows(running('Bash', { command: `echo ${'x'.repeat(200)}` }, 7_000), { width: 40 })).toEqual([
    '✻ Bash echo xxx… · 0:41 · esc interrupts',
  ]);
  expect(rows(running('Bash', { command: 'x'.repeat(60) }, 7_000), { width: 200 })).toEqual([
    `✻ Bash ${'x'.repeat(60)} · 0:41 · esc interrupts`,
  ]);
});

it('TU-4: the model’s output, its size, and how long it has been quiet', () => {
  const thinking = { coming: 'thinking', askedAt: 36_000, signAt: 47_000, streamed: 4_800 } as const;
  expect(rows(thinking)).toEqual(['✻ thinking · 0:12 · 1.2k tokens · esc interrupts']);
  expect(rows(thinking, { now: 168_000 })).toEqual(['✻ thinking · 2:12 · 1.2k tokens · quiet 2m · esc interrupts']);
  expect(rows({ coming: 'asked', askedAt: 47_000 })).toEqual(['✻ waiting for the model · 0:01 · esc interrupts']);
});

it('empty while nothing happens, or while a question is open', () => {
  expect(rows({ status: 'waiting' })).toEqual([]);
  expect(rows(asking('main', 'ls'))).toEqual([]);
});

it('TU-27: a retry shows its cause, the attempt, and the seconds left', () => {
  expect(rows({ retry: retry(41_000) })).toEqual([
    '↻ the model is overloaded · attempt 3 of 10 · retrying in 5s · esc interrupts',
  ]);
  expect(rows({ retry: retry(41_000) }, { now: 60_000 })).toEqual([
    '↻ the model is overloaded · attempt 3 of 10 · retrying now · esc interrupts',
  ]);
});

it('TU-27: many waiting agents share one line', () => {
  const others = Array.from({ length: 30 }, (_, index) => agent(`a${index}`, { retry: retry(40_000 + index) }));
  expect(rows({ coming: 'text', askedAt: 48_000 }, { others, width: 120 })).toEqual([
    '✻ replying · 0:00 · esc interrupts',
    '↻ 30 agents wait for the model · the model is overloaded · attempt 3 of 10 · retrying in 5s',
  ]);
  expect(rows({ retry: retry(41_000) }, { others, width: 120 })).toEqual([
    '↻ the model is overloaded · attempt 3 of 10 · retrying in 5s · also 30 agents · esc interrupts',
  ]);
});

it('TU-27: after an interrupt the last error stays, until a response begins', () => {
  const view = createView();
  const apply = (event: AgentEvent) => view.apply({ agent: 'main', seq: undefined, event }, 1_000);
  const shown = () => workingRows(view, 'main', { now: 1_000, width: 80, theme: PLAIN, interruptKey: 'esc' });
  apply({ kind: 'turn-started', turn: 1 } as AgentEvent);
  apply({
    kind: 'fault-met',
    fault: 'overloaded',
    line: 'overloaded · retrying in 9.0 s (attempt 1)',
    retry: retry(0),
  });
  apply({ kind: 'run-ended', reason: 'interrupted', usage: NO_USAGE });
  expect(shown()).toEqual(['! overloaded']);
  apply({ kind: 'turn-started', turn: 2 } as AgentEvent);
  expect(shown()).toEqual(['✻ working · esc interrupts']);
});

it('TU-30: never wider than the width, and only text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(text, fc.nat({ max: 120 }), fc.boolean(), (words, width, waits) => {
      const state = waits ? { retry: { ...retry(0), line: words } } : running(words, { command: words }, 0);
      for (const row of rows(state, { width })) {
        expect(widthOf(row)).toBeLessThanOrEqual(width);
        expect(row).not.toMatch(/\p{Cc}/u);
      }
    }),
  );
});
