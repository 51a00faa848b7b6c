import { describe, expect, it } from 'vitest';
import type { Action, KeyContext } from '../../../../../src/front/tui/input/bindings/actions.js';
import { readKeybindings } from '../../../../../src/front/tui/input/bindings/read-keybindings.js';
import { Keymap } from '../../../../../src/front/tui/input/keymap.js';
import { press, readAll } from './typing.js';

const fileOf = (context: string, bindings: Record<string, string | null>) =>
  readKeybindings(JSON.stringify({ bindings: [{ context, bindings }] })).bindings;

describe('the keys', () => {
  it.each<[string, Action]>([
    ['\r', 'chat:submit'],
    ['\u001b[13;2u', 'chat:newline'],
    ['\u001b[27;2;13~', 'chat:newline'],
    ['\u001b\r', 'chat:newline'],
    ['\n', 'chat:newline'],
    ['\t', 'chat:tab'],
    ['\u001b[A', 'history:previous'],
    ['\u0010', 'history:previous'],
    ['\u001bOB', 'history:next'],
    ['\u000e', 'history:next'],
    ['\u001b[1;3A', 'chat:takeBack'],
    ['\u001b', 'chat:cancel'],
    ['\u0003', 'app:interrupt'],
    ['\u001b[99;5u', 'app:interrupt'],
    ['\u0004', 'app:exit'],
    ['\u0002', 'task:backgroundOrLeft'],
    ['\u0018\u0002', 'task:background'],
    ['\u0018\u000b', 'chat:killAgents'],
    ['\u001b[Z', 'chat:cycleMode'],
    ['\u001bm', 'chat:cycleMode'],
    ['\u001bp', 'chat:modelPicker'],
    ['\u001bt', 'chat:thinkingToggle'],
    ['\u000f', 'app:toggleTranscript'],
    ['\u0014', 'app:toggleTodos'],
    ['\u0012', 'history:search'],
    ['\u0007', 'chat:externalEditor'],
    ['\u0018\u0005', 'chat:externalEditor'],
    ['\u0013', 'chat:stash'],
    ['\u0016', 'chat:imagePaste'],
    ['\u001bv', 'chat:imagePaste'],
    ['\u001f', 'chat:undo'],
    ['\u001b[45;6u', 'chat:undo'],
    ['\f', 'app:redraw'],
    ['\u001a', 'app:suspend'],
    ['\u0001', 'edit:lineStart'],
    ['\u0017', 'edit:killSpaceLeft'],
    ['\u001b\u007f', 'edit:killWordLeft'],
  ])('of the table, as terminals send them: %j', (data, action) => {
    const keymap = new Keymap();
    expect(
      readAll(data)
        .map((press) => keymap.resolve('editor', press))
        .at(-1),
    ).toEqual({ action });
  });

  it('of a context override the global ones', () => {
    const keymap = new Keymap();
    expect(keymap.resolve('search', press('ctrl+c'))).toEqual({ action: 'historySearch:cancel' });
    expect(keymap.resolve('tree', press('ctrl+c'))).toEqual({ action: 'app:interrupt' });
    expect(keymap.resolve('tree', press('x'))).toEqual({ action: 'tree:stop' });
    expect(keymap.resolve('editor', press('x'))).toBeUndefined();
  });
});

