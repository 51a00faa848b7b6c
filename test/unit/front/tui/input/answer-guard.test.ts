import { describe, expect, it } from 'vitest';
import { AnswerGuard, HOLD_MS, QUIET_MS } from '../../../../../src/front/tui/input/answer-guard.js';
import type { NamedKey } from '../../../../../src/front/tui/input/key-event.js';

const y: NamedKey = { kind: 'key', name: 'y', text: 'y' };
const choice = { role: 'choice', hasDraft: false } as const;

function shown(at = 0): AnswerGuard {
  const guard = new AnswerGuard();
  guard.show(at);
  return guard;
}

describe('keys that could answer', () => {
  it('TU-15: choose only 500 ms after the question was shown and after the last key', () => {
    expect(shown().take(y, QUIET_MS - 1, choice)).toEqual({ kind: 'text', held: undefined });
    expect(shown().take(y, QUIET_MS, choice)).toEqual({ kind: 'held' });
    const guard = shown();
    guard.typed(1_000);
    expect(guard.take(y, 1_000 + QUIET_MS - 1, choice).kind).toBe('text');
    expect(guard.take(y, 2_000 + QUIET_MS, choice).kind).toBe('held');
  });

  it('TU-15: before anything is shown they are text', () => {
    expect(new AnswerGuard().take(y, 10_000, choice).kind).toBe('text');
  });

  it('TU-15: choose when 200 ms have passed without another, which would make both text', () => {
    const guard = shown();
    guard.take(y, 1_000, choice);
    expect(guard.due(1_000 + HOLD_MS - 1)).toBeUndefined();
    expect(guard.take(y, 1_000 + HOLD_MS - 1, choice)).toEqual({ kind: 'text', held: y });
    expect(guard.due(5_000)).toBeUndefined();
    guard.take(y, 5_000, choice);
    expect(guard.due(5_000 + HOLD_MS)).toEqual(y);
    expect(guard.due(6_000)).toBeUndefined();
  });

  it('TU-15: a late key that arrives before a held one took effect still makes both text', () => {
    const guard = shown();
    guard.take(y, 1_000, choice);
    expect(guard.take(y, 1_900, choice)).toEqual({ kind: 'text', held: y });
  });

  it('TU-15: a paste is text, and makes the previous key text', () => {
    const guard = shown();
    const paste = { kind: 'paste', text: '1' } as const;
    expect(guard.take(paste, 1_000, { role: 'choice', hasDraft: false }).kind).toBe('text');
    guard.take(y, 2_000, choice);
    expect(guard.take(paste, 2_100, { role: 'none', hasDraft: false })).toEqual({ kind: 'text', held: y });
  });

  it('TU-15: with a draft only after Tab and the same pause; text ends it', () => {
    const guard = shown();
    const drafted = { ...choice, hasDraft: true };
    expect(guard.take(y, 5_000, drafted).kind).toBe('text');
    guard.focus(6_000);
    expect(guard.take(y, 6_000 + QUIET_MS - 1, drafted).kind).toBe('text');
    expect(guard.hasFocus).toBe(false);
    expect(guard.take(y, 9_000, drafted).kind).toBe('text');
    guard.focus(10_000);
    expect(guard.take(y, 10_000 + QUIET_MS, drafted).kind).toBe('held');
  });

  it('navigation needs the pause, too, but no delay; a choice right after it is typing', () => {
    const guard = shown();
    const move = { role: 'move', hasDraft: false } as const;
    const down: NamedKey = { kind: 'key', name: 'down' };
    expect(guard.take(down, QUIET_MS - 1, move).kind).toBe('text');
    expect(guard.take(down, 2_000, move).kind).toBe('act');
    expect(guard.take(down, 2_050, move).kind).toBe('act');
    expect(guard.take(y, 2_050 + HOLD_MS - 1, choice).kind).toBe('text');
    guard.take(down, 4_000, move);
    expect(guard.take(y, 4_000 + HOLD_MS, choice).kind).toBe('held');
  });

  it('TU-15: a key held for one question does not apply to the next', () => {
    const guard = shown();
    guard.take(y, 1_000, choice);
    guard.hide();
    guard.show(1_100);
    expect(guard.due(2_000)).toBeUndefined();
    expect(guard.take(y, 1_100 + QUIET_MS - 1, choice).kind).toBe('text');
  });
});
