import { describe, expect, it } from 'vitest';
import {
  Notifications,
  type NotifySetting,
  notificationSequence,
} from '../../../../../src/front/tui/app/notifications.js';
import { ask, fork, key } from '../panels/question-stage.js';

function stage(setting: NotifySetting = 'bell') {
  let now = 0;
  const written: string[] = [];
  const hooked: string[] = [];
  const notifications = new Notifications({
    setting: () => setting,
    env: {},
    write: (sequence) => written.push(sequence),
    notify: ({ title, message, about }) => hooked.push(`${about} · ${title}: ${message}`),
    now: () => now,
  });
  const wait = (ms: number) => {
    now += ms;
  };
  return { notifications, written, hooked, wait };
}

describe('notifying a user who is away', () => {
  it('TU-26: a question without focus: once, with the hook', () => {
    const { notifications, written, hooked } = stage();
    notifications.press({ kind: 'focus', has: false });
    const one = ask('a', { agent: fork('fork-7') });
    notifications.update([one]);
    notifications.update([one]);
    expect(written).toEqual(['\u0007']);
    expect(hooked).toEqual(['permission_prompt · Coppice: Fork-7 asks to use Bash']);
    notifications.update([one, ask('b'), ask('c')]);
    expect(hooked.slice(1)).toEqual(['permission_prompt · Coppice: The main agent asks to use Bash (and 1 more)']);
    notifications.update([
      ask('form', {
        about: 'elicitation',
        elicitation: { server: 'db', message: '?', mode: 'url', url: 'https://a.b' },
      }),
    ]);
    expect(hooked.at(-1)).toMatch(/^elicitation_dialog · /);
  });

  it('TU-26: with focus nothing, not even later', () => {
    const { notifications, written, hooked } = stage();
    notifications.press({ kind: 'focus', has: true });
    notifications.update([ask('a')]);
    notifications.press({ kind: 'focus', has: false });
    notifications.update([ask('a')]);
    expect([written, hooked]).toEqual([[], []]);
  });

  it('TU-26: an end after 30 s of work, once', () => {
    const { notifications, hooked, wait } = stage();
    notifications.press({ kind: 'focus', has: false });
    notifications.work(true);
    wait(29_999);
    notifications.work(false);
    expect(hooked).toEqual([]);
    notifications.work(true);
    wait(20_000);
    notifications.work(true);
    wait(10_000);
    notifications.work(false);
    notifications.work(false);
    expect(hooked).toEqual(['idle_prompt · Coppice: Done. Waiting for your input']);
  });

  it('TU-26: a terminal that does not report focus: after 30 s without a key', () => {
    const { notifications, hooked, wait } = stage();
    wait(29_999);
    notifications.update([ask('a')]);
    expect(hooked).toEqual([]);
    notifications.press(key('x'));
    wait(30_000);
    notifications.update([ask('b')]);
    expect(hooked).toHaveLength(1);
  });

  it('TU-26: off: the terminal stays silent, the hook runs', () => {
    const { notifications, written, hooked } = stage('off');
    notifications.press({ kind: 'focus', has: false });
    notifications.update([ask('a')]);
    expect([written, hooked.length]).toEqual([[], 1]);
  });

  it('TU-26, TU-30: the kind by the setting, or by the terminal; nothing in it controls the terminal', () => {
    expect(notificationSequence('osc9', 'x\u001b]0;t\u0007\ny', {})).toBe('\u001b]9;Coppice: x y\u001b\\');
    expect(notificationSequence('auto', 'x', { TERM: 'xterm-256color' })).toBe('\u0007');
    expect(notificationSequence('auto', 'x', { TERM_PROGRAM: 'WezTerm' })?.startsWith('\u001b]9;')).toBe(true);
    expect(notificationSequence('auto', 'x', { TERM: 'xterm-kitty' })?.startsWith('\u001b]99;')).toBe(true);
    expect(notificationSequence('auto', 'x', { TERM: 'foot' })?.startsWith('\u001b]777;')).toBe(true);
    expect(notificationSequence('auto', 'x', { TERM_PROGRAM: 'WezTerm', TMUX: '/tmp/t' })).toBe('\u0007');
    expect(notificationSequence('osc777', 'x', {})?.startsWith('\u001b]777;')).toBe(true);
  });
});