describe('chords', () => {
  it('wait for the second key, for a time', () => {
    let now = 0;
    const keymap = new Keymap({ now: () => now });
    expect(keymap.resolve('editor', press('ctrl+x'))).toEqual({ chord: true });
    expect(keymap.pending).toBe('ctrl+x');
    now = 2000;
    expect(keymap.resolve('editor', press('ctrl+b'))).toEqual({ action: 'task:background' });
    keymap.resolve('editor', press('ctrl+x'));
    now = 4001;
    expect(keymap.pending).toBeUndefined();
    expect(keymap.resolve('editor', press('ctrl+b'))).toEqual({ action: 'task:backgroundOrLeft' });
  });

  it('lose no key: one that completes no chord has its own meaning, and Esc only leaves', () => {
    const keymap = new Keymap();
    keymap.resolve('editor', press('ctrl+x'));
    expect(keymap.resolve('editor', press('h'))).toBeUndefined();
    keymap.resolve('editor', press('ctrl+x'));
    expect(keymap.resolve('editor', press('esc'))).toEqual({ chord: true });
    expect(keymap.resolve('editor', press('esc'))).toEqual({ action: 'chat:cancel' });
  });

  it('free their first key when all of them are unbound', () => {
    const unbound = { 'ctrl+x ctrl+b': null, 'ctrl+x ctrl+k': null, 'ctrl+x ctrl+e': null };
    const some = new Keymap({ bindings: fileOf('Chat', { ...unbound, 'ctrl+x': 'chat:newline' }) });
    expect(some.resolve('editor', press('ctrl+x'))).toEqual({ chord: true });
    const all = new Keymap({
      bindings: fileOf('Chat', { ...unbound, 'ctrl+x ctrl+u': null, 'ctrl+x': 'chat:newline' }),
    });
    expect(all.resolve('editor', press('ctrl+x'))).toEqual({ action: 'chat:newline' });
  });
});

describe('user bindings', () => {
  it('TU-17: override the defaults, also to unbind', () => {
    const keymap = new Keymap({
      bindings: fileOf('Chat', {
        'ctrl+e': 'chat:externalEditor',
        'ctrl+u': null,
        'Ctrl+K Meta+S': 'chat:stash',
        'ctrl+t': null,
      }),
    });
    expect(keymap.resolve('editor', press('ctrl+e'))).toEqual({ action: 'chat:externalEditor' });
    expect(keymap.resolve('editor', press('ctrl+u'))).toBeUndefined();
    expect(keymap.resolve('editor', press('ctrl+t'))).toBeUndefined();
    expect(keymap.resolve('editor', press('ctrl+k'))).toEqual({ chord: true });
    expect(keymap.resolve('editor', press('alt+s'))).toEqual({ action: 'chat:stash' });
  });

  it('TU-17: are shown in hints', () => {
    const keymap = new Keymap({ bindings: fileOf('Chat', { 'ctrl+e': 'chat:externalEditor', 'ctrl+s': null }) });
    expect(keymap.keyOf('chat:externalEditor')).toBe('ctrl+e');
    expect(keymap.keyOf('chat:stash')).toBe('');
    expect(keymap.keyOf('chat:cancel')).toBe('esc');
    expect(keymap.keysOf('chat:externalEditor')).toEqual(['ctrl+e', 'ctrl+g', 'ctrl+x ctrl+e']);
    expect(keymap.list('editor')).toContainEqual({ keys: ['shift+tab', 'alt+m'], does: 'mode' });
  });

  it.each<[string | undefined, string, string]>([
    [undefined, 'ctrl+b', 'ctrl+x ctrl+b'],
    ['C-b', 'ctrl+b ctrl+b', 'ctrl+x ctrl+b ctrl+b'],
    ['C-x', 'ctrl+b', 'ctrl+x ctrl+x ctrl+b'],
    ['None', 'ctrl+b', 'ctrl+x ctrl+b'],
  ])('TU-17: hints under tmux with the prefix %s', (prefix, single, chord) => {
    const keymap = new Keymap({ prefix });
    expect(keymap.keyOf('task:backgroundOrLeft')).toBe(single);
    expect(keymap.keyOf('task:background')).toBe(chord);
  });

  it.each<[KeyContext, string, string, string | undefined]>([
    ['tree', 'Footer', 'j', 'down'],
    ['tree', 'Footer', 'x', undefined],
    ['tree', 'Footer', 'm', 'm'],
  ])('TU-17: in %s (%s) the key %s is %s for what listens to fixed keys', (context, name, key, expected) => {
    const keymap = new Keymap({ bindings: fileOf(name, { j: 'footer:down', x: null }) });
    const translated = keymap.translate(context, press(key));
    expect(translated === undefined ? undefined : translated).toEqual(
      expected === undefined ? undefined : press(expected),
    );
  });
});
