import { describe, expect, it } from 'vitest';
import { HistorySearch } from '../../../../../src/front/tui/input/history-search.js';
import { PromptHistory } from '../../../../../src/front/tui/input/prompt-history.js';
import { widthOf } from '../../../../../src/front/tui/screen/width.js';
import { PLAIN_THEME } from './plain-theme.js';
import { press } from './typing.js';

const entry = (text: string) => ({ kind: 'entry', text });

describe('the history of prompts', () => {
  it('TU-18: goes back and forth, and the draft returns', () => {
    const history = new PromptHistory<string>(['one', 'two\nlines', 'three'], () => {});
    expect(history.next()).toBeUndefined();
    expect(history.previous('half a')).toEqual(entry('three'));
    expect(history.previous('three')).toEqual(entry('two\nlines'));
    expect(history.previous('two\nlines')).toEqual(entry('one'));
    expect(history.previous('one')).toBeUndefined();
    expect(history.next()).toEqual(entry('two\nlines'));
    expect(history.next()).toEqual(entry('three'));
    expect(history.next()).toEqual({ kind: 'draft', draft: 'half a' });
    expect(history.isBack).toBe(false);
  });

  it('has each prompt once, the newest last, and saves what is new', () => {
    const saved: string[] = [];
    const history = new PromptHistory<string>(['one', 'two', 'one', ' '], (text) => saved.push(text));
    expect(history.entries).toEqual(['two', 'one']);
    history.add('one');
    history.add(' \n');
    history.add('two');
    expect(history.entries).toEqual(['one', 'two']);
    expect(saved).toEqual(['two']);
    history.previous('');
    history.add('three');
    expect(history.previous('')).toEqual(entry('three'));
  });
});

describe('searching the history', () => {
  const entries = ['fix the login tests', 'write docs', 'login with\nthe cookie', 'LOGIN page'];
  const searching = (...keys: readonly string[]) => {
    const search = new HistorySearch(entries);
    const steps = keys.map((key) => search.press(press(key)));
    return { search, last: steps.at(-1) };
  };

  it('finds by text, newest first, then by letters', () => {
    expect(searching('l', 'o', 'g').search.match).toBe('LOGIN page');
    expect(searching('l', 'o', 'g', 'ctrl+r').search.match).toBe('login with\nthe cookie');
    expect(searching('l', 'o', 'g', 'ctrl+r', 'down').search.match).toBe('LOGIN page');
    expect(searching('w', 'd', 'c', 's').search.match).toBe('write docs');
    expect(searching('q', 'q', 'q').search.match).toBeUndefined();
    expect(searching('q', 'backspace', 'f', 'i', 'x').search.match).toBe('fix the login tests');
  });

  it('accepts the match, sends it, or leaves everything unchanged', () => {
    expect(searching('d', 'o', 'c', 'tab').last).toEqual({ kind: 'taken', text: 'write docs', send: false });
    expect(searching('d', 'o', 'c', 'esc').last).toEqual({ kind: 'taken', text: 'write docs', send: false });
    expect(searching('d', 'o', 'c', 'enter').last).toEqual({ kind: 'taken', text: 'write docs', send: true });
    expect(searching('d', 'ctrl+c').last).toEqual({ kind: 'cancelled' });
    expect(searching('q', 'q', 'enter').last).toEqual({ kind: 'cancelled' });
  });

  it('shows the matches in rows that fit, one each', () => {
    const { search } = searching('l', 'o', 'g', 'i', 'n', 'ctrl+r');
    expect(search.rows(40, 3, PLAIN_THEME)).toEqual(['search: login', '  LOGIN page', '› login with\\nthe cookie']);
    for (const row of search.rows(6, 4, PLAIN_THEME)) expect(widthOf(row)).toBeLessThanOrEqual(6);
  });
});
