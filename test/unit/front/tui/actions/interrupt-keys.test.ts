/** The effects of Esc and Ctrl+C, from one press to the next. */

import { describe, expect, it } from 'vitest';
import { InterruptKeys, type Situation } from '../../../../../src/front/tui/actions/interrupt-keys.js';

const IDLE: Situation = { isWorking: false, waitedFor: 0, hasToken: true, hasDraft: false };
const WORKING: Situation = { ...IDLE, isWorking: true };

describe('while the agent works', () => {
  it('TU-23: the first press interrupts; before the first token it returns the message to the editor', () => {
    expect(new InterruptKeys().press('esc', WORKING, 0)).toBe('interrupt');
    expect(new InterruptKeys().press('ctrl+c', WORKING, 0)).toBe('interrupt');
    expect(new InterruptKeys().press('esc', { ...WORKING, hasToken: false }, 0)).toBe('take-back');
  });

  it('TU-23: warns first if agents are awaited; a second press within two seconds interrupts them', () => {
    const waiting = { ...WORKING, waitedFor: 5 };
    const keys = new InterruptKeys();
    expect(keys.press('esc', waiting, 0)).toBe('warn-agents');
    expect(keys.press('ctrl+c', waiting, 1_999)).toBe('interrupt');
    const slow = new InterruptKeys();
    expect(slow.press('esc', waiting, 0)).toBe('warn-agents');
    expect(slow.press('esc', waiting, 2_000)).toBe('warn-agents');
  });

  it('TU-23: another action in between makes the next press a first one', () => {
    const keys = new InterruptKeys();
    keys.press('esc', { ...WORKING, waitedFor: 1 }, 0);
    keys.forget();
    expect(keys.press('esc', { ...WORKING, waitedFor: 1 }, 100)).toBe('warn-agents');
  });

  it('TU-23: the second press of an interruption never rewinds or exits', () => {
    for (const key of ['esc', 'ctrl+c'] as const) {
      const keys = new InterruptKeys();
      expect(keys.press(key, WORKING, 0)).toBe('interrupt');
      expect(keys.press(key, IDLE, 500)).toBeUndefined();
      expect(keys.press(key, IDLE, 600)).toBe(key === 'esc' ? 'warn-rewind' : 'warn-exit');
    }
  });
});

describe('while idle', () => {
  it('TU-23, TU-24: Esc twice rewinds with an empty editor, and clears a draft otherwise', () => {
    const keys = new InterruptKeys();
    expect(keys.press('esc', IDLE, 0)).toBe('warn-rewind');
    expect(keys.press('esc', IDLE, 1_000)).toBe('rewind');
    const draft = { ...IDLE, hasDraft: true };
    expect(keys.press('esc', draft, 5_000)).toBe('warn-draft');
    expect(keys.press('esc', draft, 6_000)).toBe('keep-draft');
    expect(keys.press('esc', draft, 9_000)).toBe('warn-draft');
    expect(keys.press('esc', draft, 11_000)).toBe('warn-draft');
  });

  it('SF-16: Ctrl+C clears a draft at once, and exits when pressed twice with an empty editor', () => {
    const keys = new InterruptKeys();
    expect(keys.press('ctrl+c', { ...IDLE, hasDraft: true }, 0)).toBe('keep-draft');
    expect(keys.press('ctrl+c', IDLE, 100)).toBe('warn-exit');
    expect(keys.press('ctrl+c', IDLE, 2_099)).toBe('exit');
    expect(keys.press('ctrl+c', IDLE, 5_000)).toBe('warn-exit');
    expect(keys.press('ctrl+c', IDLE, 7_000)).toBe('warn-exit');
  });

  it('TU-23: Esc and Ctrl+C announce different effects: one never performs what the other announced', () => {
    const keys = new InterruptKeys();
    keys.press('esc', IDLE, 0);
    expect(keys.press('ctrl+c', IDLE, 100)).toBe('warn-exit');
    expect(keys.press('esc', IDLE, 200)).toBe('warn-rewind');
  });
});
